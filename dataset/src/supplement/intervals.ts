// All addresses of a family in ascending order, each interval up to the next start. Value 0: nothing known.
import { compareWords, type ReadRows, WordList } from '../address-rows.ts';

export type Intervals = { readonly starts: Uint32Array; readonly values: Uint32Array };

/** What the value of an overlaid row becomes where a row with the value `below` is. 0: nothing is known there. */
type Resolve = (above: number, below: number) => number;

export function overlay(base: ReadRows, above: ReadRows, resolve: Resolve): Intervals {
  // Read once: each read of a list makes a view.
  const { width, length, starts: firsts, ends, values: below } = base;
  const over = { starts: above.starts, ends: above.ends, values: above.values };
  const starts = new WordList();
  const values = new WordList();
  let last = -1;
  /** From this address on the value holds. An equal neighbour is continued. */
  const put = (words: Uint32Array, value: number) => {
    if (value === last) return;
    last = value;
    for (let i = 0; i < width; i++) starts.push(words[i] as number);
    values.push(value);
  };
  /** The first row below that may reach the next range. */
  let row = 0;
  /** A gap below has the value 0. */
  const copy = (from: Uint32Array, to: Uint32Array, resolved: (value: number) => number) => {
    const position = Uint32Array.from(from);
    while (row < length && compareWords(ends, row * width, from, 0, width) < 0) row++;
    for (; row < length && compareWords(firsts, row * width, to, 0, width) <= 0; row++) {
      const at = row * width;
      if (compareWords(firsts, at, position, 0, width) > 0) {
        put(position, resolved(0));
        position.set(firsts.subarray(at, at + width));
      }
      put(position, resolved(below[row] as number));
      if (compareWords(ends, at, to, 0, width) >= 0) return;
      position.set(ends.subarray(at, at + width));
      increment(position);
    }
    if (compareWords(position, 0, to, 0, width) <= 0) put(position, resolved(0));
  };
  const from = new Uint32Array(width);
  let isMore = true;
  for (let at = 0; at < above.length && isMore; at++) {
    const start = over.starts.subarray(at * width, (at + 1) * width);
    const end = over.ends.subarray(at * width, (at + 1) * width);
    if (compareWords(from, 0, start, 0, width) < 0) copy(from, before(start), (value) => value);
    const value = over.values[at] as number;
    copy(start, end, (under) => resolve(value, under));
    from.set(end);
    isMore = increment(from);
  }
  if (isMore) copy(from, new Uint32Array(width).fill(0xffffffff), (value) => value);
  return { starts: starts.words, values: values.words };
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
