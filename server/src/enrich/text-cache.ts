/**
 * Caches the part of an insertion that depends only on the record or place, as bytes in one buffer.
 */
import { type OutputBuffer, viewOf } from './output-buffer.ts';

const INITIAL_BYTES = 1 << 20;
/** The embedded default needs 20 MB, with --full 42 MB. A full cache is cleared. */
const MAX_BYTES = 64 << 20;

export class TextCache<Subject> {
  readonly #encode: (subject: Subject) => string;
  readonly #maxBytes: number;
  /** Start and end of the bytes of each number, side by side; an end of 0 means not cached. */
  readonly #spans: Uint32Array;
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #view = viewOf(this.#bytes);
  // Starts at 1, so that the end of an empty text is not 0.
  #length = 1;

  constructor(count: number, encode: (subject: Subject) => string, maxBytes = MAX_BYTES) {
    this.#encode = encode;
    this.#maxBytes = maxBytes;
    this.#spans = new Uint32Array(2 * (count + 1));
  }

  append(number: number, subject: Subject, output: OutputBuffer): void {
    const at = 2 * number;
    if (this.#spans[at + 1] === 0) this.#add(at, subject);
    output.appendView(
      this.#bytes,
      this.#view,
      this.#spans[at] as number,
      this.#spans[at + 1] as number,
    );
  }

  #add(at: number, subject: Subject): void {
    const text = this.#encode(subject);
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    this.#reserve(text.length * 3);
    this.#spans[at] = this.#length;
    this.#length += this.#bytes.write(text, this.#length);
    this.#spans[at + 1] = this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count > this.#maxBytes) {
      this.#spans.fill(0);
      this.#length = 1;
    }
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length + count, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}
