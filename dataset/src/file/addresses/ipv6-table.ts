// IPv6 address to match, over 2000::/3 (RFC 4291 §2.4). Nearly every interval starts at a /64 or
// shorter prefix, so two words decide: 16 bits index the first words, each with a sorted list of
// second words. Divided /64s are in `deep`.
import { type Address, ipv6 } from '../../address.ts';
import { fromBigInt } from '../../prefix.ts';
import { bytesOf, type Intervals, wordsOf } from '../format.ts';
import { isMatch, MAX_RECORD, type Match, recordNumber } from '../match.ts';
import type { Cursor } from './cursor.ts';

const DIVIDED = 0xffffffff;
const DEEP_ROW_WORDS = 5;
const TOP_SHIFT = 13;
const TOP_MASK = 0xffff;
const GLOBAL_UNICAST = 1;
const BLOCK_GROUPS = 8;

const COLUMNS = ['v6.top', 'v6.first', 'v6.offset', 'v6.second', 'v6.match', 'v6.deep'] as const;
type Sections = Readonly<Record<(typeof COLUMNS)[number], Uint8Array>>;

export function encodeIpv6({ starts, matches }: Intervals): Sections {
  const first: number[] = [];
  const offset: number[] = [];
  const second: number[] = [];
  const match: Match[] = [];
  const deep: number[] = [];
  let current: Match = 0;

  const append = (w0: number, w1: number, value: Match) => {
    if (first.at(-1) !== w0) {
      // The last match of the previous first word continues up to the first interval of this one.
      first.push(w0);
      offset.push(second.length);
      if (w1 !== 0) {
        second.push(0);
        match.push(current);
      }
    }
    if (second.at(-1) === w1 && second.length > (offset.at(-1) as number))
      match[match.length - 1] = value;
    else {
      second.push(w1);
      match.push(value);
    }
  };

  for (let i = 0; i < starts.length; i++) {
    const start = starts[i] as bigint;
    const value = matches[i] as Match;
    const { w0, w1, w2, w3 } = unsigned(start);
    if ((w2 | w3) === 0) {
      append(w0, w1, value);
      current = value;
      continue;
    }
    const block = start & ~0xffffffffffffffffn;
    if ((starts[i - 1] as bigint) < block || match.at(-1) !== DIVIDED) {
      append(w0, w1, DIVIDED);
      deep.push(w0, w1, 0, 0, current);
    }
    deep.push(w0, w1, w2, w3, value);
    current = value;
    // After the last interval inside this /64, its match continues in the next /64.
    const following = block + (1n << 64n);
    const next = starts[i + 1];
    if (next === undefined || next > following) {
      const after = unsigned(following);
      append(after.w0, after.w1, value);
    }
  }
  offset.push(second.length);

  const top = new Uint32Array(TOP_MASK + 2);
  for (const word of first)
    top[((word >>> TOP_SHIFT) & TOP_MASK) + 1] =
      (top[((word >>> TOP_SHIFT) & TOP_MASK) + 1] as number) + 1;
  for (let i = 1; i < top.length; i++) top[i] = (top[i] as number) + (top[i - 1] as number);
  const section = (values: number[]) => bytesOf(Uint32Array.from(values));
  return {
    'v6.top': bytesOf(top),
    'v6.first': section(first),
    'v6.offset': section(offset),
    'v6.second': section(second),
    'v6.match': section(match),
    'v6.deep': section(deep),
  };
}

/** Whether the six sections fit together and every match is one of the records. */
export function checkIpv6(sections: Sections, records: number): boolean {
  if (COLUMNS.some((name) => sections[name].length % 4 !== 0)) return false;
  const { top, first, offset, second, match, deep } = wordsIn(sections);
  if (top.length !== TOP_MASK + 2 || top[TOP_MASK + 1] !== first.length) return false;
  if (offset.length !== first.length + 1 || offset[first.length] !== match.length) return false;
  if (second.length !== match.length || deep.length % DEEP_ROW_WORDS !== 0) return false;
  if (!isAscending(top, false) || !isAscending(first, true) || !isAscending(offset, true))
    return false;
  let divided = 0;
  for (const value of match) {
    if (value === DIVIDED) divided++;
    else if (!isMatch(value, 128, records)) return false;
  }
  // A divided /64 has at least two intervals.
  if (deep.length < divided * 2 * DEEP_ROW_WORDS) return false;
  for (let at = 4; at < deep.length; at += DEEP_ROW_WORDS)
    if (!isMatch(deep[at] as Match, 128, records)) return false;
  return true;
}

