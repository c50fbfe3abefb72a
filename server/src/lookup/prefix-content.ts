/**
 * What is announced inside a prefix of any length: its largest parts, and its addresses by network, connection type, country
 * and flag. The whole IPv4 table has a million runs, so the walk adds up numbers only: addresses per network and per text
 * of a record. What they stand for is read at the end, for what is shown.
 */
import { type Address, formatAddress, ipv4, ipv6 } from '@whence/dataset/address';
import { type Match, prefixLength } from '@whence/dataset/format';
import { formatPrefix, fromBigInt, type Range, toBigInt } from '@whence/dataset/prefix';
import type { Dataset } from '@whence/dataset/read';
import { type ConnectionType, type Detection, FLAGS, type Flag } from '@whence/dataset/record';
import type { GiveWay } from './dataset-walks.ts';

export type PrefixContent = {
  prefix: string;
  /** Of the prefix. All other shares are shares of what is announced. */
  announced_share: number;
  parts: PrefixContentPart[];
  networks: { asn: number; asn_name: string; share: number }[];
  types: { connection_type: ConnectionType; share: number }[];
  countries: { country: string; share: number }[];
  flags: { flag: Flag; share: number }[];
};

/** Consecutive addresses of one announced prefix that have the same record. */
export type PrefixContentPart = {
  first: string;
  last: string;
  /** The announced prefix, which may be wider than the part and than what was asked for. */
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType;
  flags: Flag[];
  share: number;
};

const MAX_PARTS = 256;
/** Networks that are listed. */
const MAX_NETWORKS = 50;
const MAX_COUNTRIES = 50;
/** Runs between two looks at the clock. */
const RUNS_PER_LOOK = 256;
const SHARE_DIGITS = 1e6;

type Words = { w0: number; w1: number; w2: number; w3: number };
/** `next` is where the following run starts. */
type Part = { readonly size: number; readonly match: Match; readonly start: Address; readonly next: Words };

/** Sums by number, and which numbers have one. Used again by the next walk: most prefixes touch few of them. */
class Sums {
  readonly values: Float64Array;
  readonly touched: number[] = [];

  constructor(size: number) {
    this.values = new Float64Array(size);
  }

  add(index: number, amount: number): void {
    if (this.values[index] === 0) this.touched.push(index);
    this.values[index] = (this.values[index] as number) + amount;
  }

  clear(): void {
    for (const index of this.touched) this.values[index] = 0;
    this.touched.length = 0;
  }
}

/** What walks over one dataset share. One walk at a time may use it. */
export class WalkScratch {
  readonly networks: Sums;
  readonly texts: Sums;

  constructor({ networks, meta }: Dataset) {
    this.networks = new Sums(networks.count);
    // There are at most as many texts as sets of attributes.
    this.texts = new Sums(meta.counts.tails);
  }
}

