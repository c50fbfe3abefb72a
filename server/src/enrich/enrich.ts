/** The whole way: pieces of the input, cut into lines, enriched into a buffer, written before the next piece is read. */
import type { Sink } from '../output/sink.ts';
import type { Counts } from './counts.ts';
import type { Input } from './input.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type RecordEnd, RecordStream, type RecordWriter } from './record-stream.ts';

export type Enrichment = { readonly findEnd: RecordEnd; readonly write: RecordWriter; readonly counts: Counts };

/** `onPiece` is called after every piece that was written. */
export async function enrich(
  { chunks }: Pick<Input, 'chunks'>,
  { findEnd, write, counts }: Enrichment,
  sink: Sink,
  onPiece: () => void,
): Promise<void> {
  const output = new OutputBuffer();
  const records = new RecordStream(findEnd, write, counts, output);
  for await (const chunk of chunks) {
    records.feed(chunk);
    if (output.length > 0) await sink.write(output.take());
    onPiece();
  }
  records.end();
  if (output.length > 0) await sink.write(output.take());
}
