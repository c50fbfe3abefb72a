/** The pipeline: chunks of input, split into records, enriched into a buffer that is written before the next chunk. */
import type { Sink } from '../terminal/sink.ts';
import type { Counts } from './counts.ts';
import type { Input } from './input.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type RecordEndFinder, RecordStream, type RecordWriter } from './record-stream.ts';

export type Enrichment = { readonly findEnd: RecordEndFinder; readonly write: RecordWriter; readonly counts: Counts };

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
