/** A thread of `wh enrich --jobs`: enriches one block of whole records after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { Dataset } from '@whence/dataset/internal/file/read';
import type { Overrides } from '@whence/dataset/internal/overrides/overrides';
import { Supplement } from '@whence/dataset/internal/supplement/supplement';
import { type Counts, newCounts } from './counts.ts';
import type { CsvColumns } from './formats/csv.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type EnrichPlan, enrichmentOf, overridden, sectionValuesFor } from './plan.ts';
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
};

export type BlockTask = { readonly block: Uint8Array; readonly memory: ArrayBuffer | undefined };
/** `block` returns the memory of the task's block. */
export type EnrichedBlock = { readonly bytes: Uint8Array; readonly counts: Counts; readonly block: ArrayBuffer };

// Passed by EnrichThreads, the only caller.
const { shared, plan, columns } = workerData as ThreadTask;
const { datasetFile, overrides, day, supplementFile, vrpRows } = shared;
const counts = newCounts();
const supplement = supplementFile && new Supplement(bufferOf(supplementFile));
const dataset = await overridden(new Dataset(bufferOf(datasetFile), { isChecked: true, day }), overrides);
const sections = await sectionValuesFor(plan, { dataset, supplement, vrpRows });
const { findEnd, write } = enrichmentOf({ dataset, supplement, sections }, plan, counts, columns);

parentPort?.on('message', ({ block, memory }: BlockTask) => {
  // The memory of block and output is transferred with them, and returned with a later block.
  const output = new OutputBuffer(memory);
  Object.assign(counts, newCounts());
  const records = new RecordStream(findEnd, write, counts, output);
  records.feed(bufferOf(block));
  records.end();
  const bytes = output.take();
  const done: EnrichedBlock = { bytes, counts: { ...counts }, block: block.buffer as ArrayBuffer };
  parentPort?.postMessage(done, [bytes.buffer as ArrayBuffer, done.block]);
});

/** The same memory. A buffer arrives in a thread as a plain array of bytes. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
