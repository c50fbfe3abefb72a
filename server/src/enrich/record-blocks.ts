/**
 * Cuts a byte stream into blocks of whole records, for threads that work on one block each. A record that does not fit
 * into a block is above MAX_RECORD_BYTES: its bytes are passed on as they come, so memory is bounded.
 */
import type { RecordEndFinder } from './record-stream.ts';

/** Must be above MAX_RECORD_BYTES. */
export const BLOCK_BYTES = 1 << 20;

/** `bytes` has an ArrayBuffer of its own, which can be given to a thread. */
export type RecordBlock =
  | { readonly kind: 'records'; readonly bytes: Buffer }
  /** Of a record that is too long. */
  | { readonly kind: 'too-long'; readonly bytes: Buffer; readonly isStart: boolean };

export async function* recordBlocks(
  chunks: AsyncIterable<Buffer>,
  findEnd: RecordEndFinder,
  blockBytes = BLOCK_BYTES,
): AsyncGenerator<RecordBlock> {
  let block = Buffer.allocUnsafeSlow(blockBytes);
  let length = 0;
  /** The end of the last complete record in the block. */
  let recordsEnd = 0;
  let isTooLong = false;

  for await (const chunk of chunks) {
    let from = 0;
    if (isTooLong) {
      const end = findEnd(chunk, 0, chunk.length);
      from = end < 0 ? chunk.length : end;
      isTooLong = end < 0;
      yield { kind: 'too-long', bytes: Buffer.from(chunk.subarray(0, from)), isStart: false };
    }
    while (from < chunk.length) {
      const count = Math.min(chunk.length - from, block.length - length);
      chunk.copy(block, length, from, from + count);
      for (let scanned = length; ; scanned = recordsEnd) {
        const end = findEnd(block, scanned, length + count);
        if (end < 0) break;
        recordsEnd = end;
      }
      from += count;
      length += count;
      if (length < block.length) continue;
      if (recordsEnd === 0) {
        yield { kind: 'too-long', bytes: block, isStart: true };
        const end = findEnd(chunk, from, chunk.length);
        const stop = end < 0 ? chunk.length : end;
        if (stop > from) yield { kind: 'too-long', bytes: Buffer.from(chunk.subarray(from, stop)), isStart: false };
        from = stop;
        isTooLong = end < 0;
        block = Buffer.allocUnsafeSlow(blockBytes);
        length = 0;
        continue;
      }
      const next = Buffer.allocUnsafeSlow(blockBytes);
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
