// Cuts a byte stream into blocks of whole records, one per thread. Records above MAX_RECORD_BYTES pass as they come.
import { addCounts, type Counts } from './counts.ts';
import type { OutputBuffer } from './output-buffer.ts';
import { MAX_RECORD_BYTES, type RecordEndFinder, type RecordStream } from './record-stream.ts';

export const BLOCK_BYTES = 1 << 20;

/** `bytes` has its own ArrayBuffer, which can be transferred to a thread. */
export type RecordBlock =
  | { readonly kind: 'records'; readonly bytes: Buffer }
  | { readonly kind: 'too-long'; readonly bytes: Buffer; readonly isStart: boolean };

/** Where records end. For CSV both share their state, so that each byte is searched only once. */
export type RecordEnds = { readonly first: RecordEndFinder; readonly last: RecordEndFinder };

/** What is written for a block. `records` counts in `counts` and writes to `output`. */
export function enrichBlock(block: RecordBlock, records: RecordStream, output: OutputBuffer, counts: Counts): Buffer {
  if (block.kind === 'too-long') {
    if (block.isStart) addCounts(counts, { lines: 1, too_long: 1 });
    return block.bytes;
  }
  records.feed(block.bytes);
  records.end();
  return output.take();
}

export async function* recordBlocks(
  chunks: AsyncIterable<Buffer>,
  ends: RecordEnds,
  { blockBytes = BLOCK_BYTES, maxRecordBytes = MAX_RECORD_BYTES } = {},
): AsyncGenerator<RecordBlock> {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let length = 0;
  let recordsEnd = 0;
  let isTooLong = false;

  for await (const chunk of chunks) {
    let from = 0;
    if (isTooLong) {
      const end = ends.first(chunk, 0, chunk.length);
      from = end < 0 ? chunk.length : end;
      isTooLong = end < 0;
      yield { kind: 'too-long', bytes: Buffer.from(chunk.subarray(0, from)), isStart: false };
    }
    while (from < chunk.length) {
      const count = Math.min(chunk.length - from, block.length - length);
      chunk.copy(block, length, from, from + count);
      const lastEnd = ends.last(block, length, length + count);
      if (lastEnd >= 0) recordsEnd = lastEnd;
      from += count;
      length += count;
      if (length < block.length) continue;
      if (recordsEnd === 0 && length <= maxRecordBytes) {
        const larger = Buffer.allocUnsafeSlow(Math.min(2 * length, maxRecordBytes + 1));
        block.copy(larger, 0, 0, length);
        block = larger;
        continue;
      }
      if (recordsEnd === 0) {
        yield { kind: 'too-long', bytes: block, isStart: true };
        const end = ends.first(chunk, from, chunk.length);
        const stop = end < 0 ? chunk.length : end;
        if (stop > from) yield { kind: 'too-long', bytes: Buffer.from(chunk.subarray(from, stop)), isStart: false };
        from = stop;
        isTooLong = end < 0;
        block = Buffer.allocUnsafeSlow(blockBytes);
        length = 0;
        continue;
      }
      const restBytes = length - recordsEnd;
      const next = Buffer.allocUnsafeSlow(restBytes < blockBytes ? blockBytes : 2 * restBytes);
      block.copy(next, 0, recordsEnd, length);
      yield { kind: 'records', bytes: block.subarray(0, recordsEnd) };
      length -= recordsEnd;
      recordsEnd = 0;
      block = next;
    }
  }
  // The last record may have no line break.
  if (length > 0) yield { kind: 'records', bytes: block.subarray(0, length) };
}
