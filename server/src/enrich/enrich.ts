// The two pipelines: in one thread chunk by chunk, or blocks of whole records that several threads enrich and write in
// order. They read a file themselves; other input is read for them. Backpressure from the output stops reading.
import type { Sink } from '../terminal/output.ts';
import { addCounts, type Counts } from './counts.ts';
import type { SharedSources } from './enrich-thread.ts';
import { runThreads } from './enrich-threads.ts';
import { FileBlocks, shareFile, type TakenBlock } from './file-blocks.ts';
import { type Input, InputError } from './input.ts';
import type { EnrichSources } from './insertion.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type Enrichment, type EnrichPlan, enrichmentOf, recordEnds } from './plan.ts';
import { enrichBlock, type RecordBlock, recordBlocks } from './record-blocks.ts';
import { RecordStream } from './record-stream.ts';

/** A log that is enriched, wherever the answers come from. `onChunk` is called after each chunk is written. */
export type EnrichWork = {
  readonly counts: Counts;
  run(input: Pick<Input, 'chunks' | 'file'>, sink: Sink, onChunk: () => void): Promise<void>;
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

/** CSV columns are determined from the first rows, which are enriched in the main thread. */
const FIRST_ROWS_BYTES = 1 << 16;

export type ParallelOptions = {
  readonly jobs: number;
  readonly plan: EnrichPlan;
  readonly sources: EnrichSources;
  readonly shared: SharedSources;
  readonly counts: Counts;
};

/** `onBlock` is called after each block is written. */
export async function enrichInParallel(
  { chunks, file }: Pick<Input, 'chunks' | 'file'>,
  { jobs, plan, sources, shared, counts }: ParallelOptions,
  sink: Sink,
  onBlock: () => void,
): Promise<void> {
  const sharedFile = shareFile(file?.descriptor, file?.start ?? 0);
  const blocks = new FileBlocks(sharedFile, () => recordEnds(plan), { blockBytes: FIRST_ROWS_BYTES });
  const passed = file === undefined ? withTickets(recordBlocks(chunks, recordEnds(plan)), blocks) : undefined;
  const first = enrichmentOf(sources, plan, counts);
  let bytesRead = 0;
  const finish = async (read: number, rest: Uint8Array | undefined) => {
    bytesRead += read;
    file?.setBytesRead(bytesRead);
    if (rest !== undefined) {
      if (rest.length > 0) await sink.write(rest);
      blocks.endTurn();
    }
    onBlock();
  };
  try {
    while (plan.format === 'csv' && first.columns() === undefined) {
      const block = passed === undefined ? blocks.take() : (await passed.next()).value;
      if (block === undefined) return;
      const output = new OutputBuffer();
      const records = new RecordStream(first.findEnd, first.write, counts, output);
      await finish(block.bytes.length, enrichBlock(block, records, output, counts));
    }
    const task = { shared, plan, columns: first.columns(), file: sharedFile, target: sink.descriptor };
    await runThreads(jobs, task, passed, async (done) => {
      addCounts(counts, done.counts);
      await finish(done.bytesRead, done.rest);
    });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw file !== undefined && syscall === 'read' ? new InputError(`cannot read ${file.name}: ${message}`) : error;
  }
}

async function* withTickets(
  blocks: AsyncIterable<RecordBlock>,
  tickets: FileBlocks,
): AsyncGenerator<TakenBlock, undefined> {
  for await (const block of blocks) yield { ...block, ticket: tickets.newTicket() };
}
