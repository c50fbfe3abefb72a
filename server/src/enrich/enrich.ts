// The pipelines: in one thread chunk by chunk; blocks of a file that several threads read, enrich and write in order; or
// blocks of other input that one thread reads and writes. Backpressure from the output stops reading.
import type { Sink } from '../terminal/output.ts';
import { addCounts, type Counts } from './counts.ts';
import type { SharedSources } from './enrich-thread.ts';
import { EnrichThreads, runFileThreads } from './enrich-threads.ts';
import { FileBlocks, shareFile } from './file-blocks.ts';
import { type Input, InputError, type PlainFile } from './input.ts';
import type { EnrichSources } from './insertion.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type Enrichment, type EnrichPlan, enrichmentOf, recordEnds } from './plan.ts';
import { enrichBlock, recordBlocks } from './record-blocks.ts';
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
  { chunks, file }: Pick<Input, 'chunks' | 'file'>,
  options: ParallelOptions,
  sink: Sink,
  onBlock: () => void,
): Promise<void> {
  if (file !== undefined) return enrichFile(file, options, sink, onBlock);
  const { jobs, plan, sources, shared, counts } = options;
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
  const enrichInThread = async (block: Buffer): Promise<Uint8Array> => {
    threads ??= new EnrichThreads(jobs, { shared, plan, columns: first.columns() });
    const done = await threads.enrich(block);
    addCounts(counts, done.counts);
    return done.bytes;
  };
  try {
    const allocate = (bytes: number) => threads?.usedBlock() ?? Buffer.allocUnsafeSlow(bytes);
    for await (const block of recordBlocks(chunks, recordEnds(plan), {}, allocate)) {
      if (block.kind === 'too-long' || isUndetermined(first, plan)) {
        const output = new OutputBuffer();
        const records = new RecordStream(first.findEnd, first.write, counts, output);
        due.push(Promise.resolve(enrichBlock(block, records, output, counts)));
      } else {
        const enriched = enrichInThread(block.bytes);
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

/** CSV columns are determined from the first rows, so these are enriched in the main thread. */
const isUndetermined = ({ columns }: ReturnType<typeof enrichmentOf>, { format }: EnrichPlan) =>
  format === 'csv' && columns() === undefined;
const FIRST_ROWS_BYTES = 1 << 16;

async function enrichFile(
  { descriptor, name, start, setBytesRead }: PlainFile,
  { jobs, plan, sources, shared, counts }: ParallelOptions,
  sink: Sink,
  onBlock: () => void,
): Promise<void> {
  const file = shareFile(descriptor, start);
  const blocks = new FileBlocks(file, () => recordEnds(plan), { blockBytes: FIRST_ROWS_BYTES });
  const first = enrichmentOf(sources, plan, counts);
  let bytesRead = 0;
  const finish = async (read: number, rest: Uint8Array | undefined) => {
    bytesRead += read;
    setBytesRead(bytesRead);
    if (rest !== undefined) {
      if (rest.length > 0) await sink.write(rest);
      blocks.endTurn();
    }
    onBlock();
  };
  try {
    while (isUndetermined(first, plan)) {
      const block = blocks.take();
      if (block === undefined) return;
      const output = new OutputBuffer();
      const records = new RecordStream(first.findEnd, first.write, counts, output);
      await finish(block.bytes.length, enrichBlock(block, records, output, counts));
    }
    const parts = { file, target: sink.descriptor };
    await runFileThreads(jobs, { shared, plan, columns: first.columns(), parts }, async (done) => {
      addCounts(counts, done.counts);
      await finish(done.bytesRead, done.rest);
    });
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === 'read' ? new InputError(`cannot read ${name}: ${message}`) : error;
  }
}
