/** Caches the part of an insertion that depends only on the record, as bytes in one buffer. */
import { type Match, recordNumber } from '@whence/dataset/format';
import { type OutputBuffer, viewOf } from './output-buffer.ts';

const INITIAL_BYTES = 1 << 20;
/**
 * The embedded default needs 20 MB with the default fields, 42 MB with --full. When it is full, the cache is cleared.
 */
const MAX_BYTES = 64 << 20;

export class RecordCache {
  readonly #encode: (match: Match) => string;
  readonly #maxBytes: number;
  /** Start and end of each record's bytes; an end of 0 means not cached. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #view = viewOf(this.#bytes);
  // Starts at 1, so that the end of an empty text is not 0.
  #length = 1;

  constructor(records: number, encode: (match: Match) => string, maxBytes = MAX_BYTES) {
    this.#encode = encode;
    this.#maxBytes = maxBytes;
    this.#starts = new Uint32Array(records + 1);
    this.#ends = new Uint32Array(records + 1);
  }

  append(match: Match, output: OutputBuffer): void {
    const record = recordNumber(match);
    if (this.#ends[record] === 0) this.#add(record, match);
    output.appendView(this.#bytes, this.#view, this.#starts[record] as number, this.#ends[record] as number);
  }

  #add(record: number, match: Match): void {
    const text = this.#encode(match);
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    this.#reserve(text.length * 3);
    this.#starts[record] = this.#length;
    this.#length += this.#bytes.write(text, this.#length);
    this.#ends[record] = this.#length;
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
