/** A thread of `whence enrich --jobs`: enriches one block of whole records after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDataset } from '@whence/dataset/internal/file/read';
import { withOverrides } from '@whence/dataset/internal/overrides/overlaid-dataset';
import type { Overrides } from '@whence/dataset/internal/overrides/overrides';
import { readSupplement, Supplement } from '@whence/dataset/internal/supplement/supplement';
import { type Counts, newCounts } from './counts.ts';
import type { CsvColumns } from './formats/csv.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type EnrichPlan, enrichmentOf, sectionValuesFor } from './plan.ts';
import { RecordStream } from './record-stream.ts';

/** A supplement that the fields need. */
export type SupplementFile = { readonly path: string; readonly sha256: string };

export type ThreadTask = {
  readonly datasetPath: string;
  readonly overrides: Overrides | undefined;
  /** By which the lists of the dataset are judged. */
  readonly day: string;
  readonly supplementFile: SupplementFile | undefined;
  /** Rows of a VrpTable. */
  readonly vrpRows: Uint32Array | undefined;
  readonly plan: EnrichPlan;
  readonly columns: CsvColumns | undefined;
};

export type BlockTask = { readonly block: Uint8Array; readonly memory: ArrayBuffer | undefined };
/** `block` returns the memory of the task's block. */
export type EnrichedBlock = { readonly bytes: Uint8Array; readonly counts: Counts; readonly block: ArrayBuffer };

// Passed by EnrichThreads, the only caller.
const { datasetPath, overrides, day, supplementFile, vrpRows, plan, columns } = workerData as ThreadTask;
const counts = newCounts();
const supplement = supplementFile && new Supplement(readSupplement(supplementFile.path, supplementFile.sha256));
const dataset = withOverrides(openDataset(datasetPath, day), overrides);
const sections = await sectionValuesFor(plan, { dataset, supplement, vrpRows });
const { findEnd, write } = enrichmentOf({ dataset, supplement, sections }, plan, counts, columns);

parentPort?.on('message', ({ block, memory }: BlockTask) => {
  // The memory of block and output is transferred with them, and returned with a later block.
  const output = new OutputBuffer(memory);
  Object.assign(counts, newCounts());
  const records = new RecordStream(findEnd, write, counts, output);
  records.feed(Buffer.from(block.buffer, block.byteOffset, block.byteLength));
  records.end();
  const bytes = output.take();
  const done: EnrichedBlock = { bytes, counts: { ...counts }, block: block.buffer as ArrayBuffer };
  parentPort?.postMessage(done, [bytes.buffer as ArrayBuffer, done.block]);
});
