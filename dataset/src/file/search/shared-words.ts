// The distinct words that more than one network has in its name or handle, with the networks of each. The text is
// searched as a whole: it has 0.2 MB, because three words of four belong to one network only. Those are in
// name-grams.ts.
//
//   words.text   bytes     LF, then each word followed by LF, in ascending order
//   words.rows   bits      per word, from a whole byte on: number of networks - 2 and number of bytes as varints; the
//                          ascending list of row x 4, + 1 if the name begins with the word, + 2 if it is the whole name
//                          or handle
//   words.at     u32 x 2   per 8 words: offset of the first one in words.text and in words.rows
import { DatasetError } from '../../dataset-error.ts';
import { lowerBound } from '../../lower-bound.ts';
import { BitCursor, BitWriter, readAscending } from '../bit-lists.ts';
import { bytesOf, wordsOf } from '../format.ts';
import type { NetworkText } from './search-text.ts';

const WORDS_PER_ENTRY = 8;
const FLAGS = 4;
export const BEGINS_NAME = 1;
export const IS_WHOLE = 2;
export const rowOfUse = (use: number): number => use >>> 2;

/** `rowsOf`: the rows of the networks of each word, ascending. */
export function encodeSharedWords(rowsOf: ReadonlyMap<string, readonly number[]>, texts: readonly NetworkText[]) {
  const words = [...rowsOf.keys()].sort();
  const writer = new BitWriter();
  const entries: number[] = [];
  let textLength = 1;
  words.forEach((word, i) => {
    if (i % WORDS_PER_ENTRY === 0) entries.push(textLength, writer.position / 8);
    const uses = (rowsOf.get(word) ?? []).map((row) => useOf(word, row, texts[row] as NetworkText));
    writer.varint(uses.length - 2);
    writer.sizedAscending(uses, texts.length * FLAGS);
    textLength += word.length + 1;
  });
  return {
    'words.text': Buffer.from(`\n${words.map((word) => `${word}\n`).join('')}`, 'latin1'),
    'words.rows': writer.finish(),
    'words.at': bytesOf(Uint32Array.from(entries)),
  };
}

function useOf(word: string, row: number, { name, handle }: NetworkText): number {
  const flags = (name.startsWith(word) ? BEGINS_NAME : 0) | (name === word || handle === word ? IS_WHOLE : 0);
  return row * FLAGS + flags;
}

export class SharedWords {
  readonly #bytes: Buffer;
  readonly #rows: Uint8Array;
  readonly #entries: Uint32Array;
  readonly #networks: number;
  /** The bytes as a string, in which a search is faster. Made at the first search. */
  #text: string | undefined;

  constructor(text: Buffer, rows: Uint8Array, entries: Uint8Array, networks: number) {
    this.#bytes = text;
    this.#rows = rows;
    this.#entries = wordsOf(entries);
    this.#networks = networks;
  }

  /** `target` has room for all networks. LF before or after the part stands for the start or end of the word. */
  forEach(
    pattern: string,
    target: Uint32Array,
    visit: (count: number, beginsWord: boolean, isWord: boolean) => void,
  ): void {
    this.#text ??= this.#bytes.toString('latin1');
    const text = this.#text;
    const part = pattern.replaceAll('\n', '');
    const partAt = pattern.indexOf(part);
    const cursor = new BitCursor(this.#rows, 0);
    let entry = -1;
    let end = 0;
    for (let found = text.indexOf(pattern); found >= 0; found = text.indexOf(pattern, end)) {
      const at = found + partAt;
      const inEntry = this.#entryAt(at, Math.max(entry, 0));
      let start = end + 1;
      if (inEntry !== entry) {
        entry = inEntry;
        start = this.#entries[entry * 2] as number;
        cursor.position = (this.#entries[entry * 2 + 1] as number) * 8;
      }
      let count = cursor.varint() + 2;
      let bytes = cursor.varint();
      for (end = text.indexOf('\n', start); end < at; end = text.indexOf('\n', start)) {
        if (end < start) throw new DatasetError('damaged: the index of words does not fit its text');
        start = end + 1;
        cursor.position += bytes * 8;
        count = cursor.varint() + 2;
        bytes = cursor.varint();
      }
      readAscending(this.#rows, cursor.position, count, this.#networks * FLAGS, target);
      cursor.position += bytes * 8;
      visit(count, at === start, at === start && end - at === part.length);
    }
  }

  /** The entry that contains the offset in the text, at or after `first`. */
  #entryAt(offset: number, first: number): number {
    return lowerBound(first + 1, this.#entries.length / 2, (at) => (this.#entries[at * 2] as number) <= offset) - 1;
  }
}
