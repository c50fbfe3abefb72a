/**
 * Caches the part of an insertion that depends only on the record, or only on the place, as bytes in one buffer. `Subject`
 * is what it is made from.
 */
import { type OutputBuffer, viewOf } from './output-buffer.ts';

const INITIAL_BYTES = 1 << 20;
/**
 * The embedded default needs 20 MB with the default fields, 42 MB with --full. When it is full, the cache is cleared.
 */
const MAX_BYTES = 64 << 20;

export class TextCache<Subject> {
  readonly #encode: (subject: Subject) => string;
  readonly #maxBytes: number;
  /** Start and end of the bytes of each number; an end of 0 means not cached. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #view = viewOf(this.#bytes);
  // Starts at 1, so that the end of an empty text is not 0.
  #length = 1;

  /** Numbers go from 0 to `count`. */
  constructor(count: number, encode: (subject: Subject) => string, maxBytes = MAX_BYTES) {
    this.#encode = encode;
    this.#maxBytes = maxBytes;
    this.#starts = new Uint32Array(count + 1);
    this.#ends = new Uint32Array(count + 1);
  }

  append(number: number, subject: Subject, output: OutputBuffer): void {
    if (this.#ends[number] === 0) this.#add(number, subject);
    output.appendView(this.#bytes, this.#view, this.#starts[number] as number, this.#ends[number] as number);
  }

  #add(number: number, subject: Subject): void {
    const text = this.#encode(subject);
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    this.#reserve(text.length * 3);
    this.#starts[number] = this.#length;
    this.#length += this.#bytes.write(text, this.#length);
    this.#ends[number] = this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count > this.#maxBytes) {
      this.#ends.fill(0);
      this.#length = 1;
    }
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length + count, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}
