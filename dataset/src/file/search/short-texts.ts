// Prepared results for short texts: all of one or two bytes, and those of three bytes that many networks have. A search
// for them would visit a large part of all names.
//
//   texts        varints   per text: number of networks that have it; the rows of the best LISTED_ROWS of them, the
//                          best first, as differences x 2, - 1 if negative
//   texts.at     u32 x 2   per text, ascending: its bytes as a number, and the offset of its result
import { DatasetError } from '../../dataset-error.ts';
import { lowerBound } from '../../lower-bound.ts';
import { BitCursor, BitWriter } from '../bit-lists.ts';
import { bytesOf, wordsOf } from '../format.ts';
import {
  EXACT,
  INSIDE,
  NAME_BEGINS,
  type NetworkText,
  NO_MATCH,
  type Rank,
  rankAt,
  WORD_BEGINS,
} from './search-text.ts';

/** Texts up to this length have a result if any network has them. */
const ALWAYS_BYTES = 2;
/** The other indexes find a text of three bytes that fewer networks have in less than a millisecond. */
const MANY_NETWORKS = 1_000;
/** The maximum of `limit` in the API. */
const LISTED_ROWS = 100;

const SPACE = 0x20;
const RANKS = 4;
/** Counted in arrays, so keys are small: 8 bits per byte up to two bytes, 7 for three, which must be ASCII. */
const FIRST_LONG_KEY = 1 << 16;
const KEYS = FIRST_LONG_KEY + (1 << 21);
/** The key of all texts that are not counted. */
const NO_KEY = 0;
const longKey = (a: number, b: number, c: number) =>
  (a | b | c) < 0x80 && a !== SPACE && c !== SPACE ? FIRST_LONG_KEY + ((a << 14) | (b << 7) | c) : NO_KEY;

export function encodeShortTexts(networks: readonly NetworkText[]) {
  const results = new Results(countLongTexts(networks));
  networks.forEach((texts, row) => {
    results.addNetwork(row, texts);
  });
  const writer = new BitWriter();
  const entries: number[] = [];
  for (const { text, total, rows } of results) {
    entries.push(text, writer.position / 8);
    writer.varint(total);
    let previous = 0;
    for (const row of rows) {
      writer.varint(row < previous ? (previous - row) * 2 - 1 : (row - previous) * 2);
      previous = row;
    }
  }
  return { texts: writer.finish(), 'texts.at': bytesOf(Uint32Array.from(entries)) };
}

/** By key: the number of networks with a text of three bytes. */
function countLongTexts(networks: readonly NetworkText[]): Uint32Array {
  const counts = new Uint32Array(KEYS);
  const lastRows = new Int32Array(KEYS).fill(-1);
  networks.forEach(({ name, handle }, row) => {
    for (const text of [name, handle]) {
      for (let i = 0; i + 2 < text.length; i++) {
        const key = longKey(text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2));
        if (lastRows[key] === row) continue;
        lastRows[key] = row;
        counts[key] = (counts[key] as number) + 1;
      }
    }
  });
  counts[NO_KEY] = 0;
  return counts;
}

class Results {
  readonly #longTexts: Uint32Array;
  readonly #totals = new Uint32Array(KEYS);
  /** By key x RANKS + rank: the best rows, and how many there are, which is faster than to look it up in the map. */
  readonly #rows = new Map<number, number[]>();
  readonly #rowCounts = new Uint8Array(KEYS * RANKS);
  /** The best rank per text in the current network, and the texts that have one. */
  readonly #ranks = new Uint8Array(KEYS).fill(NO_MATCH);
  readonly #found: number[] = [];

  constructor(longTexts: Uint32Array) {
    this.#longTexts = longTexts;
  }

  /** Rows come in ascending order. */
  addNetwork(row: number, { name, handle }: NetworkText): void {
    this.#rankTexts(name, true);
    this.#rankTexts(handle, false);
    for (const key of this.#found) {
      this.#addRow(key * RANKS + (this.#ranks[key] as Rank), row);
      this.#totals[key] = (this.#totals[key] as number) + 1;
      this.#ranks[key] = NO_MATCH;
    }
    this.#found.length = 0;
  }

  *[Symbol.iterator](): Generator<{ text: number; total: number; rows: number[] }> {
    for (let key = 0; key < KEYS; key++) {
      const total = this.#totals[key] as number;
      if (total === 0) continue;
      const rows = [EXACT, NAME_BEGINS, WORD_BEGINS, INSIDE].flatMap(
        (rank) => this.#rows.get(key * RANKS + rank) ?? [],
      );
      yield { text: textOf(key), total, rows: rows.slice(0, LISTED_ROWS) };
    }
  }

  #rankTexts(text: string, isName: boolean): void {
    for (let at = 0; at < text.length; at++) {
      const a = text.charCodeAt(at);
      // A query neither begins nor ends with a space.
      if (a <= SPACE) continue;
      const b = text.charCodeAt(at + 1);
      const before = text.charCodeAt(at - 1);
      this.#rank(a, rankAt(isName, at === 0, at + 1 === text.length, before));
      if (b > SPACE) this.#rank((a << 8) | b, rankAt(isName, at === 0, at + 2 === text.length, before));
      const key = longKey(a, b, text.charCodeAt(at + 2));
      if ((this.#longTexts[key] as number) >= MANY_NETWORKS)
        this.#rank(key, rankAt(isName, at === 0, at + 3 === text.length, before));
    }
  }

  #rank(key: number, rank: Rank): void {
    const best = this.#ranks[key] as Rank;
    if (rank >= best) return;
    if (best === NO_MATCH) this.#found.push(key);
    this.#ranks[key] = rank;
  }

  #addRow(ranked: number, row: number): void {
    const count = this.#rowCounts[ranked] as number;
    if (count === LISTED_ROWS) return;
    this.#rowCounts[ranked] = count + 1;
    if (count === 0) this.#rows.set(ranked, [row]);
    else this.#rows.get(ranked)?.push(row);
  }
}

function textOf(key: number): number {
  if (key < FIRST_LONG_KEY) return key;
  const packed = key - FIRST_LONG_KEY;
  return ((packed >>> 14) << 16) | (((packed >>> 7) & 0x7f) << 8) | (packed & 0x7f);
}

export class ShortTexts {
  readonly #bytes: Uint8Array;
  readonly #entries: Uint32Array;
  readonly #networks: number;

  constructor(bytes: Uint8Array, entries: Uint8Array, networks: number) {
    this.#networks = networks;
    this.#bytes = bytes;
    this.#entries = wordsOf(entries);
  }

  /** The best LISTED_ROWS networks with the text; undefined if it has no prepared result. */
  find(text: string): { total: number; rows: number[] } | undefined {
    const wanted = Buffer.from(text, 'latin1').readUIntBE(0, text.length);
    const entries = this.#entries;
    const entry = lowerBound(0, entries.length / 2, (at) => (entries[at * 2] as number) < wanted);
    if (entries[entry * 2] !== wanted) return text.length <= ALWAYS_BYTES ? { total: 0, rows: [] } : undefined;
    const cursor = new BitCursor(this.#bytes, (entries[entry * 2 + 1] as number) * 8);
    const total = cursor.varint();
    const rows: number[] = [];
    let row = 0;
    while (rows.length < Math.min(total, LISTED_ROWS)) {
      const difference = cursor.varint();
      row += (difference & 1) === 1 ? -((difference + 1) >> 1) : difference >> 1;
      if (row < 0 || row >= this.#networks) throw new DatasetError('damaged: a result for a short text has no network');
      rows.push(row);
    }
    return { total, rows };
  }
}
