// All addresses of a family in ascending order, each interval up to the next start. Value 0: nothing known.
import { compareWords, type ReadRows, WordList } from '../address-rows.ts';

export type Intervals = { readonly starts: Uint32Array; readonly values: Uint32Array };

/** What the value of an overlaid row becomes where a row with the value `below` is. 0: nothing is known there. */
type Resolve = (above: number, below: number) => number;

export function overlay(base: ReadRows, above: ReadRows, resolve: Resolve): Intervals {
  const writer = new IntervalWriter(base.width);
  const copy = new RowCopier(base, writer);
  const { width } = above;
  const from = new Uint32Array(width);
  for (let row = 0; row < above.length; row++) {
    const start = above.starts.subarray(row * width, (row + 1) * width);
    const end = above.ends.subarray(row * width, (row + 1) * width);
    if (compareWords(from, 0, start, 0, width) < 0) copy.range(from, before(start), (below) => below, false);
    const value = above.values[row] as number;
    copy.range(start, end, (below) => resolve(value, below), true);
    from.set(end);
    if (!increment(from)) return writer.finish();
  }
  copy.range(from, new Uint32Array(width).fill(0xffffffff), (below) => below, false);
  return writer.finish();
}

class RowCopier {
  readonly #rows: ReadRows;
  readonly #writer: IntervalWriter;
  /** The first row that may reach the next range. */
  #row = 0;

  constructor(rows: ReadRows, writer: IntervalWriter) {
    this.#rows = rows;
    this.#writer = writer;
  }

  /** `isFilled`: the value also holds where there are no rows, as that of a row with the value 0. */
  range(from: Uint32Array, to: Uint32Array, resolved: (below: number) => number, isFilled: boolean): void {
    const { width, starts, ends, values } = this.#rows;
    const position = Uint32Array.from(from);
    while (this.#row < values.length && compareWords(ends, this.#row * width, from, 0, width) < 0) this.#row++;
    for (;;) {
      const at = this.#row * width;
      if (this.#row === values.length || compareWords(starts, at, to, 0, width) > 0) break;
      if (compareWords(starts, at, position, 0, width) > 0) {
        if (isFilled) this.#writer.start(position, 0, resolved(0));
        else this.#writer.start(position, 0, 0);
        position.set(starts.subarray(at, at + width));
      }
      this.#writer.start(position, 0, resolved(values[this.#row] as number));
      if (compareWords(ends, at, to, 0, width) >= 0) return;
      position.set(ends.subarray(at, at + width));
      increment(position);
      this.#row++;
    }
    if (compareWords(position, 0, to, 0, width) <= 0) this.#writer.start(position, 0, isFilled ? resolved(0) : 0);
  }
}

class IntervalWriter {
  readonly #width: number;
  readonly #starts = new WordList();
  readonly #values = new WordList();
  #last = -1;

  constructor(width: number) {
    this.#width = width;
  }

  /** From this address on the value holds. An equal neighbour is continued. */
  start(words: Uint32Array, at: number, value: number): void {
    if (value === this.#last) return;
    this.#last = value;
    for (let i = 0; i < this.#width; i++) this.#starts.push(words[at + i] as number);
    this.#values.push(value);
  }

  finish(): Intervals {
    return { starts: this.#starts.words, values: this.#values.words };
  }
}

/** False at the last address. */
function increment(words: Uint32Array): boolean {
  for (let i = words.length - 1; i >= 0; i--) {
    words[i] = (words[i] as number) + 1;
    if (words[i] !== 0) return true;
  }
  return false;
}

/** The address before, which there is. */
function before(words: Uint32Array): Uint32Array {
  const result = Uint32Array.from(words);
  for (let i = result.length - 1; i >= 0; i--) {
    const word = result[i] as number;
    result[i] = word - 1;
    if (word !== 0) break;
  }
  return result;
}
