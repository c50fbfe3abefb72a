/**
 * The pipeline with several threads: blocks of whole records are enriched in any order and written in the order of the
 * input. Two blocks per thread are in memory at a time; a slow reader of the output stops the reading of the input.
 */
import type { Dataset } from '@whence/dataset/read';
import type { Sink } from '../terminal/sink.ts';
import { addCounts, type Counts } from './counts.ts';
import { EnrichThreads } from './enrich-threads.ts';
import type { Input } from './input.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type EnrichPlan, enrichmentOf, recordEnds } from './plan.ts';
import { BLOCK_BYTES, recordBlocks } from './record-blocks.ts';
import { RecordStream } from './record-stream.ts';

const BLOCKS_PER_THREAD = 2;

export type ParallelOptions = {
  readonly jobs: number;
  readonly plan: EnrichPlan;
  readonly dataset: Dataset;
  /** Of the same dataset, for the threads. */
  readonly datasetPath: string;
  readonly counts: Counts;
};

/** `onBlock` is called after each block is written. */
export async function enrichInParallel(
  { chunks }: Pick<Input, 'chunks'>,
  { jobs, plan, dataset, datasetPath, counts }: ParallelOptions,
  sink: Sink,
  onBlock: () => void,
): Promise<void> {
  const first = enrichmentOf(dataset, plan, counts);
  let threads: EnrichThreads | undefined;
  /** Output of blocks in the order of the input. */
  const due: Promise<Uint8Array>[] = [];
  const writeNext = async () => {
    const bytes = await due.shift();
    if (bytes === undefined) return;
    if (bytes.length > 0) await sink.write(bytes);
    threads?.reuse(bytes);
    onBlock();
  };
  const enrichHere = (block: Buffer): Uint8Array => {
    const output = new OutputBuffer();
    const records = new RecordStream(first.findEnd, first.write, counts, output);
    records.feed(block);
    records.end();
    return output.take();
  };
  const enrichThere = async (block: Buffer): Promise<Uint8Array> => {
    threads ??= new EnrichThreads(jobs, { datasetPath, plan, columns: first.columns() });
    const done = await threads.enrich(block);
    addCounts(counts, done.counts);
    return done.bytes;
  };
  try {
    const allocate = (bytes: number) => threads?.usedBlock() ?? Buffer.allocUnsafeSlow(bytes);
    for await (const block of recordBlocks(chunks, recordEnds(plan), BLOCK_BYTES, allocate)) {
      if (block.kind === 'too-long') {
        if (block.isStart) addCounts(counts, { lines: 1, too_long: 1 });
        due.push(Promise.resolve(block.bytes));
      } else {
        // The columns of CSV are those of the first rows.
        const mustBeHere = plan.format === 'csv' && first.columns() === undefined;
        const enriched = mustBeHere ? Promise.resolve(enrichHere(block.bytes)) : enrichThere(block.bytes);
        // It is awaited in its turn, which may be after it has failed.
        enriched.catch(() => {});
        due.push(enriched);
      }
      if (due.length >= jobs * BLOCKS_PER_THREAD) await writeNext();
    }
    while (due.length > 0) await writeNext();
  } finally {
    await threads?.close();
  }
}
