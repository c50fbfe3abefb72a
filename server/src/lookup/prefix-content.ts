/**
 * What is announced inside a prefix: its largest parts, and its addresses by network, connection
 * type, country and flag.
 */
import { formatAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import {
  formatPrefix,
  fromBigInt,
  parseCidr,
  parsePrefix,
  type Range,
} from '@whence/dataset/prefix';
import {
  type ConnectionType,
  type Detection,
  FLAGS,
  type Flag,
  type IpRecord,
  type ThreatLevel,
} from '@whence/dataset/record';
import {
  Largest,
  lastOf,
  type Part,
  type Walk,
  type WalkScratch,
  walkPrefix,
} from './prefix-walk.ts';

export type PrefixContent = {
  prefix: string;
  /** Share of the prefix. All other shares are shares of what is announced. */
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
  /** Whether the network may announce the prefix, where ROA data is configured. */
  rpki?: 'valid' | 'invalid' | 'not_found';
  prefix_is_derived?: true;
};

const MAX_NETWORKS = 50;
const MAX_COUNTRIES = 50;
/** Texts between two looks at the clock. */
const TEXTS_PER_LOOK = 64;
/** Significant ones: of all IPv6 addresses, a network has a very small share. */
const SHARE_DIGITS = 6;

export type PrefixRequest = { readonly range: Range; readonly length: number };

/** Bits after the length are cleared. Undefined if the text is not a prefix. */
export function parsePrefixRequest(text: string): PrefixRequest | undefined {
  const cidr = text.includes('/') ? parseCidr(text) : undefined;
  const range = parsePrefix(text);
  return cidr && range && { range, length: cidr.length };
}

export function* describePrefix(
  dataset: Dataset,
  { range, length }: PrefixRequest,
  scratch: WalkScratch,
): Walk<PrefixContent> {
  const { parts, size, announced } = yield* walkPrefix(dataset, range, scratch);
  const { networks, types, countries, flags } = yield* countAddresses(dataset, scratch);
  const shareOf = (addresses: number) => share(addresses, announced);
  const describedParts: PrefixContentPart[] = [];
  for (const part of parts) {
    yield;
    describedParts.push({
      ...describePart(part, dataset.record(part.start, part.match)),
      share: shareOf(part.size),
    });
  }
  return {
    prefix: formatPrefix(fromBigInt(range.start, range.version), length),
    announced_share: share(announced, size),
    parts: describedParts,
    networks: networks.map(({ addresses, ...network }) => ({
      ...network,
      share: shareOf(addresses),
    })),
    types: types.map(({ value, addresses }) => ({
      connection_type: value,
      share: shareOf(addresses),
    })),
    countries: countries.map(({ value, addresses }) => ({
      country: value,
      share: shareOf(addresses),
    })),
    flags: flags.map(({ value, addresses }) => ({ flag: value, share: shareOf(addresses) })),
  };
}

/** A level that is not complete is never low. */
export type KnownLevel = ThreatLevel | 'unknown';

export const knownLevel = (level: ThreatLevel, isKnown: boolean): KnownLevel =>
  isKnown || level !== 'low' ? level : 'unknown';

/**
 * The announced addresses of the walk that `scratch` was last used for, by what they are; the
 * largest first.
 */
export function* countAddresses(dataset: Dataset, { networks, texts }: WalkScratch) {
  const types = new AddressCounts<ConnectionType>();
  const countries = new AddressCounts<string>();
  const flags = new AddressCounts<Flag>();
  const levels = new AddressCounts<KnownLevel>();
  for (const [i, index] of texts.touched.entries()) {
    if (i % TEXTS_PER_LOOK === 0) yield;
    const size = texts.values[index] as number;
    const facts = describeText(dataset, index >> 1);
    types.add(facts.connection_type, size);
    countries.add(facts.country, size);
    levels.add(knownLevel(facts.level, index % 2 === 1), size);
    for (const flag of facts.flags) flags.add(flag, size);
  }
  const largest = new Largest<{ row: number; size: number }>(MAX_NETWORKS);
  yield;
  for (const row of networks.touched) {
    const size = networks.values[row] as number;
    if (size > largest.threshold) largest.add({ row, size });
  }
  return {
    networks: largest
      .sorted()
      .map(({ row, size }) => ({ ...describeNetwork(dataset, row), addresses: size })),
    types: types.sorted(),
    countries: countries.sorted(MAX_COUNTRIES),
    flags: flags.sorted(),
    levels: levels.sorted(),
  };
}

type TextFacts = {
  readonly country: string;
  readonly connection_type: ConnectionType;
  readonly flags: readonly Flag[];
  readonly level: ThreatLevel;
};

/**
 * By fragment: some hundred networks' texts make up ten thousands of texts. A dataset returns the
 * same object for each.
 */
const networkFacts = new WeakMap<Uint8Array, Pick<TextFacts, 'connection_type' | 'flags'>>();
const threatLevels = new WeakMap<Uint8Array, ThreatLevel>();

function describeText(dataset: Dataset, text: number): TextFacts {
  const country = Buffer.from(dataset.textFragment(text, 0))
    .toString('latin1')
    .slice('"country":"'.length, -2);
  const network = remembered(networkFacts, dataset.textFragment(text, 1), (latin1) => {
    const { connection_type, detection } = JSON.parse(`{${latin1.slice(0, -1)}}`) as {
      connection_type: ConnectionType;
      detection: Detection;
    };
    return { connection_type, flags: FLAGS.filter((flag) => detection[flag]) };
  });
  // A quotation mark inside a JSON string is escaped, so only the member matches.
  const level = remembered(
    threatLevels,
    dataset.textFragment(text, 2),
    (latin1) => /"level":"(\w+)"/.exec(latin1)?.[1] as ThreatLevel,
  );
  return { country, ...network, level };
}

function remembered<Facts>(
  facts: WeakMap<Uint8Array, Facts>,
  fragment: Uint8Array,
  parse: (latin1: string) => Facts,
): Facts {
  const read = facts.get(fragment) ?? parse(Buffer.from(fragment).toString('latin1'));
  facts.set(fragment, read);
  return read;
}

function describeNetwork({ networks }: Dataset, row: number): { asn: number; asn_name: string } {
  const { asn, asn_name } = networks.at(row);
  return { asn, asn_name };
}

/** `record`: of its first address. */
export function describePart(
  part: Part,
  { ip, prefix, asn, asn_name, country, connection_type, detection }: IpRecord,
): Omit<PrefixContentPart, 'share'> {
  return {
    first: ip,
    last: formatAddress(lastOf(part)),
    prefix,
    asn,
    asn_name,
    country,
    connection_type,
    flags: FLAGS.filter((flag) => detection[flag]),
  };
}

function share(size: number, of: number): number {
  return of === 0 ? 0 : Number((size / of).toPrecision(SHARE_DIGITS));
}

/** Numbers of addresses by value, such as a country: what a walk adds up and a page shows. */
export type AddressCount<Value extends string> = { value: Value; addresses: number };

export class AddressCounts<Value extends string> {
  readonly #counts = new Map<Value, number>();

  add(value: Value, addresses: number): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + addresses);
  }

  /** Largest first; the first `most` of them. */
  sorted(most = Number.POSITIVE_INFINITY): AddressCount<Value>[] {
    const all = [...this.#counts].map(([value, addresses]) => ({ value, addresses }));
    return all.sort((a, b) => b.addresses - a.addresses).slice(0, most);
  }
}
