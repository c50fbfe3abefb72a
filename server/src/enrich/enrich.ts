// The two pipelines: in one thread chunk by chunk, or blocks of whole records enriched by several threads and written
// in input order. Two blocks per thread are in memory; backpressure from the output stops reading.
import type { Sink } from '../terminal/output.ts';
import { addCounts, type Counts } from './counts.ts';
import type { SharedSources } from './enrich-thread.ts';
import { EnrichThreads } from './enrich-threads.ts';
import type { Input } from './input.ts';
import type { EnrichSources } from './insertion.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type Enrichment, type EnrichPlan, enrichmentOf, recordEnds } from './plan.ts';
import { recordBlocks } from './record-blocks.ts';
import { RecordStream } from './record-stream.ts';

/** A log that is enriched, wherever the answers come from. `onChunk` is called after each chunk is written. */
export type EnrichWork = {
  readonly counts: Counts;
  run(input: Pick<Input, 'chunks'>, sink: Sink, onChunk: () => void): Promise<void>;
};

/** `onChunk` is called after each chunk is written. */
export async function enrich(
  { chunks }: Pick<Input, 'chunks'>,
  { findEnd, write, counts }: Enrichment,
  sink: Sink,
  onChunk: () => void,
): Promise<void> {
  const output = new OutputBuffer();
  const records = new RecordStream(findEnd, write, counts, output);
  for await (const chunk of chunks) {
    records.feed(chunk);
    if (output.length > 0) await sink.write(output.take());
    onChunk();
  }
  records.end();
  if (output.length > 0) await sink.write(output.take());
}

const BLOCKS_PER_THREAD = 2;

export type ParallelOptions = {
  readonly jobs: number;
  readonly plan: EnrichPlan;
  readonly sources: EnrichSources;
  readonly shared: SharedSources;
  readonly counts: Counts;
};

/** `onBlock` is called after each block is written. */
export async function enrichInParallel(
  { chunks }: Pick<Input, 'chunks'>,
  { jobs, plan, sources, shared, counts }: ParallelOptions,
  sink: Sink,
  onBlock: () => void,
): Promise<void> {
  const first = enrichmentOf(sources, plan, counts);
  let threads: EnrichThreads | undefined;
  const due: Promise<Uint8Array>[] = [];
  const writeNext = async () => {
    const bytes = await due.shift();
    if (bytes === undefined) return;
    if (bytes.length > 0) await sink.write(bytes);
    threads?.reuse(bytes);
    onBlock();
  };
  const enrichLocally = (block: Buffer): Uint8Array => {
    const output = new OutputBuffer();
    const records = new RecordStream(first.findEnd, first.write, counts, output);
    records.feed(block);
    records.end();
    return output.take();
  };
  const enrichInThread = async (block: Buffer): Promise<Uint8Array> => {
    threads ??= new EnrichThreads(jobs, { shared, plan, columns: first.columns() });
    const done = await threads.enrich(block);
    addCounts(counts, done.counts);
    return done.bytes;
  };
  try {
    const allocate = (bytes: number) => threads?.usedBlock() ?? Buffer.allocUnsafeSlow(bytes);
    for await (const block of recordBlocks(chunks, recordEnds(plan), {}, allocate)) {
      if (block.kind === 'too-long') {
        if (block.isStart) addCounts(counts, { lines: 1, too_long: 1 });
        due.push(Promise.resolve(block.bytes));
      } else {
        // CSV columns are determined from the first rows, so these are enriched in this thread.
        const isLocal = plan.format === 'csv' && first.columns() === undefined;
        const enriched = isLocal ? Promise.resolve(enrichLocally(block.bytes)) : enrichInThread(block.bytes);
        // Avoids an unhandled rejection: it is awaited later, possibly after it has failed.
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
