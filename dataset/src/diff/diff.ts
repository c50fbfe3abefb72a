/**
 * What changed from one version of the dataset to another: one walk over the runs of both, with one run of each in
 * memory.
 *
 * - Announced prefixes are compared as prefixes: in one version only (`prefixes`), or in both with another origin
 *   (`origins`). Prefixes that more specific ones cover count too. Each is an entry of its own in lists and counts, and
 *   the sizes of nested prefixes add up.
 * - Everything else is compared by address, independent of the prefix. Adjacent addresses with the same change are one network
 *   in lists and counts, written as a prefix, or as `first-last` where they are not a prefix.
 * - `countries` and `levels` compare addresses that both versions answer. Flags and names also change where only one
 *   version answers: an address without a record has no flag and no name.
 *
 * IPv4 and IPv6 have separate lists, because /32s of IPv6 would fill a common one. tally.ts explains `addresses` of
 * IPv4 and `slash48s` of IPv6.
 */

import type { Dataset } from '../file/read.ts';
import { FLAGS, type Flag, type ThreatLevel } from '../record.ts';
import { AnnouncedPrefixes } from './announced.ts';
import { diffNetworks, type NetworkChanges } from './networks.ts';
import { forEachSegment } from './segments.ts';
import { Tally } from './tally.ts';
import { type Traits, TraitsCache } from './traits.ts';

type ComparedVersion = { version: number; built_at: string };
export type Amount = { ipv4: { count: number; addresses: number }; ipv6: { count: number; slash48s: number } };
/** `count` and sizes cover all changes; `largest` lists at most `limit` of them. */
export type Changes<Entry> = {
  ipv4: { count: number; addresses: number; largest: (Entry & { addresses: number })[] };
  ipv6: { count: number; slash48s: number; largest: (Entry & { slash48s: number })[] };
};
type NetworkName = { asn: number; asn_name: string };
type AnnouncedPrefix = { prefix: string; asn: number; asn_name: string };
type OriginChange = { prefix: string; from: NetworkName; to: NetworkName };
type CountryChange = { network: string; from: string; to: string };
type FlaggedNetwork = { network: string; asn: number; asn_name: string };
/** `from` or `to` is absent where that side has no name. */
type LabelChange = { network: string; from?: string; to?: string };
type CountryMove = { from: string; to: string } & Amount;
type LevelMove = { from: ThreatLevel; to: ThreatLevel } & Amount;
type SourceState = { as_of: string; records: number };
/** `from` or `to` is absent where that side does not have the source. */
type SourceChange = { id: string; from?: SourceState; to?: SourceState };

export type DatasetDiff = {
  from: ComparedVersion;
  to: ComparedVersion;
  limit: number;
  /** Whether the content is identical. */
  is_same: boolean;
  /** Addresses that only one of the versions answers. */
  addresses: { gained: Amount; lost: Amount };
  prefixes: { gained: Changes<AnnouncedPrefix>; lost: Changes<AnnouncedPrefix> };
  origins: Changes<OriginChange>;
  /** `moves` has the totals per pair of countries, the most IPv4 addresses first, at most `limit` of them. */
  countries: Changes<CountryChange> & { moves: CountryMove[] };
  levels: LevelMove[];
  flags: Record<Flag, { gained: Changes<FlaggedNetwork>; lost: Changes<FlaggedNetwork> }>;
  ai_company: Changes<LabelChange>;
  cloud_provider: Changes<LabelChange>;
  networks: NetworkChanges;
  sources: SourceChange[];
};

