/** A thread of `wh enrich --jobs`: enriches blocks of whole records and writes them in turn. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Dataset } from '@whence/dataset/internal/file/read';
import type { Overrides } from '@whence/dataset/internal/overrides/overrides';
import { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { type Counts, newCounts } from './counts.ts';
import { FileBlocks, type SharedFile, type TakenBlock } from './file-blocks.ts';
import type { CsvColumns } from './formats/csv.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type EnrichPlan, enrichmentOf, overridden, recordEnds, sectionValuesFor } from './plan.ts';
import { enrichBlock } from './record-blocks.ts';
import { RecordStream } from './record-stream.ts';

/** Where the answers come from, as plain data. Files are checked, and in memory that all threads read. */
export type SharedSources = {
  readonly datasetFile: Uint8Array;
  readonly overrides: Overrides | undefined;
  /** By which the lists of the dataset are judged. */
  readonly day: string;
  readonly supplementFile: Uint8Array | undefined;
  /** Rows of a VrpTable. */
  readonly vrpRows: Uint32Array | undefined;
};

export type ThreadTask = {
  readonly shared: SharedSources;
  readonly plan: EnrichPlan;
  readonly columns: CsvColumns | undefined;
  /** Without a descriptor, blocks are passed as messages; undefined is the last one. */
  readonly file: SharedFile;
  /** The descriptor of the output, if threads can write to it. */
  readonly target: number | undefined;
};

/** `rest` is what could not be written directly; then the receiver ends the turn. */
export type FinishedBlock = {
  readonly counts: Counts;
  readonly bytesRead: number;
  readonly rest: Uint8Array | undefined;
};

// Passed by `runThreads`, the only caller.
const { shared, plan, columns, file, target } = workerData as ThreadTask;
const { datasetFile, overrides, day, supplementFile, vrpRows } = shared;
const counts = newCounts();
const supplement = supplementFile && new Supplement(bufferOf(supplementFile));
const dataset = await overridden(new Dataset(bufferOf(datasetFile), { isChecked: true, day }), overrides);
const sections = await sectionValuesFor(plan, { dataset, supplement, vrpRows });
const { findEnd, write } = enrichmentOf({ dataset, supplement, sections }, plan, counts, columns);

const output = new OutputBuffer();
const records = new RecordStream(findEnd, write, counts, output);
const blocks = new FileBlocks(file, () => recordEnds(plan));

if (file.descriptor !== undefined)
  for (let next = blocks.take(); next !== undefined; next = blocks.take()) finish(next);
else
  parentPort?.on('message', (block: TakenBlock | undefined) => {
    if (block === undefined) parentPort?.close();
    else finish({ ...block, bytes: bufferOf(block.bytes) });
  });

function finish(block: TakenBlock): void {
  Object.assign(counts, newCounts());
  const bytes = enrichBlock(block, records, output, counts);
  blocks.waitForTurn(block.ticket);
  const written = target === undefined ? 0 : writeDirectly(target, bytes);
  // A copy: the whole memory of a view would be passed on.
  const rest = written === bytes.length ? undefined : Uint8Array.from(bytes.subarray(written));
  const done: FinishedBlock = { counts: { ...counts }, bytesRead: block.bytes.length, rest };
  parentPort?.postMessage(done, rest === undefined ? [] : [rest.buffer as ArrayBuffer]);
  if (rest === undefined) blocks.endTurn();
}

/** How many bytes were written. A full pipe, or an error, is left to the main thread. */
function writeDirectly(target: number, bytes: Uint8Array): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(target, bytes, written);
  } catch {
    // Writing the rest fails again where it is reported, unless it was a pipe without room.
  }
  return written;
}

/** The same memory. A buffer arrives in a thread as a plain array of bytes. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
