/**
 * Memory for the answers to batches, which both paths use again: the system maps and clears new memory of this size for
 * every answer. One pool per process, so that it is bounded whichever path a client is on.
 */

/** Room for a thousand records of common size. A larger answer gets a larger buffer, which is not kept. */
const BUFFER_BYTES = 1 << 19;
/** As many as are usually in flight at once. */
const KEPT_BUFFERS = 16;

const kept: ArrayBufferLike[] = [];

export function takeBatchBuffer(): Buffer {
  return Buffer.from(kept.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES).buffer);
}

/** `answer` was sent, and is not used any more. Memory that is not from here is left alone. */
export function releaseBatchBuffer({ buffer }: Buffer): void {
  if (buffer.byteLength === BUFFER_BYTES && kept.length < KEPT_BUFFERS) kept.push(buffer);
}
