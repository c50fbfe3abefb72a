// A walk over what is announced inside a prefix. The IPv4 table has a million runs, so it only adds
// up addresses per network and record text; what they mean is read afterwards.
import { type Address, ipv4, ipv6 } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import { type Match, prefixLength, recordNumber } from '@whence/dataset/match';
import { fromBigInt, type Range, toBigInt } from '@whence/dataset/prefix';

const MAX_PARTS = 256;
/** Runs between two looks at the clock. */
const RUNS_PER_LOOK = 256;

type Words = { w0: number; w1: number; w2: number; w3: number };
/** `next` is where the following run starts. */
export type Part = {
  readonly size: number;
  readonly match: Match;
  readonly start: Address;
  readonly next: Words;
};

/**
 * Sums by number, and which numbers have one. Used again by the next walk: most prefixes touch few
 * of them.
 */
class Sums {
  readonly values: Float64Array;
  readonly #indexes: Uint32Array;
  #count = 0;

  constructor(size: number) {
    this.values = new Float64Array(size);
    this.#indexes = new Uint32Array(size);
  }

  /** `amount` is above 0. */
  add(index: number, amount: number): void {
    const sum = this.values[index] as number;
    if (sum === 0) this.#indexes[this.#count++] = index;
    this.values[index] = sum + amount;
  }

  get touched(): Uint32Array {
    return this.#indexes.subarray(0, this.#count);
  }

  clear(): void {
    for (const index of this.touched) this.values[index] = 0;
    this.#count = 0;
  }
}

/** What walks over one dataset share. One walk at a time may use it. */
export class WalkScratch {
  readonly records: Sums;
  readonly networks: Sums;
  /** By twice the number of the text, plus 1 if the score is complete. */
  readonly texts: Sums;

  constructor({ networks, meta: { counts } }: Dataset) {
    this.records = new Sums(counts.records + 1);
    this.networks = new Sums(networks.count);
    // There are at most as many texts as sets of attributes, each with and without a complete
    // score.
    this.texts = new Sums(2 * counts.attribute_sets);
  }
}

type Walked = {
  /** The largest ones, largest first. */
  readonly parts: readonly Part[];
  /** All of them. */
  readonly partCount: number;
  /** Sizes are IPv4 addresses, or IPv6 /64s with their fractions. */
  readonly size: number;
  readonly announced: number;
  readonly runs: number;
  /** There are more runs than `maxRuns`. */
  readonly isTruncated: boolean;
};

/** Yields where it may be interrupted. */
export type Walk<T> = Generator<void, T, void>;

export function walkAtOnce<T>(walk: Walk<T>): T {
  let step = walk.next();
  while (step.done !== true) step = walk.next();
  return step.value;
}

/** Called for every announced part, in ascending order. */
export type OnPart = (start: bigint, end: bigint, match: Match) => void;

/**
 * Adds up part sizes by record, network and text in `scratch`. A million turns: words are
 * variables, not objects.
 */
export function* walkPrefix(
  dataset: Dataset,
  range: Range,
  scratch?: WalkScratch,
  onPart?: OnPart,
  maxRuns = Number.POSITIVE_INFINITY,
): Walk<Walked> {
  const records = scratch?.records;
  const { version } = range;
  const isIpv4 = version === 4;
  const first = fromBigInt(range.start, version);
  const end = endOf(range);
  const { w0: e0, w1: e1, w2: e2, w3: e3 } = end;
  const largest = new Largest<Part>(MAX_PARTS);
  records?.clear();
  let announced = 0;
  let partCount = 0;
  let runs = 0;
  const cursor = dataset.cursorFrom(first);
  let isMore = cursor.advance();
  let match = isMore ? cursor.match : 0;
  // Where the open run and the current interval start.
  let { w0: o0, w1: o1, w2: o2, w3: o3 } = wordsOf(first);
  let a0 = o0;
  let a1 = o1;
  let a2 = o2;
  let a3 = o3;
  let size = 0;
  while (isMore) {
    isMore = cursor.advance();
    const { w0: n0, w1: n1, w2: n2, w3: n3 } = cursor;
    if (n0 > e0 || (n0 === e0 && (n1 > e1 || (n1 === e1 && (n2 > e2 || (n2 === e2 && n3 > e3))))))
      isMore = false;
    if (isMore) {
      size += isIpv4
        ? n0 - a0
        : (n0 - a0) * 2 ** 32 + (n1 - a1) + ((n2 - a2) * 2 ** 32 + (n3 - a3)) / 2 ** 64;
      a0 = n0;
      a1 = n1;
      a2 = n2;
      a3 = n3;
      // The tables also cut runs where their structure requires it.
      if (cursor.match === match && isSamePrefix(o0, o1, o2, o3, cursor, prefixLength(match)))
        continue;
    } else size += distance(version, { w0: a0, w1: a1, w2: a2, w3: a3 }, end) + unitOf(version);
    if (match !== 0) {
      announced += size;
      partCount++;
      records?.add(recordNumber(match), size);
      if (size > largest.threshold) {
        const start = addressOf(version, { w0: o0, w1: o1, w2: o2, w3: o3 });
        largest.add({
          size,
          match,
          start,
          next: isMore ? { w0: n0, w1: n1, w2: n2, w3: n3 } : afterEnd(range),
        });
      }
      if (onPart !== undefined) {
        const start = toBigInt(addressOf(version, { w0: o0, w1: o1, w2: o2, w3: o3 }));
        const last = isMore
          ? toBigInt(addressOf(version, { w0: n0, w1: n1, w2: n2, w3: n3 })) - 1n
          : range.end;
        onPart(start, last, match);
      }
    }
    if (++runs >= maxRuns) break;
    if (runs % RUNS_PER_LOOK === 0) yield;
    o0 = n0;
    o1 = n1;
    o2 = n2;
    o3 = n3;
    match = cursor.match;
    size = 0;
  }
  if (scratch !== undefined) yield* sumByNetworkAndText(dataset, version, scratch);
  const whole = distance(version, wordsOf(first), end) + unitOf(version);
  return { parts: largest.sorted(), partCount, size: whole, announced, runs, isTruncated: isMore };
}

