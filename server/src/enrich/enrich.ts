/**
 * The pipeline of `wh enrich`: chunk by chunk, so that backpressure from the output stops reading.
 */
import type { Sink } from '../terminal/output.ts';
import type { Input } from './input.ts';
import { OutputBuffer } from './output-buffer.ts';
import type { Enrichment } from './plan.ts';
import { RecordStream } from './record-stream.ts';

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
