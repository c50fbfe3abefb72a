// Search for networks by name, handle or number. Rows are ordered by size, so a rank's results are in row order.
import { WantedText } from '../file/networks/network-texts.ts';
import type { Dataset } from '../file/read.ts';
import { RowSet } from '../file/search/row-set.ts';
import { fold, NO_MATCH, type Rank, searchText, splitWords } from '../file/search/search-text.ts';
import { BEGINS_NAME, IS_WHOLE, rowOfUse } from '../file/search/shared-words.ts';
import { getOrInsert } from '../get-or-insert.ts';
import type { AsnRecord } from '../record.ts';

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
};

/** Up to this many rows are compared with the text directly; more are first reduced by a word of the text. */
const FEW_ROWS = 2_000;
/** Texts of up to this many bytes may have prepared results. */
const SHORT_BYTES = 3;
/** Results that are kept: people look for the same names. Each has the numbers of up to 100 rows. */
const MAX_KEPT = 256;
/** The shortest text that can be looked up in the grams. */
const GRAM_BYTES = 3;

type Found = { readonly rows: readonly number[]; readonly total: number };
const NOTHING: Found = { rows: [], total: 0 };

export class AsnSearch {
  readonly #dataset: Dataset;
  readonly #ranked: readonly [exact: RowSet, nameBegins: RowSet, wordBegins: RowSet, inside: RowSet];
  readonly #candidates: RowSet;
  readonly #withWord: RowSet;
  readonly #list: Uint32Array;
  readonly #kept = new Map<string, Found>();

  constructor(dataset: Dataset) {
    const newSet = () => new RowSet(dataset.networks.count);
    this.#dataset = dataset;
    this.#ranked = [newSet(), newSet(), newSet(), newSet()];
    this.#candidates = newSet();
    this.#withWord = newSet();
    this.#list = new Uint32Array(dataset.networks.count);
  }

  search(query: string, limit: number): AsnSearchAnswer {
    const wanted = searchText(fold(query).trim());
    const numberText = /^(?:as)?([0-9]{1,10})$/.exec(wanted)?.[1];
    const numbered = numberText === undefined ? -1 : this.#dataset.networks.rowOf(Number(numberText));
    const { rows, total } = wanted === '' ? NOTHING : this.#findOrKept(wanted, limit);
    const best = numbered < 0 ? rows : [numbered, ...rows.filter((row) => row !== numbered)].slice(0, limit);
    const results = best.map((row) => {
      const { address_count: _, ...result } = this.#dataset.networks.at(row);
      return result;
    });
    // A network that is found by its number may also have the number in its name; it is one result.
    const isFurther =
      numbered >= 0 &&
      !rows.includes(numbered) &&
      this.#dataset.networkTexts.rank(numbered, new WantedText(wanted)) === NO_MATCH;
    return { query, limit, count: results.length, total: total + (isFurther ? 1 : 0), results };
  }

