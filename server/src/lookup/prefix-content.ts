/**
 * What is announced inside a prefix of any length: its largest parts, and its addresses by network, connection type, country
 * and flag. The whole IPv4 table has a million runs, so the walk adds up numbers only: addresses per network and per text
 * of a record. What they stand for is read at the end, for what is shown.
 */
import { type Address, formatAddress, ipv4, ipv6 } from '@whence/dataset/address';
import { type Match, prefixLength, recordNumber } from '@whence/dataset/format';
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
/** Significant ones: of all IPv6 addresses, a network has a very small share. */
const SHARE_DIGITS = 6;

type Words = { w0: number; w1: number; w2: number; w3: number };
/** `next` is where the following run starts. */
type Part = { readonly size: number; readonly match: Match; readonly start: Address; readonly next: Words };

/** Sums by number, and which numbers have one. Used again by the next walk: most prefixes touch few of them. */
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
  readonly texts: Sums;

  constructor({ networks, meta: { counts } }: Dataset) {
    // Record 0 is unused.
    this.records = new Sums(counts.records + 1);
    this.networks = new Sums(networks.count);
    // There are at most as many texts as sets of attributes.
    this.texts = new Sums(counts.tails);
  }
}

export async function describePrefix(
  dataset: Dataset,
  { range, length }: { readonly range: Range; readonly length: number },
  scratch: WalkScratch,
  giveWay: GiveWay,
): Promise<{ content: PrefixContent; runs: number }> {
  const { version } = range;
  const first = fromBigInt(range.start, version);
  const { parts, announced, runs } = await walk(dataset, range, scratch, giveWay);
  sumByNetworkAndText(dataset, scratch);
  const content = {
    prefix: formatPrefix(first, length),
    announced_share: share(announced, distance(version, wordsOf(first), endOf(range)) + unitOf(version)),
    parts: parts.map((part) => describePart(dataset, part, announced)),
    ...describeSums(dataset, scratch, announced),
  };
  return { content, runs };
}

type Walked = { readonly parts: readonly Part[]; readonly announced: number; readonly runs: number };

/** Words are kept in variables, not in objects: this loop runs a million times. */
async function walk(dataset: Dataset, range: Range, { records }: WalkScratch, giveWay: GiveWay): Promise<Walked> {
  const { version } = range;
  const isIpv4 = version === 4;
  const first = fromBigInt(range.start, version);
  const end = endOf(range);
  const { w0: e0, w1: e1, w2: e2, w3: e3 } = end;
  const largest = new Largest<Part>(MAX_PARTS);
  records.clear();
  let announced = 0;
  let runs = 0;
  const cursor = dataset.cursorFrom(first);
  let isMore = cursor.advance();
  let match = isMore ? cursor.match : 0;
  // Where the open run and the current interval start.
  let { w0: o0, w1: o1, w2: o2, w3: o3 } = wordsOf(first);
  let [a0, a1, a2, a3] = [o0, o1, o2, o3];
  let size = 0;
  while (isMore) {
    isMore = cursor.advance();
    const { w0: n0, w1: n1, w2: n2, w3: n3 } = cursor;
    if (n0 > e0 || (n0 === e0 && (n1 > e1 || (n1 === e1 && (n2 > e2 || (n2 === e2 && n3 > e3)))))) isMore = false;
    if (isMore) {
      size += isIpv4 ? n0 - a0 : (n0 - a0) * 2 ** 32 + (n1 - a1) + ((n2 - a2) * 2 ** 32 + (n3 - a3)) / 2 ** 64;
      a0 = n0;
      a1 = n1;
      a2 = n2;
      a3 = n3;
      // The tables also cut runs where their structure requires it.
      if (cursor.match === match && isSamePrefix(o0, o1, o2, o3, cursor, prefixLength(match))) continue;
    } else size += distance(version, { w0: a0, w1: a1, w2: a2, w3: a3 }, end) + unitOf(version);
    if (match !== 0) {
      announced += size;
      records.add(recordNumber(match), size);
      if (size > largest.threshold) {
        const start = addressOf(version, { w0: o0, w1: o1, w2: o2, w3: o3 });
        largest.add({ size, match, start, next: isMore ? { w0: n0, w1: n1, w2: n2, w3: n3 } : afterEnd(range) });
      }
    }
    if (++runs % RUNS_PER_LOOK === 0) {
      const pause = giveWay();
      if (pause !== undefined) await pause;
    }
    o0 = n0;
    o1 = n1;
    o2 = n2;
    o3 = n3;
    match = cursor.match;
    size = 0;
  }
  return { parts: largest.sorted(), announced, runs };
}

function sumByNetworkAndText(dataset: Dataset, { records, networks, texts }: WalkScratch): void {
  networks.clear();
  texts.clear();
  for (const record of records.touched) {
    const size = records.values[record] as number;
    // A match without a prefix length.
    networks.add(dataset.rowOf(record), size);
    texts.add(dataset.textOf(record), size);
  }
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
  const largest = new Largest<{ row: number; size: number }>(MAX_NETWORKS);
  for (const row of networks.touched) {
    const size = networks.values[row] as number;
    if (size > largest.threshold) largest.add({ row, size });
  }
  return {
    networks: largest
      .sorted()
      .map(({ row, size }) => ({ ...describeNetwork(dataset, row), share: share(size, announced) })),
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

/** The largest so far; of equal ones those that were added first. Sorting all of them would take longer than the walk. */
class Largest<Item extends { readonly size: number }> {
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

const addressOf = (version: 4 | 6, { w0, w1, w2, w3 }: Words): Address =>
  version === 4 ? ipv4(w0) : ipv6(w0, w1, w2, w3);

function wordsOf({ w0, w1, w2, w3 }: Words): Words {
  return { w0: w0 >>> 0, w1: w1 >>> 0, w2: w2 >>> 0, w3: w3 >>> 0 };
}

const endOf = ({ version, end }: Range): Words => wordsOf(fromBigInt(end, version));

/** IPv4 addresses, or IPv6 /64s with their fractions. */
function distance(version: 4 | 6, from: Words, to: Words): number {
  if (version === 4) return to.w0 - from.w0;
  return (to.w0 - from.w0) * 2 ** 32 + (to.w1 - from.w1) + ((to.w2 - from.w2) * 2 ** 32 + (to.w3 - from.w3)) / 2 ** 64;
}

/** One address. */
const unitOf = (version: 4 | 6): number => (version === 4 ? 1 : 2 ** -64);

/** The start of the address after the last one; 0 after the last of all. */
function afterEnd({ version, end }: Range): Words {
  return wordsOf(fromBigInt((end + 1n) & (version === 4 ? 0xffffffffn : (1n << 128n) - 1n), version));
}

function isSamePrefix(w0: number, w1: number, w2: number, w3: number, other: Words, length: number): boolean {
  return (
    isSameWord(w0, other.w0, length) &&
    isSameWord(w1, other.w1, length - 32) &&
    isSameWord(w2, other.w2, length - 64) &&
    isSameWord(w3, other.w3, length - 96)
  );
}

/** Whether the first `bits` of two words are the same. */
function isSameWord(a: number, b: number, bits: number): boolean {
  if (bits <= 0) return true;
  return bits >= 32 ? a === b : (a ^ b) >>> (32 - bits) === 0;
}

function share(size: number, of: number): number {
  return of === 0 ? 0 : Number((size / of).toPrecision(SHARE_DIGITS));
}
