/**
 * Collects the output for one chunk of input. It grows to the largest output of a chunk and no further: the size of a
 * chunk is bounded, and so is what can be added per line.
 */
export const INITIAL_BYTES = 1 << 20;

export class OutputBuffer {
  /** Callers may write here directly after `reserve`, to avoid a call per byte. */
  bytes: Buffer;
  length = 0;
  #view: DataView;
  /** The last appended source, usually a chunk of input, and a view of it. */
  #source: Buffer | undefined;
  #sourceView: DataView = new DataView(new ArrayBuffer(0));

  /** `memory` is reused if given: new memory costs a page fault for every 4 kB that is written. */
  constructor(memory?: ArrayBuffer) {
    this.bytes = memory === undefined ? Buffer.allocUnsafeSlow(INITIAL_BYTES) : Buffer.from(memory);
    this.#view = viewOf(this.bytes);
  }

  /** Makes room for `count` bytes after `length`. May replace `bytes`. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
    this.#view = viewOf(larger);
  }

  append(source: Buffer, start: number, end: number): void {
    if (end - start <= MAX_LOOP_BYTES) {
      this.reserve(end - start);
      const target = this.bytes;
      let at = this.length;
      for (let i = start; i < end; i++) target[at++] = source[i] as number;
      this.length = at;
      return;
    }
    if (source !== this.#source) {
      this.#source = source;
      this.#sourceView = viewOf(source);
    }
    this.appendView(source, this.#sourceView, start, end);
  }

  /** `view` is a view of `source`, for callers that append from the same bytes repeatedly. */
  appendView(source: Buffer, view: DataView, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    if (count > MAX_WORD_BYTES) source.copy(this.bytes, this.length, start, end);
    else copyWords(view, start, end, this.#view, this.length);
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

/**
 * Measured on a Neoverse N1 in Node 20, per copy of 16, 32, 143 and 350 bytes: a loop over bytes takes 60, 110, 500 and
 * 1,200 ns, over words 21, 31, 120 and 240 ns; the native copy takes 180 ns, because it makes an object for its source.
 */
const MAX_LOOP_BYTES = 16;
const MAX_WORD_BYTES = 256;

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function copyWords(source: DataView, start: number, end: number, target: DataView, targetStart: number): void {
  let from = start;
  let to = targetStart;
  for (; from + 8 <= end; from += 8, to += 8) {
    target.setInt32(to, source.getInt32(from, true), true);
    target.setInt32(to + 4, source.getInt32(from + 4, true), true);
  }
  for (; from < end; from++, to++) target.setUint8(to, source.getUint8(from));
}
