/** What a network consists of, and networks that probably belong to the same organisation. */

import type { AsnSearch, AsnSearchResult } from '@whence/dataset/asn-search';
import type { Dataset } from '@whence/dataset/dataset';
import { type Match, prefixLength } from '@whence/dataset/match';
import { parseCidr, parsePrefix } from '@whence/dataset/prefix';
import { type ConnectionType, FLAGS, type Flag } from '@whence/dataset/record';
import { walkInSlices, type YieldToEventLoop } from './dataset-walks.ts';
import { type AddressCount, AddressCounts, type KnownLevel, knownLevel } from './prefix-content.ts';
import { walkPrefix } from './prefix-walk.ts';

/** Runs that are walked: about 100 ms in slices. */
const MAX_RUNS = 20_000;
const MAX_COUNTRIES = 50;
const MAX_RELATED = 20;
/** Flags that the connection type says already. */
const TYPE_FLAGS: readonly Flag[] = ['is_datacenter', 'is_residential', 'is_mobile'];

/** Type and country of most of its addresses, and flags that at least one of them has. */
type PrefixKind = { connection_type: ConnectionType; country: string; flags: Flag[] };
type NetworkProfile = {
  connection_types: AddressCount<ConnectionType>[];
  countries: AddressCount<string>[];
  flags: AddressCount<Flag>[];
  threat_levels: AddressCount<KnownLevel>[];
  is_sample: boolean;
  /**
   * Kinds of its prefixes, and for every prefix, IPv4 first, the position of its kind; -1 where it
   * was not walked.
   */
  prefix_kinds: { kinds: PrefixKind[]; of: number[] };
};

/**
 * Shares of the network's IPv4 addresses, and the kind of each prefix; those beyond the runs walked
 * have none.
 */
export async function profileNetwork(
  dataset: Dataset,
  asn: number,
  prefixes: readonly string[],
  yieldToEventLoop: YieldToEventLoop,
): Promise<NetworkProfile> {
  const types = new AddressCounts<ConnectionType>();
  const countries = new AddressCounts<string>();
  const flags = new AddressCounts<Flag>();
  const levels = new AddressCounts<KnownLevel>();
  const kinds = new Map<string, number>();
  const of: number[] = new Array(prefixes.length).fill(-1);
  let left = MAX_RUNS;
  let isSample = false;
  for (const [position, prefix] of prefixes.entries()) {
    if (left <= 0) {
      isSample = true;
      break;
    }
    const range = parsePrefix(prefix);
    const length = parseCidr(prefix)?.length;
    if (range === undefined || length === undefined) continue;
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    const own = new PrefixCounts();
    const onRun = (start: bigint, end: bigint, match: Match) => {
      // A more specific prefix belongs to another network, or is in `prefixes` itself.
      if (dataset.asnNumber(match) !== asn || prefixLength(match) !== length) return;
      const { connection_type, country, detection, threat } = dataset.attributes(
        dataset.attributesOf(match),
      );
      const size = sizeOf(range.version, start, end);
      own.types.add(connection_type, size);
      own.countries.add(country, size);
      const ownFlags = FLAGS.filter((flag) => detection[flag] && !TYPE_FLAGS.includes(flag));
      for (const flag of ownFlags) own.flags.add(flag);
      if (range.version === 6) return;
      types.add(connection_type, size);
      countries.add(country, size);
      for (const flag of ownFlags) flags.add(flag, size);
      const isKnown = dataset.threatGap(range.version, match) === undefined;
      levels.add(knownLevel(threat.level, isKnown), size);
    };
    const { runs, isTruncated } = await walkInSlices(
      walkPrefix(dataset, range, undefined, onRun, left),
      yieldToEventLoop,
    );
    const type = own.types.sorted()[0]?.value;
    const country = own.countries.sorted()[0]?.value;
    if (type !== undefined && country !== undefined) {
      const text = JSON.stringify({
        connection_type: type,
        country,
        flags: [...own.flags],
      } satisfies PrefixKind);
      const kind = kinds.get(text) ?? kinds.size;
      kinds.set(text, kind);
      of[position] = kind;
    }
    left -= runs;
    if (isTruncated) {
      isSample = true;
      break;
    }
  }
  return {
    connection_types: types.sorted(),
    countries: countries.sorted(MAX_COUNTRIES),
    flags: flags.sorted(),
    threat_levels: levels.sorted(),
    is_sample: isSample,
    prefix_kinds: { kinds: [...kinds.keys()].map((text) => JSON.parse(text) as PrefixKind), of },
  };
}

class PrefixCounts {
  readonly types = new AddressCounts<ConnectionType>();
  readonly countries = new AddressCounts<string>();
  readonly flags = new Set<Flag>();
}

/** IPv4 addresses, or IPv6 /64s; a part of a /64 counts as one. */
function sizeOf(version: 4 | 6, start: bigint, end: bigint): number {
  const count = end - start + 1n;
  return Number(version === 4 ? count : (count + (1n << 64n) - 1n) >> 64n);
}

/** Legal forms, which say nothing about the organisation. */
const LEGAL_FORMS =
  /\b(llc|inc|incorporated|corp|corporation|co|company|ltd|limited|gmbh|ag|se|sa|sas|sarl|srl|spa|bv|nv|ab|as|oy|plc|pte|pty|kg|kk)\b\.?/gi;

export async function relatedNetworks(
  search: AsnSearch,
  { asn, asn_name }: { asn: number; asn_name: string },
  yieldToEventLoop: YieldToEventLoop,
): Promise<AsnSearchResult[]> {
  const words = asn_name
    .replace(LEGAL_FORMS, ' ')
    .replace(/[,.()"]/g, ' ')
    .trim()
    .split(/\s+/);
  const query = words.slice(0, 2).join(' ');
  if (query.length < 3) return [];
  const { results } = await walkInSlices(
    search.steps(query, { limit: MAX_RELATED + 1 }),
    yieldToEventLoop,
  );
  return results.filter((result) => result.asn !== asn).slice(0, MAX_RELATED);
}