/** `limit`: entries per list. */
export function diffDatasets(before: Dataset, after: Dataset, limit: number): DatasetDiff {
  const traits = { before: new TraitsCache(before), after: new TraitsCache(after) };
  const tallies = {
    4: compareFamily(before, after, traits, 4, limit),
    6: compareFamily(before, after, traits, 6, limit),
  };
  const changes = <K extends string | number, Entry>(
    pick: (family: FamilyTallies) => Tally<K>,
    describe: (network: string, key: K) => Entry,
  ) => changesOf(pick(tallies[4]), pick(tallies[6]), describe);
  const nameIn = (dataset: Dataset) => (asn: number) => ({ asn, asn_name: dataset.asn(asn)?.asn_name ?? '' });
  const [nameBefore, nameAfter] = [nameIn(before), nameIn(after)];
  const label = (network: string, key: string): LabelChange => {
    const [from = '', to = ''] = key.split('\t');
    return { network, ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
  };

  return {
    from: { version: before.meta.version, built_at: before.meta.built_at },
    to: { version: after.meta.version, built_at: after.meta.built_at },
    limit,
    is_same: before.meta.content_sha256 === after.meta.content_sha256,
    addresses: {
      gained: amountOf(tallies[4].addressesGained, tallies[6].addressesGained),
      lost: amountOf(tallies[4].addressesLost, tallies[6].addressesLost),
    },
    prefixes: {
      gained: changes(
        (family) => family.prefixesGained,
        (prefix, asn) => ({ prefix, ...nameAfter(asn) }),
      ),
      lost: changes(
        (family) => family.prefixesLost,
        (prefix, asn) => ({ prefix, ...nameBefore(asn) }),
      ),
    },
    origins: changes(
      (family) => family.origins,
      (prefix, key) => {
        const [from = '', to = ''] = key.split('\t');
        return { prefix, from: nameBefore(Number(from)), to: nameAfter(Number(to)) };
      },
    ),
    countries: {
      ...changes(
        (family) => family.countries,
        (network, key) => {
          const [from = '', to = ''] = key.split('\t');
          return { network, from, to };
        },
      ),
      moves: movesOf<string>(tallies[4].countryMoves, tallies[6].countryMoves).slice(0, limit),
    },
    levels: movesOf<ThreatLevel>(tallies[4].levelMoves, tallies[6].levelMoves),
    flags: Object.fromEntries(
      FLAGS.map((flag, i) => [
        flag,
        {
          gained: changes(
            (family) => family.flagsGained[i] as Tally<number>,
            (network, asn) => ({ network, ...nameAfter(asn) }),
          ),
          lost: changes(
            (family) => family.flagsLost[i] as Tally<number>,
            (network, asn) => ({ network, ...nameBefore(asn) }),
          ),
        },
      ]),
    ) as DatasetDiff['flags'],
    ai_company: changes((family) => family.aiCompanies, label),
    cloud_provider: changes((family) => family.cloudProviders, label),
    networks: diffNetworks(before, after, limit),
    sources: sourceChanges(before, after),
  };
}

type FamilyTallies = ReturnType<typeof familyTallies>;

/** Keys are AS numbers, or the values before and after with a tab between them. */
function familyTallies(version: 4 | 6, limit: number) {
  return {
    addressesGained: new Tally<number>(version, 0),
    addressesLost: new Tally<number>(version, 0),
    prefixesGained: new Tally<number>(version, limit),
    prefixesLost: new Tally<number>(version, limit),
    origins: new Tally<string>(version, limit),
    countries: new Tally<string>(version, limit),
    countryMoves: new Map<string, Tally<string>>(),
    levelMoves: new Map<string, Tally<string>>(),
    flagsGained: FLAGS.map(() => new Tally<number>(version, limit)),
    flagsLost: FLAGS.map(() => new Tally<number>(version, limit)),
    aiCompanies: new Tally<string>(version, limit),
    cloudProviders: new Tally<string>(version, limit),
  };
}

/** The traits of addresses that a version does not answer. */
const NO_TRAITS = { flags: 0, aiCompany: '', cloudProvider: '' } as const satisfies Partial<Traits>;

function compareFamily(
  before: Dataset,
  after: Dataset,
  traits: { before: TraitsCache; after: TraitsCache },
  version: 4 | 6,
  limit: number,
): FamilyTallies {
  const tallies = familyTallies(version, limit);
  const prefixes = new AnnouncedPrefixes(before, after, version, {
    gained: (start, end, asn) => tallies.prefixesGained.add(start, end, asn),
    lost: (start, end, asn) => tallies.prefixesLost.add(start, end, asn),
    moved: (start, end, from, to) => tallies.origins.add(start, end, `${from}\t${to}`),
  });

  forEachSegment(before.runs(version), after.runs(version), (start, end, from, to) => {
    prefixes.visit(start, from, to);
    const old = from === 0 ? undefined : traits.before.at(from);
    const now = to === 0 ? undefined : traits.after.at(to);
    if (old === undefined) tallies.addressesGained.addRun(start, end, 0);
    else if (now === undefined) tallies.addressesLost.addRun(start, end, 0);
    else {
      if (old.country !== now.country) {
        const key = `${old.country}\t${now.country}`;
        tallies.countries.addRun(start, end, key);
        moveOf(tallies.countryMoves, key, version).addRun(start, end, key);
      }
      if (old.level !== now.level) {
        const key = `${old.level}\t${now.level}`;
        moveOf(tallies.levelMoves, key, version).addRun(start, end, key);
      }
    }
    const { flags: oldFlags, aiCompany: oldCompany, cloudProvider: oldProvider } = old ?? NO_TRAITS;
    const { flags, aiCompany, cloudProvider } = now ?? NO_TRAITS;
    if (oldFlags !== flags) {
      for (let i = 0; i < FLAGS.length; i++) {
        const bit = 1 << i;
        if ((flags & ~oldFlags & bit) !== 0) tallies.flagsGained[i]?.addRun(start, end, after.asnNumber(to));
        if ((oldFlags & ~flags & bit) !== 0) tallies.flagsLost[i]?.addRun(start, end, before.asnNumber(from));
      }
    }
    if (oldCompany !== aiCompany) tallies.aiCompanies.addRun(start, end, `${oldCompany}\t${aiCompany}`);
    if (oldProvider !== cloudProvider) tallies.cloudProviders.addRun(start, end, `${oldProvider}\t${cloudProvider}`);
  });
  prefixes.finish();
  return tallies;
}

function moveOf(moves: Map<string, Tally<string>>, key: string, version: 4 | 6): Tally<string> {
  let move = moves.get(key);
  if (move === undefined) {
    move = new Tally<string>(version, 0);
    moves.set(key, move);
  }
  return move;
}

function changesOf<K extends string | number, Entry>(
  ipv4: Tally<K>,
  ipv6: Tally<K>,
  describe: (network: string, key: K) => Entry,
): Changes<Entry> {
  return {
    ipv4: {
      count: ipv4.count,
      addresses: ipv4.size,
      largest: ipv4.largest().map(({ network, key, size }) => ({ ...describe(network, key), addresses: size })),
    },
    ipv6: {
      count: ipv6.count,
      slash48s: ipv6.size,
      largest: ipv6.largest().map(({ network, key, size }) => ({ ...describe(network, key), slash48s: size })),
    },
  };
}

type Totals = { readonly count: number; readonly size: number };

function amountOf(ipv4: Totals | undefined, ipv6: Totals | undefined): Amount {
  return {
    ipv4: { count: ipv4?.count ?? 0, addresses: ipv4?.size ?? 0 },
    ipv6: { count: ipv6?.count ?? 0, slash48s: ipv6?.size ?? 0 },
  };
}

/**
 * The most IPv4 addresses first, then the most IPv6 /48s; equal ones in alphabetical order, so that the order is
 * stable.
 */
function movesOf<Value extends string>(
  ipv4: ReadonlyMap<string, Totals>,
  ipv6: ReadonlyMap<string, Totals>,
): ({ from: Value; to: Value } & Amount)[] {
  return [...new Set([...ipv4.keys(), ...ipv6.keys()])]
    .sort()
    .map((key) => {
      // compareFamily made the key from two values of this type.
      const [from, to] = key.split('\t') as [Value, Value];
      return { from, to, ...amountOf(ipv4.get(key), ipv6.get(key)) };
    })
    .sort((a, b) => b.ipv4.addresses - a.ipv4.addresses || b.ipv6.slash48s - a.ipv6.slash48s);
}

function sourceChanges(before: Dataset, after: Dataset): SourceChange[] {
  const statesOf = ({ meta }: Dataset) =>
    new Map(meta.sources.map(({ id, as_of, records }) => [id, { as_of, records }] as const));
  const [old, now] = [statesOf(before), statesOf(after)];
  return [...new Set([...now.keys(), ...old.keys()])].map((id) => {
    const [from, to] = [old.get(id), now.get(id)];
    return { id, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  });
}
