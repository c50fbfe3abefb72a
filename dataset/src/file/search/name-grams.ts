// Parts of names and handles, three bytes each, with the networks that have them:
//
//   of a word that only one network has                     every three bytes in a row
//   of every character between words ("separator")          the byte before it, the separator, the byte after it; LF at
//                                                           the start and the end of a name or handle
//
//   grams        bits      per gram, from a whole byte on: its third byte; number of networks - 1 and number of bytes
//                          as varints; the ascending list of rows
//   grams.at     u32 x 2   per distinct first two bytes, ascending: these, and the offset of their first gram; one more
//                          at the end
import { DatasetError } from '../../dataset-error.ts';
import { lowerBound } from '../../lower-bound.ts';
import { BitCursor, BitWriter, readAscending } from '../bit-lists.ts';
import { bytesOf, wordsOf } from '../format.ts';
import type { RowSet } from './row-set.ts';
import { isWordByte } from './search-text.ts';

/** A gram in one number, the first byte highest. */
type Gram = number;

const gramAt = (text: string, at: number): Gram =>
  (text.charCodeAt(at) << 16) | (text.charCodeAt(at + 1) << 8) | text.charCodeAt(at + 2);

export class NameGramsWriter {
  readonly #rows = new Map<Gram, number[]>();

  /** A word that only this network has. Rows come in ascending order. */
  addWord(word: string, row: number): void {
    for (let at = 0; at + 3 <= word.length; at++) this.#add(gramAt(word, at), row);
  }

  /** The separators in a name or handle. Rows come in ascending order. */
  addSeparators(text: string, row: number): void {
    const framed = `\n${text}\n`;
    for (let at = 1; at <= text.length; at++) {
      if (!isWordByte(framed.charCodeAt(at))) this.#add(gramAt(framed, at - 1), row);
    }
  }

  encode(networks: number) {
    const writer = new BitWriter();
    const entries: number[] = [];
    for (const gram of [...this.#rows.keys()].sort((a, b) => a - b)) {
      if (entries.at(-2) !== gram >>> 8) entries.push(gram >>> 8, writer.position / 8);
      const rows = this.#rows.get(gram) ?? [];
      writer.bits(gram & 0xff, 8);
      writer.varint(rows.length - 1);
      writer.sizedAscending(rows, networks);
    }
    entries.push(0xffffffff, writer.position / 8);
    return { grams: writer.finish(), 'grams.at': bytesOf(Uint32Array.from(entries)) };
  }

  #add(gram: Gram, row: number): void {
    const rows = this.#rows.get(gram);
    if (rows === undefined) this.#rows.set(gram, [row]);
    else if (rows.at(-1) !== row) rows.push(row);
  }
}

/** The networks of one or more grams: how often they are listed, and where the lists are. */
type GramRows = { readonly count: number; readonly lists: readonly GramList[] };
type GramList = { readonly count: number; readonly position: number };

export class NameGrams {
  readonly #bits: Uint8Array;
  readonly #entries: Uint32Array;
  readonly #networks: number;

  constructor(bits: Uint8Array, entries: Uint8Array, networks: number) {
    this.#bits = bits;
    this.#entries = wordsOf(entries);
    this.#networks = networks;
  }

  /** Networks that alone have some word, and may have one with this part of three or more bytes. */
  withPart(part: string): GramRows {
    let rarest = this.#find(gramAt(part, 0));
    for (let at = 1; at + 3 <= part.length; at++) {
      const rows = this.#find(gramAt(part, at));
      if (rows.count < rarest.count) rarest = rows;
    }
    return rarest;
  }

  /** The networks that may have this text, by one of its separators; it must have one. */
  withSeparators(text: string): GramRows {
    return Array.from(text, (_, at) => at)
      .filter((at) => !isWordByte(text.charCodeAt(at)))
      .map((at) => this.#around(text, at))
      .reduce((rarest, rows) => (rows.count < rarest.count ? rows : rarest));
  }

  /** Each list is decoded into `list` first, which has room for all networks. */
  addRows({ lists }: GramRows, list: Uint32Array, target: RowSet): void {
    for (const { count, position } of lists) {
      readAscending(this.#bits, position, count, this.#networks, list);
      for (let i = 0; i < count; i++) target.add(list[i] as number);
    }
  }

  /** The grams with the separator and the bytes next to it; any byte stands where the text ends. */
  #around(text: string, at: number): GramRows {
    if (at + 1 === text.length) return this.#findAll((text.charCodeAt(at - 1) << 8) | text.charCodeAt(at));
    if (at > 0) return this.#find(gramAt(text, at - 1));
    const before = Array.from({ length: 256 }, (_, byte) => this.#find((byte << 16) | (gramAt(`${text}\n`, 0) >>> 8)));
    return total(before.flatMap(({ lists }) => lists));
  }

  #find(gram: Gram): GramRows {
    return this.#findAll(gram >>> 8, gram & 0xff);
  }

  /** The grams that begin with two bytes, or the one with this third byte. */
  #findAll(pair: number, third?: number): GramRows {
    const entries = this.#entries;
    const entry = lowerBound(0, entries.length / 2 - 1, (at) => (entries[at * 2] as number) < pair);
    const lists: GramList[] = [];
    if (entries[entry * 2] !== pair) return total(lists);
    const end = (entries[entry * 2 + 3] as number) * 8;
    if (!(end <= this.#bits.length * 8)) throw new DatasetError('damaged: the index of names does not fit its lists');
    const cursor = new BitCursor(this.#bits, (entries[entry * 2 + 1] as number) * 8);
    while (cursor.position < end) {
      const byte = cursor.byte();
      const count = cursor.varint() + 1;
      const bytes = cursor.varint();
      if (third === undefined || third === byte) lists.push({ count, position: cursor.position });
      if (third === byte) break;
      cursor.position += bytes * 8;
    }
    return total(lists);
  }
}

const total = (lists: readonly GramList[]): GramRows => ({
  count: lists.reduce((sum, { count }) => sum + count, 0),
  lists,
});
