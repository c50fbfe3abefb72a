/**
 * The bytes that a piece of the input becomes, until they are written. Grows to the most that one piece has needed and no further: a piece is
 * bounded, and so is what can be added to each of its lines.
 */
const FIRST_BYTES = 1 << 20;

export class OutputBuffer {
  /** Everybody who adds writes here himself, after `reserve`: a call per byte would be dearer than the byte. */
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  /** Makes room for as many bytes behind `length`. What was `bytes` before may have been replaced. */
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
    if (count > SHORT) source.copy(target, at, start, end);
    else for (let i = start; i < end; i++) target[at++] = source[i] as number;
    this.length += count;
  }

  appendByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** What has been added since the last time. It lies where the next addition is written. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Up to here a loop beats the call of a native copy. */
const SHORT = 32;