export async function describePrefix(
  dataset: Dataset,
  { range, length }: { readonly range: Range; readonly length: number },
  scratch: WalkScratch,
  giveWay: GiveWay,
): Promise<{ content: PrefixContent; runs: number }> {
  const { networks, texts } = scratch;
  networks.clear();
  texts.clear();
  const first = fromBigInt(range.start, range.version);
  const end = wordsOf(fromBigInt(range.end, range.version));
  const largest = new LargestParts();
  let announced = 0;
  let runs = 0;

  const close = (match: Match, size: number, start: Words, next: Words) => {
    announced += size;
    networks.add(dataset.rowOf(match), size);
    texts.add(dataset.textOf(match), size);
    if (largest.takes(size)) largest.add({ size, match, start: addressOf(range.version, start), next: { ...next } });
  };

  const cursor = dataset.cursorFrom(first);
  const open = { ...wordsOf(first), match: 0, size: 0 };
  const at = wordsOf(first);
  let match: Match = 0;
  let isMore = cursor.advance();
  if (isMore) match = cursor.match;
  open.match = match;
  while (isMore) {
    isMore = cursor.advance() && !isAfter(cursor, end);
    const size = isMore
      ? distance(range.version, at, cursor)
      : distance(range.version, at, end) + unitOf(range.version);
    open.size += size;
    if (isMore) copyWords(cursor, at);
    // The tables also cut runs where their structure requires it.
    if (isMore && cursor.match === open.match && isSamePrefix(open, cursor, prefixLength(open.match), range.version))
      continue;
    if (open.match !== 0) close(open.match, open.size, open, isMore ? cursor : afterEnd(end, range));
    if (++runs % RUNS_PER_LOOK === 0) {
      const pause = giveWay();
      if (pause !== undefined) await pause;
    }
    if (!isMore) break;
    copyWords(cursor, open);
    open.match = cursor.match;
    open.size = 0;
  }
  const whole = distance(range.version, wordsOf(first), end) + unitOf(range.version);
  const prefix = formatPrefix(first, length);
  const content = {
    prefix,
    announced_share: share(announced, whole),
    parts: largest.sorted().map((part) => describePart(dataset, part, announced)),
    ...describeSums(dataset, scratch, announced),
  };
  return { content, runs };
}

function describeSums(dataset: Dataset, { networks, texts }: WalkScratch, announced: number) {
  const types = new Map<ConnectionType, number>();
  const countries = new Map<string, number>();
  const flags = new Map<Flag, number>();
  const add = <Key>(sums: Map<Key, number>, key: Key, size: number) => sums.set(key, (sums.get(key) ?? 0) + size);
  for (const text of texts.touched) {
    const size = texts.values[text] as number;
    const { country, connection_type, flags: set } = describeText(dataset, text);
    add(types, connection_type, size);
    add(countries, country, size);
    for (const flag of set) add(flags, flag, size);
  }
  const byShare = <Key>(sums: Map<Key, number>) => [...sums].sort(([, a], [, b]) => b - a);
  const rows = networks.touched.map((row) => [row, networks.values[row] as number] as const);
  return {
    networks: rows
      .sort(([a, sizeA], [b, sizeB]) => sizeB - sizeA || a - b)
      .slice(0, MAX_NETWORKS)
      .map(([row, size]) => ({ ...describeNetwork(dataset, row), share: share(size, announced) })),
    types: byShare(types).map(([connection_type, size]) => ({ connection_type, share: share(size, announced) })),
    countries: byShare(countries)
      .slice(0, MAX_COUNTRIES)
      .map(([country, size]) => ({ country, share: share(size, announced) })),
    flags: byShare(flags).map(([flag, size]) => ({ flag, share: share(size, announced) })),
  };
}

type TextFacts = {
  readonly country: string;
  readonly connection_type: ConnectionType;
  readonly flags: readonly Flag[];
};

/** By fragment: some hundred networks' texts make up ten thousands of texts. A dataset returns the same object for each. */
const networkFacts = new WeakMap<Uint8Array, Omit<TextFacts, 'country'>>();

function describeText(dataset: Dataset, text: number): TextFacts {
  const country = Buffer.from(dataset.textFragment(text, 0)).toString('latin1').slice('"country":"'.length, -2);
  const fragment = dataset.textFragment(text, 1);
  let facts = networkFacts.get(fragment);
  if (facts === undefined) {
    const json = `{${Buffer.from(fragment).toString('latin1').slice(0, -1)}}`;
    const { connection_type, detection } = JSON.parse(json) as {
      connection_type: ConnectionType;
      detection: Detection;
    };
    facts = { connection_type, flags: FLAGS.filter((flag) => detection[flag]) };
    networkFacts.set(fragment, facts);
  }
  return { country, ...facts };
}

function describeNetwork({ networks }: Dataset, row: number): { asn: number; asn_name: string } {
  const { asn, asn_name } = networks.at(row);
  return { asn, asn_name };
}