function wordsIn(sections: Sections) {
  return {
    top: wordsOf(sections['v6.top']),
    first: wordsOf(sections['v6.first']),
    offset: wordsOf(sections['v6.offset']),
    second: wordsOf(sections['v6.second']),
    match: wordsOf(sections['v6.match']),
    deep: wordsOf(sections['v6.deep']),
  };
}

function isAscending(words: Uint32Array, isStrict: boolean): boolean {
  for (let i = 1; i < words.length; i++) {
    const step = (words[i] as number) - (words[i - 1] as number);
    if (step < 0 || (isStrict && step === 0)) return false;
  }
  return true;
}

export class Ipv6Table {
  readonly #top: Uint32Array;
  readonly #first: Uint32Array;
  readonly #offset: Uint32Array;
  readonly #second: Uint32Array;
  readonly #match: Uint32Array;
  readonly #deep: Uint32Array;

  constructor(sections: Sections) {
    const { top, first, offset, second, match, deep } = wordsIn(sections);
    this.#top = top;
    this.#first = first;
    this.#offset = offset;
    this.#second = second;
    this.#match = match;
    this.#deep = deep;
  }

  find(w0: number, w1: number, w2: number, w3: number): Match {
    if (w0 >>> 29 !== GLOBAL_UNICAST) return 0;
    const group = this.#searchFirst(w0 >>> 0);
    if (group < 0) return 0;
    const match = this.#match[this.#searchSecond(group, w0 >>> 0, w1 >>> 0)] as Match;
    return match === DIVIDED
      ? (this.#deep[this.#searchDeep(w0, w1, w2, w3) * DEEP_ROW_WORDS + 4] as Match)
      : match;
  }

  /** An interval without a match comes first if the address is before all others. */
  cursorFrom({ w0, w1, w2, w3 }: Pick<Address, 'w0' | 'w1' | 'w2' | 'w3'>): Cursor {
    const firsts = this.#first;
    const offset = this.#offset;
    const seconds = this.#second;
    const matches = this.#match;
    const deep = this.#deep;
    const isBefore = w0 >>> 29 < GLOBAL_UNICAST;
    const isAfter = w0 >>> 29 > GLOBAL_UNICAST;
    let group: number;
    let at: number;
    if (isAfter) {
      group = firsts.length - 1;
      at = matches.length - 1;
    } else if (isBefore) {
      group = firsts[0] === 0 ? 0 : -1;
      at = group;
    } else {
      group = this.#searchFirst(w0 >>> 0);
      at = group < 0 ? group : this.#searchSecond(group, w0 >>> 0, w1 >>> 0);
    }
    // One before the interval that contains the address: `advance` moves on to it.
    let row = 0;
    let isDivided = false;
    if (deep.length > 0 && at >= 0) {
      const deepRow = this.#searchDeep(w0, w1, w2, w3);
      isDivided = matches[at] === DIVIDED;
      row = isDivided ? deepRow : deepRow + Number(isAtOrBelow(deep, deepRow, w0 >>> 0, w1 >>> 0));
    }
    if (!isDivided) at--;
    let isBeforeFirst = at < -1 || (at === -1 && group < 0);
    group = Math.max(group, 0);
    return {
      w0: 0,
      w1: 0,
      w2: 0,
      w3: 0,
      match: 0,
      advance() {
        if (isBeforeFirst) {
          isBeforeFirst = false;
          at = -1;
          return true;
        }
        if (isDivided) {
          const from = row * DEEP_ROW_WORDS;
          const isSame64 = deep[from] === firsts[group] && deep[from + 1] === seconds[at];
          if (isSame64) {
            this.w0 = deep[from] as number;
            this.w1 = deep[from + 1] as number;
            this.w2 = deep[from + 2] as number;
            this.w3 = deep[from + 3] as number;
            this.match = deep[from + 4] as Match;
            row++;
            return true;
          }
          isDivided = false;
        }
        if (++at >= matches.length) return false;
        while ((offset[group + 1] as number) <= at) group++;
        if (matches[at] === DIVIDED) {
          isDivided = true;
          return this.advance();
        }
        this.w0 = firsts[group] as number;
        this.w1 = seconds[at] as number;
        this.w2 = 0;
        this.w3 = 0;
        this.match = matches[at] as Match;
        return true;
      },
    };
  }

  get blockCount(): number {
    return Math.ceil(this.#first.length / BLOCK_GROUPS);
  }

  forEachMatch(visit: (block: number, match: Match) => void): void {
    for (let block = 0; block < this.blockCount; block++) {
      this.forEachIn(block, 0, MAX_RECORD, (_, match) => visit(block, match));
    }
  }

  /** Calls back in ascending order for every run of a block whose record is in first..last. */
  forEachIn(
    block: number,
    first: number,
    last: number,
    visit: (start: Address, match: Match) => void,
  ): void {
    const end = Math.min((block + 1) * BLOCK_GROUPS, this.#first.length);
    for (let group = block * BLOCK_GROUPS; group < end; group++) {
      const w0 = this.#first[group] as number;
      const groupEnd = this.#offset[group + 1] as number;
      for (let at = this.#offset[group] as number; at < groupEnd; at++) {
        const match = this.#match[at] as Match;
        if (match === DIVIDED) {
          this.#forEachDeep(w0, this.#second[at] as number, first, last, visit);
          continue;
        }
        const record = recordNumber(match);
        if (record >= first && record <= last)
          visit(ipv6(w0, this.#second[at] as number, 0, 0), match);
      }
    }
  }

  #forEachDeep(
    w0: number,
    w1: number,
    first: number,
    last: number,
    visit: (start: Address, match: Match) => void,
  ) {
    const deep = this.#deep;
    for (
      let at = this.#searchDeep(w0, w1, 0, 0) * DEEP_ROW_WORDS;
      deep[at] === w0 && deep[at + 1] === w1;
    ) {
      const record = recordNumber(deep[at + 4] as Match);
      if (record >= first && record <= last)
        visit(ipv6(w0, w1, deep[at + 2] as number, deep[at + 3] as number), deep[at + 4] as Match);
      at += DEEP_ROW_WORDS;
    }
  }

  #searchFirst(w0: number): number {
    const slot = (w0 >>> TOP_SHIFT) & TOP_MASK;
    let from = (this.#top[slot] as number) - 1;
    let to = (this.#top[slot + 1] as number) - 1;
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if ((this.#first[middle] as number) <= w0) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  /**
   * Index in `second` of the interval that contains (w0, w1): the group's last if its first word is
   * below w0.
   */
  #searchSecond(group: number, w0: number, w1: number): number {
    let from = this.#offset[group] as number;
    let to = (this.#offset[group + 1] as number) - 1;
    if (this.#first[group] !== w0) return to;
    while (from < to) {
      const middle = (from + to + 1) >>> 1;
      if ((this.#second[middle] as number) <= w1) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  #searchDeep(w0: number, w1: number, w2: number, w3: number): number {
    const wanted = [w0 >>> 0, w1 >>> 0, w2 >>> 0, w3 >>> 0];
    let from = 0;
    let to = this.#deep.length / DEEP_ROW_WORDS - 1;
    while (from < to) {
      const middle = (from + to + 1) >>> 1;
      let word = 0;
      while (word < 3 && this.#deep[middle * DEEP_ROW_WORDS + word] === wanted[word]) word++;
      if ((this.#deep[middle * DEEP_ROW_WORDS + word] as number) <= (wanted[word] as number))
        from = middle;
      else to = middle - 1;
    }
    return from;
  }
}

/** Whether a row of `deep` belongs to this /64 or an earlier one. */
function isAtOrBelow(deep: Uint32Array, row: number, w0: number, w1: number): boolean {
  const first = deep[row * DEEP_ROW_WORDS] as number;
  return first < w0 || (first === w0 && (deep[row * DEEP_ROW_WORDS + 1] as number) <= w1);
}

function unsigned(address: bigint): { w0: number; w1: number; w2: number; w3: number } {
  const { w0, w1, w2, w3 } = fromBigInt(address, 6);
  return { w0: w0 >>> 0, w1: w1 >>> 0, w2: w2 >>> 0, w3: w3 >>> 0 };
}