  #findOrKept(wanted: string, limit: number): Found {
    return getOrInsert(this.#kept, `${limit} ${wanted}`, () => {
      if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
      return this.#withAppended(wanted, limit, this.#find(wanted, limit));
    });
  }

  /** With the networks of overrides, which the index lacks. One may rename a network of the file. */
  #withAppended(text: string, limit: number, found: Found): Found {
    const { networks, networkTexts, indexedNetworks } = this.#dataset;
    if (indexedNetworks === networks.count) return found;
    const wanted = new WantedText(text);
    const ranks = new Map<number, Rank>();
    const add = (row: number, rank: Rank) => {
      if (rank < (ranks.get(row) ?? NO_MATCH)) ranks.set(row, rank);
    };
    for (let row = indexedNetworks; row < networks.count; row++)
      add(networks.rowOf(networks.numberAt(row)), networkTexts.rank(row, wanted));
    const isOfIndex = (row: number) => row < indexedNetworks && networkTexts.rank(row, wanted) !== NO_MATCH;
    const total = found.total + [...ranks.keys()].filter((row) => !isOfIndex(row)).length;
    for (const row of found.rows) add(row, networkTexts.rank(row, wanted));
    const sized = [...ranks].map(([row, rank]) => ({ row, rank, size: networks.at(row).address_count.ipv4 }));
    sized.sort((a, b) => a.rank - b.rank || b.size - a.size || a.row - b.row);
    return { rows: sized.slice(0, limit).map(({ row }) => row), total };
  }

  /** The best `limit` rows, and the number of all that match. */
  #find(wanted: string, limit: number): Found {
    if (wanted.length <= SHORT_BYTES) {
      const prepared = this.#dataset.nameIndex.shortTexts.find(wanted);
      if (prepared !== undefined && prepared.rows.length >= Math.min(limit, prepared.total))
        return { rows: prepared.rows.slice(0, limit), total: prepared.total };
    }
    for (const rows of this.#ranked) rows.clear();
    if (wanted.length < GRAM_BYTES) this.#rankAll(wanted);
    else if (isOneWord(wanted)) this.#rankByWord(wanted);
    else this.#rankBySeparator(wanted);
    return RowSet.first(this.#ranked, limit);
  }

  /** Reads all names: for more results of a short text than are prepared, which the API does not ask for. */
  #rankAll(text: string): void {
    const wanted = new WantedText(text);
    for (let row = 0; row < this.#dataset.indexedNetworks; row++) this.#rank(row, wanted);
  }

  /** A text without characters between words is part of a word. */
  #rankByWord(text: string): void {
    const { words, grams } = this.#dataset.nameIndex;
    const list = this.#list;
    const [exact, nameBegins, wordBegins, inside] = this.#ranked;
    words.forEach(text, list, (count, beginsWord, isWord) => {
      for (let i = 0; i < count; i++) {
        const use = list[i] as number;
        const row = rowOfUse(use);
        if (!beginsWord) inside.add(row);
        else if (isWord && (use & IS_WHOLE) !== 0) exact.add(row);
        else if ((use & BEGINS_NAME) !== 0) nameBegins.add(row);
        else wordBegins.add(row);
      }
    });
    this.#candidates.clear();
    grams.addRows(grams.withPart(text), list, this.#candidates);
    this.#rankCandidates(text);
  }

  /** Candidates are the networks with one of the separators and, if these are many, with the longest word. */
  #rankBySeparator(text: string): void {
    const { words, grams } = this.#dataset.nameIndex;
    const list = this.#list;
    const rows = grams.withSeparators(text);
    this.#candidates.clear();
    grams.addRows(rows, list, this.#candidates);
    const { word, pattern } = longestWord(text);
    if (rows.count > FEW_ROWS && word.length >= GRAM_BYTES) {
      const withWord = this.#withWord;
      withWord.clear();
      words.forEach(pattern, list, (count) => {
        for (let i = 0; i < count; i++) withWord.add(rowOfUse(list[i] as number));
      });
      grams.addRows(grams.withPart(word), list, withWord);
      this.#candidates.intersect(withWord);
    }
    this.#rankCandidates(text);
  }

  #rankCandidates(text: string): void {
    const wanted = new WantedText(text);
    this.#candidates.forEach((row) => {
      this.#rank(row, wanted);
    });
  }

  #rank(row: number, wanted: WantedText): void {
    const rank = this.#dataset.networkTexts.rank(row, wanted);
    if (rank !== NO_MATCH) this.#ranked[rank].add(row);
  }
}

const isOneWord = (text: string): boolean => splitWords(text)[0] === text;

/** The longest word in a text; and the same with LF where the text shows that a word begins or ends. */
function longestWord(text: string): { word: string; pattern: string } {
  const parts = text.split(/[^0-9a-z\x80-\xff]+/);
  const word = parts.reduce((longest, part) => (part.length > longest.length ? part : longest));
  const at = parts.indexOf(word);
  return { word, pattern: `${at > 0 ? '\n' : ''}${word}${at < parts.length - 1 ? '\n' : ''}` };
}
