// Memory for batch answers, reused because the system maps and clears new memory of this size. One
// pool per process.

/**
 * Room for a thousand records of common size. A larger answer gets a larger buffer, which is not
 * kept.
 */
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
