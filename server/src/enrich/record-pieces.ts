/** The part of an insertion that depends on the record alone, made when first asked for and kept, one behind the other, in one buffer. */
import { type Match, recordNumber } from '@whence/dataset/format';
import type { OutputBuffer } from './output-buffer.ts';

const FIRST_BYTES = 1 << 20;
/** All pieces of the embedded default take 20 MB, whole records 42. A larger dataset fills this and starts over. */
const MAX_BYTES = 64 << 20;

export class RecordPieces {
  readonly #text: (match: Match) => string;
  readonly #maxBytes: number;
  /** Where the piece of each record starts and ends; an end of 0 means that there is none yet. */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  // From 1, so that the end of an empty piece is not 0.
  #length = 1;

  constructor(records: number, text: (match: Match) => string, maxBytes = MAX_BYTES) {
    this.#text = text;
    this.#maxBytes = maxBytes;
    this.#starts = new Uint32Array(records + 1);
    this.#ends = new Uint32Array(records + 1);
  }

  append(match: Match, output: OutputBuffer): void {
    const record = recordNumber(match);
    if (this.#ends[record] === 0) this.#make(record, match);
    output.append(this.#bytes, this.#starts[record] as number, this.#ends[record] as number);
  }

  #make(record: number, match: Match): void {
    const text = this.#text(match);
    // UTF-8 takes at most three bytes per unit of a string.
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
  }
}