function describePart(dataset: Dataset, { size, match, start, next }: Part, announced: number): PrefixContentPart {
  const { ip, prefix, asn, asn_name, country, connection_type, detection } = dataset.record(start, match);
  const { version } = start;
  const last = fromBigInt(
    (toBigInt(addressOf(version, next)) - 1n) & ((1n << (version === 4 ? 32n : 128n)) - 1n),
    version,
  );
  return {
    first: ip,
    last: formatAddress(last),
    prefix,
    asn,
    asn_name,
    country,
    connection_type,
    flags: FLAGS.filter((flag) => detection[flag]),
    share: share(size, announced),
  };
}

/** The largest parts so far; of equal ones those with the lower address, which come first. */
class LargestParts {
  readonly #parts: Part[] = [];
  #threshold = 0;

  takes(size: number): boolean {
    return size > this.#threshold;
  }

  add(part: Part): void {
    this.#parts.push(part);
    if (this.#parts.length === 4 * MAX_PARTS) this.#cut();
  }

  sorted(): readonly Part[] {
    this.#cut();
    return this.#parts;
  }

  #cut(): void {
    // A stable sort: parts of equal size stay in the order of their addresses.
    this.#parts.sort((a, b) => b.size - a.size);
    if (this.#parts.length <= MAX_PARTS) return;
    this.#parts.length = MAX_PARTS;
    this.#threshold = this.#parts.at(-1)?.size ?? 0;
  }
}

const addressOf = (version: 4 | 6, { w0, w1, w2, w3 }: Words): Address =>
  version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3);

function wordsOf({ w0, w1, w2, w3 }: Words): Words {
  return { w0: w0 >>> 0, w1: w1 >>> 0, w2: w2 >>> 0, w3: w3 >>> 0 };
}

function copyWords({ w0, w1, w2, w3 }: Words, to: Words): void {
  to.w0 = w0;
  to.w1 = w1;
  to.w2 = w2;
  to.w3 = w3;
}

/** IPv4 addresses, or IPv6 /64s with their fractions. */
function distance(version: 4 | 6, from: Words, to: Words): number {
  if (version === 4) return to.w0 - from.w0;
  return (to.w0 - from.w0) * 2 ** 32 + (to.w1 - from.w1) + ((to.w2 - from.w2) * 2 ** 32 + (to.w3 - from.w3)) / 2 ** 64;
}

/** One address. */
const unitOf = (version: 4 | 6): number => (version === 4 ? 1 : 2 ** -64);

function isAfter(a: Words, b: Words): boolean {
  if (a.w0 !== b.w0) return a.w0 > b.w0;
  if (a.w1 !== b.w1) return a.w1 > b.w1;
  if (a.w2 !== b.w2) return a.w2 > b.w2;
  return a.w3 > b.w3;
}

/** The start of the address after the last one; 0 after the last of all. */
function afterEnd(end: Words, { version }: Range): Words {
  const next = toBigInt(addressOf(version, end)) + 1n;
  return wordsOf(fromBigInt(next & ((1n << (version === 4 ? 32n : 128n)) - 1n), version));
}

function isSamePrefix(a: Words, b: Words, length: number, version: 4 | 6): boolean {
  if (!isSameWord(a.w0, b.w0, length)) return false;
  return (
    version === 4 ||
    (isSameWord(a.w1, b.w1, length - 32) && isSameWord(a.w2, b.w2, length - 64) && isSameWord(a.w3, b.w3, length - 96))
  );
}

/** Whether the first `bits` of two words are the same. */
function isSameWord(a: number, b: number, bits: number): boolean {
  if (bits <= 0) return true;
  return bits >= 32 ? a === b : (a ^ b) >>> (32 - bits) === 0;
}

function share(size: number, of: number): number {
  return of === 0 ? 0 : Math.round((size / of) * SHARE_DIGITS) / SHARE_DIGITS;
}
