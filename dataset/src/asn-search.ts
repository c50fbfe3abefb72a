/**
 * Networks by name, handle or number. Rows are ordered by size, the largest first, so within a rank what is met first is
 * what is answered first. Texts of three characters and more go through the index of words; shorter ones are in nearly every
 * name and are searched in the names themselves, where the search can stop early.
 */
import type { Dataset } from './read.ts';
import type { AsnRecord } from './record.ts';
import { fold, splitWords } from './word-index.ts';

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
};

/** Ranks, the best lowest. */
const EXACT = 0;
const NAME_BEGINS = 1;
const WORD_BEGINS = 2;
const INSIDE = 3;
const NONE = 4;

const TAB = 0x09;
const LF = 0x0a;

export class AsnSearch {
  readonly #dataset: Dataset;
  /** LF, then per network: name TAB handle LF, folded. */
  readonly #text: string;
  /** Where each line begins, and the end. */
  readonly #starts: Uint32Array;
  readonly #ranks: Uint8Array;
  /** For a text of one or two characters, once somebody has asked: how many networks hold it, and which are named just so. */
  readonly #shortTexts = new Map<string, { total: number; exact: number[] }>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
    this.#starts = new Uint32Array(dataset.asnCount + 1);
    for (let row = 0; row <= dataset.asnCount; row++) this.#starts[row] = dataset.asnTextStart(row) + 1;
    this.#text = `\n${foldLines(dataset.asnText()).toLowerCase()}`;
    this.#ranks = new Uint8Array(dataset.asnCount);
  }

  search(query: string, limit: number): AsnSearchAnswer {
    const wanted = fold(query).trim();
    const numberText = /^(?:as)?([0-9]{1,10})$/.exec(wanted)?.[1];
    const numbered = numberText === undefined ? undefined : this.#dataset.asn(Number(numberText));
    const { rows, total } = wanted === '' ? { rows: [], total: 0 } : this.#find(wanted, limit);
    const named = rows.map((row) => this.#dataset.asnAt(row)).filter(({ asn }) => asn !== numbered?.asn);
    const records = numbered === undefined ? named : [numbered, ...named].slice(0, limit);
    const results = records.map(({ address_count: _, ...result }) => result);
    // A network found by its number may also carry the number in its name; it is one result all the same.
    const isTwice = numbered !== undefined && named.length < rows.length;
    return {
      query,
      limit,
      count: results.length,
      total: total + (numbered === undefined || isTwice ? 0 : 1),
      results,
    };
  }

  /** The best `limit` rows, and how many there are in all. */
  #find(wanted: string, limit: number): { rows: number[]; total: number } {
    const probe = splitWords(wanted).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
    return probe.length >= 3 ? this.#findByWords(wanted, probe, limit) : this.#findInText(wanted, limit);
  }

  /** Ranks every row that has a word around the probe; a text of several words is then looked for in the row itself. */
  #findByWords(wanted: string, probe: string, limit: number): { rows: number[]; total: number } {
    const ranks = this.#ranks.fill(NONE);
    const isOneWord = probe === wanted;
    this.#dataset.words.forEachRow(probe, (row, beginsName, beginsWord, isWord) => {
      let rank = beginsName ? NAME_BEGINS : beginsWord ? WORD_BEGINS : INSIDE;
      if (isWord || !isOneWord) rank = this.#rankInRow(row, wanted);
      if (rank < (ranks[row] as number)) ranks[row] = rank;
    });
    const found: [number[], number[], number[], number[]] = [[], [], [], []];
    let total = 0;
    for (let row = 0; row < ranks.length; row++) {
      const rank = ranks[row] as number;
      if (rank === NONE) continue;
      total++;
      const list = found[rank as 0 | 1 | 2 | 3];
      if (list.length < limit) list.push(row);
    }
    return { rows: found.flat().slice(0, limit), total };
  }

  #findInText(wanted: string, limit: number): { rows: number[]; total: number } {
    const text = this.#text;
    const known = this.#shortTexts.get(wanted);
    const found: [number[], number[], number[], number[]] = [[], [], [], []];
    let total = 0;
    let row = 0;
    for (let at = text.indexOf(wanted, 1); at >= 0; at = text.indexOf(wanted, this.#starts[row])) {
      row = this.#rowAt(at, row);
      total++;
      const rank = this.#rankInRow(row, wanted) as 0 | 1 | 2 | 3;
      if (rank === EXACT || found[rank].length < limit) found[rank].push(row);
      if (known !== undefined && found[NAME_BEGINS].length >= limit) break;
      row++;
    }
    const { total: all, exact } = known ?? { total, exact: found[EXACT] };
    if (wanted.length <= 2) this.#shortTexts.set(wanted, { total: all, exact });
    return { rows: [...exact, ...found.slice(NAME_BEGINS).flat()].slice(0, limit), total: all };
  }

  /** The best place of the text in one network's line. */
  #rankInRow(row: number, wanted: string): number {
    const text = this.#text;
    const start = this.#starts[row] as number;
    const end = this.#starts[row + 1] as number;
    let best = NONE;
    const line = text.slice(start, end);
    for (let at = line.indexOf(wanted); at >= 0 && best > EXACT; at = line.indexOf(wanted, at + 1)) {
      best = Math.min(best, rankAt(text, start + at, wanted.length, start));
    }
    return best;
  }

  /** The row whose line holds the position; looks from `row` on, in steps that double and then halve. */
  #rowAt(position: number, row: number): number {
    const starts = this.#starts;
    const last = starts.length - 2;
    let step = 1;
    while (row + step <= last && (starts[row + step] as number) <= position) {
      row += step;
      step *= 2;
    }
    for (; step >= 1; step >>= 1) if (row + step <= last && (starts[row + step] as number) <= position) row += step;
    return row;
  }
}

function rankAt(text: string, at: number, length: number, lineStart: number): number {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at + length);
  if ((before === LF || before === TAB) && (after === LF || after === TAB)) return EXACT;
  if (at === lineStart) return NAME_BEGINS;
  return isWordCharacter(before) ? INSIDE : WORD_BEGINS;
}

const isWordCharacter = (code: number) =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || code >= 0x80;

/**
 * Takes the JSON escapes out of the lines that have one, and the accents. Such a line is never longer than it was escaped,
 * and is filled up with line ends, so that every line stays where it is.
 */
function foldLines(text: string): string {
  let folded = '';
  let done = 0;
  for (let backslash = text.indexOf('\\'); backslash >= 0; backslash = text.indexOf('\\', done)) {
    const start = text.lastIndexOf('\n', backslash) + 1;
    const end = text.indexOf('\n', backslash);
    const line = JSON.parse(`"${text.slice(start, end).replaceAll('\t', '\\t')}"`) as string;
    folded +=
      text.slice(done, start) +
      fold(line)
        .slice(0, end - start)
        .padEnd(end - start, '\n');
    done = end;
  }
  return folded + text.slice(done);
}
