// Search for networks by name, handle or number: a scan over all names. Three letters or more take
// 0.2 to 6 ms for 120,000 networks, so a server runs it in steps (`steps`); texts of one byte take
// more, and their result is kept as long as the dataset is used.
import type { Dataset } from '../file/read.ts';
import type { AsnRecord } from '../record.ts';
import {
  fold,
  isWordByte,
  makeSearchableNames,
  type NamesChunk,
  searchText,
} from './searchable-names.ts';

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
  /** Absent on the last page. */
  next_cursor?: string;
};

export type AsnSearchPage = { readonly limit: number; readonly after?: SearchCursor };

/**
 * The last result of a page. Rank and number are valid in other versions of the dataset too; a
 * network that a later one lacks continues with the first result of its rank.
 */
export type SearchCursor = { readonly rank: number; readonly asn: number };

/** How well a network matches, the best first. */
const NUMBER = 0;
const EXACT = 1;
const NAME_BEGINS = 2;
const WORD_BEGINS = 3;
const INSIDE = 4;
const NO_MATCH = 5;

const TAB = 0x09;
const LF = 0x0a;

/** Undefined if the text is no `next_cursor`. */
export function parseSearchCursor(text: string): SearchCursor | undefined {
  const [, rank, asn] = /^([0-4])-([0-9]{1,10})$/.exec(text) ?? [];
  return rank === undefined ? undefined : { rank: Number(rank), asn: Number(asn) };
}

/** The rank of each network by its position, and how many match. */
type Matches = { readonly ranks: Uint8Array; readonly total: number };

export class AsnSearch {
  readonly #dataset: Dataset;
  /** Rows by position: the largest network first. */
  readonly #rows: Uint32Array;
  /** Positions by row. */
  readonly #positions: Uint32Array;
  #names: readonly NamesChunk[] | undefined;
  readonly #kept = new Map<string, Matches>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
    this.#rows = rowsBySize(dataset);
    this.#positions = positionsOf(dataset, this.#rows);
  }

  search(query: string, page: AsnSearchPage): AsnSearchAnswer {
    const steps = this.steps(query, page);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    return step.value;
  }

  /** The same in steps of less than a millisecond. */
  *steps(query: string, { limit, after }: AsnSearchPage): Generator<void, AsnSearchAnswer, void> {
    const wanted = searchText(fold(query).trim());
    const { ranks, total } = yield* this.#match(wanted);
    const positions = this.#pageOf(ranks, after, limit + 1);
    const hasMore = positions.length > limit;
    const results = positions.slice(0, limit).map((position) => {
      const { address_count: _, ...result } = this.#networkAt(position);
      return result;
    });
    const answer = { query, limit, count: results.length, total, results };
    const last = positions[limit - 1];
    if (!hasMore || last === undefined) return answer;
    return { ...answer, next_cursor: `${ranks[last]}-${this.#networkAt(last).asn}` };
  }

  /** At most `limit` positions behind the cursor, in the order of the results. */
  #pageOf(ranks: Uint8Array, after: SearchCursor | undefined, limit: number): number[] {
    const positions: number[] = [];
    for (let rank = after?.rank ?? NUMBER; rank < NO_MATCH; rank++) {
      let at = after?.rank === rank ? this.#positionOf(after.asn) + 1 : 0;
      for (;;) {
        at = ranks.indexOf(rank, at);
        if (at < 0) break;
        if (positions.length === limit) return positions;
        positions.push(at);
        at++;
      }
    }
    return positions;
  }

  *#match(wanted: string): Generator<void, Matches, void> {
    const kept = this.#kept.get(wanted);
    if (kept !== undefined) return kept;
    const ranks = new Uint8Array(this.#rows.length).fill(NO_MATCH);
    if (wanted === '') return { ranks, total: 0 };
    if (this.#names === undefined) {
      // Two searches that start together both make it, and the second replaces an equal one.
      this.#names = yield* makeSearchableNames(this.#dataset.networks.text);
    }
    let total = 0;
    for (const names of this.#names) {
      total += this.#matchNames(names, wanted, ranks);
      yield;
    }
    const number = /^(?:as)?([0-9]{1,10})$/.exec(wanted)?.[1];
    const numbered = number === undefined ? -1 : this.#positionOf(Number(number));
    if (numbered >= 0) {
      if (ranks[numbered] === NO_MATCH) total++;
      ranks[numbered] = NUMBER;
    }
    const matches = { ranks, total };
    if (wanted.length === 1) this.#kept.set(wanted, matches);
    return matches;
  }

  /** Notes the best rank of every network with the text in its name or handle; returns how many. */
  #matchNames({ firstRow, text, starts }: NamesChunk, wanted: string, ranks: Uint8Array): number {
    let matches = 0;
    let index = 0;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      while ((starts[index + 1] as number) <= at) index++;
      const position = this.#positions[firstRow + index] as number;
      const best = ranks[position] as number;
      if (best === NO_MATCH) matches++;
      const rank = rankAt(text, at, at + wanted.length);
      if (rank < best) ranks[position] = rank;
    }
    return matches;
  }

  /** -1 if the dataset does not have the network. */
  #positionOf(asn: number): number {
    const row = this.#dataset.networks.rowOf(asn);
    return row < 0 ? -1 : (this.#positions[row] as number);
  }

  #networkAt(position: number): AsnRecord {
    return this.#dataset.networks.at(this.#rows[position] as number);
  }
}

/** In the order of the file, which overrides with networks of their own change. */
function rowsBySize({ networks }: Dataset): Uint32Array {
  const rows = Uint32Array.from({ length: networks.count }, (_, row) => row);
  const compare = (a: number, b: number) =>
    networks.ipv4AddressesAt(b) - networks.ipv4AddressesAt(a) || a - b;
  const isInOrder = rows.every((row) => row === 0 || compare(row - 1, row) < 0);
  return isInOrder ? rows : rows.sort(compare);
}

/** A row that gives a network another name has the position of the network. */
function positionsOf({ networks }: Dataset, rows: Uint32Array): Uint32Array {
  const positions = new Uint32Array(rows.length);
  for (const [position, row] of rows.entries()) positions[row] = position;
  for (const [alias, row] of networks.aliases()) positions[alias] = positions[row] as number;
  return positions;
}

/** The rank of one occurrence, by what is before and after it. */
function rankAt(text: string, start: number, end: number): number {
  const before = text.charCodeAt(start - 1);
  if (before !== LF && before !== TAB) return isWordByte(before) ? INSIDE : WORD_BEGINS;
  const after = text.charCodeAt(end);
  if (after === LF || after === TAB) return EXACT;
  return before === LF ? NAME_BEGINS : WORD_BEGINS;
}
