/**
 * Collects the output for one chunk of input. It grows to the largest output of a chunk and no further: the size of a
 * chunk is bounded, and so is what can be added per line.
 */
export const INITIAL_BYTES = 1 << 20;

export class OutputBuffer {
  /** Callers may write here directly after `reserve`, to avoid a call per byte. */
  bytes: Buffer;
  length = 0;

  /** `memory` is used again, where there is any: new memory costs a page fault for every 4 kB that is written. */
  constructor(memory?: ArrayBuffer) {
    this.bytes = memory === undefined ? Buffer.allocUnsafeSlow(INITIAL_BYTES) : Buffer.from(memory);
  }

  /** Makes room for `count` bytes after `length`. May replace `bytes`. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  append(source: Buffer, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const target = this.bytes;
    let at = this.length;
    if (count > MAX_LOOP_BYTES) source.copy(target, at, start, end);
    else for (let i = start; i < end; i++) target[at++] = source[i] as number;
    this.length += count;
  }

  appendByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** The bytes appended since the last call. The next append overwrites them. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Up to this size a loop is faster than a native copy. */
const MAX_LOOP_BYTES = 32;
