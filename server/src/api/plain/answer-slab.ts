/**
 * Memory for answers. They are written one behind the other into a slab, and a view of it is sent; a new slab is taken
 * when one is full, and an old one is freed when all its answers have been sent. No answer is written over.
 */
const SLAB_BYTES = 64 * 1024;

export class AnswerSlab {
  buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  #used = 0;

  /** The offset from which so many bytes of `buffer` are free. */
  reserve(bytes: number): number {
    if (this.#used + bytes > this.buffer.length) {
      this.buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes));
      this.#used = 0;
    }
    return this.#used;
  }

  /** The bytes between `start` and `end` as an answer. */
  take(start: number, end: number): Buffer {
    this.#used = end;
    return this.buffer.subarray(start, end);
  }
}