function* sumByNetworkAndText(
  dataset: Dataset,
  version: 4 | 6,
  { records, networks, texts }: WalkScratch,
): Walk<void> {
  networks.clear();
  texts.clear();
  for (const [i, record] of records.touched.entries()) {
    if (i % RUNS_PER_LOOK === 0) yield;
    const size = records.values[record] as number;
    // A match without a prefix length.
    networks.add(dataset.rowOf(record), size);
    const isKnown = dataset.threatGap(version, record) === undefined;
    texts.add(2 * dataset.textOf(record) + Number(isKnown), size);
  }
}

/**
 * The largest so far; of equal ones those that were added first. Sorting all of them would take
 * longer than the walk.
 */
export class Largest<Item extends { readonly size: number }> {
  readonly #items: Item[] = [];
  readonly #limit: number;
  /** Only larger ones can be among them. */
  threshold = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 4 * this.#limit) this.#cut();
  }

  sorted(): readonly Item[] {
    this.#cut();
    return this.#items;
  }

  #cut(): void {
    this.#items.sort((a, b) => b.size - a.size);
    if (this.#items.length <= this.#limit) return;
    this.#items.length = this.#limit;
    this.threshold = this.#items.at(-1)?.size ?? 0;
  }
}

export function lastOf({ start: { version }, next }: Part): Address {
  const bits = version === 4 ? 32n : 128n;
  return fromBigInt((toBigInt(addressOf(version, next)) - 1n) & ((1n << bits) - 1n), version);
}

const addressOf = (version: 4 | 6, { w0, w1, w2, w3 }: Words): Address =>
  version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3);

function wordsOf({ w0, w1, w2, w3 }: Words): Words {
  return { w0: w0 >>> 0, w1: w1 >>> 0, w2: w2 >>> 0, w3: w3 >>> 0 };
}

const endOf = ({ version, end }: Range): Words => wordsOf(fromBigInt(end, version));

/** IPv4 addresses, or IPv6 /64s with their fractions. */
function distance(version: 4 | 6, from: Words, to: Words): number {
  if (version === 4) return to.w0 - from.w0;
  return (
    (to.w0 - from.w0) * 2 ** 32 +
    (to.w1 - from.w1) +
    ((to.w2 - from.w2) * 2 ** 32 + (to.w3 - from.w3)) / 2 ** 64
  );
}

/** One address. */
const unitOf = (version: 4 | 6): number => (version === 4 ? 1 : 2 ** -64);

/** The start of the address after the last one; 0 after the last of all. */
function afterEnd({ version, end }: Range): Words {
  return wordsOf(
    fromBigInt((end + 1n) & (version === 4 ? 0xffffffffn : (1n << 128n) - 1n), version),
  );
}

function isSamePrefix(
  w0: number,
  w1: number,
  w2: number,
  w3: number,
  other: Words,
  length: number,
): boolean {
  return (
    isSameWord(w0, other.w0, length) &&
    isSameWord(w1, other.w1, length - 32) &&
    isSameWord(w2, other.w2, length - 64) &&
    isSameWord(w3, other.w3, length - 96)
  );
}

function isSameWord(a: number, b: number, bits: number): boolean {
  if (bits <= 0) return true;
  return bits >= 32 ? a === b : (a ^ b) >>> (32 - bits) === 0;
}
