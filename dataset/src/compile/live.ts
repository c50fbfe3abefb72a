/**
 * The input of a live dataset: what the feeds say, and under it the embedded default for what they leave open. A table of ours is left out where a feed
 * says the same thing fresher: it is a snapshot for the time before the first download.
 */

import { isCountry } from '../country-code.ts';
import { addressBits } from '../prefix.ts';
import { countryOfRegion } from '../tables/cloud-regions.ts';
import { specialPurposeRanges } from '../tables/special-purpose.ts';
import type { CompileInput } from './compile.ts';
import type { Drive, Feed } from './feed.ts';
import type { Reading } from './intake.ts';
import type { FamilyRanges, PrefixList } from './parsed.ts';
import { Ranges } from './ranges.ts';
import type { NetworkList, Overlay, RangeSource, Statement } from './statements.ts';

export function liveInput(embedded: CompileInput, readings: readonly Reading[]): CompileInput {
  const overlays = readings.flatMap(overlaysOf);
  const overlaid = new Set(overlays.map(({ source }) => source.id));
  const hasExits = overlays.some(({ drives }) => drives.includes('is_tor_exit'));
  const tables = embedded.overlays.filter(
    ({ source, drives }) => !overlaid.has(source.id) && !(hasExits && drives.includes('is_tor_exit')),
  );
  return {
    ...embedded,
    routes: [
      ...readings.flatMap(({ parsed, source, feed }) =>
        parsed.shape === 'routes' && feed.drives.includes('routes')
          ? [{ source, ranges: parsed.ranges, rivals: parsed.rivals }]
          : [],
      ),
      ...embedded.routes,
    ],
    names: [...readings.flatMap(namesOf), ...embedded.names],
    countries: [...readings.flatMap(countriesOf), ...embedded.countries],
    delegations: readings.flatMap(({ parsed, source }) =>
      parsed.shape === 'delegations'
        ? [{ source, ranges: parsed.ranges, holders: parsed.holders, asns: parsed.asns }]
        : [],
    ),
    networkLists: readings.flatMap(networkListsOf),
    overlays: [...overlays, ...tables],
  };
}

function namesOf({ parsed, source, feed }: Reading): CompileInput['names'] {
  if (parsed.shape === 'names') return [{ source, names: parsed.names }];
  if (parsed.shape !== 'routes' || !feed.drives.includes('names')) return [];
  return [{ source, names: new Map([...parsed.names].map(([asn, name]) => [asn, { name }])) }];
}

function countriesOf({ parsed, source }: Reading): RangeSource[] {
  return parsed.shape === 'countries' ? [{ source, ranges: parsed.ranges }] : [];
}

function networkListsOf({ parsed, source, feed }: Reading): NetworkList[] {
  if (parsed.shape !== 'networks') return [];
  const { drives, connection_type, operator } = feed;
  return [
    {
      source,
      drives,
      networks: parsed.networks,
      ...(connection_type === undefined ? {} : { role: connection_type }),
      ...(operator === undefined ? {} : { operator }),
    },
  ];
}

function overlaysOf({ parsed, source, feed }: Reading): Overlay[] {
  if (parsed.shape !== 'prefixes') return [];
  const { drives, provider, company, operator } = feed;
  return [
    {
      source,
      drives,
      ranges: isThreat(drives) ? withoutBogons(parsed.ranges) : parsed.ranges,
      statements: statementsOf(parsed, feed),
      ...(provider === undefined ? {} : { provider }),
      ...(company === undefined ? {} : { company }),
      ...(operator === undefined ? {} : { operator }),
    },
  ];
}

/** A label is a country in a geofeed, a region in a cloud's list, a count in an aggregate of blocklists, the number of a listing elsewhere. */
function statementsOf({ labels }: PrefixList, { drives, format, provider, is_aggregate }: Feed): Statement[] {
  return labels.map((label): Statement => {
    if (drives.includes('country')) {
      const country = isCountry(label) ? label : provider === undefined ? undefined : countryOfRegion(provider, label);
      return country === undefined ? {} : { country };
    }
    // An aggregate that does not count found the address on one list at least.
    if (format === 'ip-count' || is_aggregate === true) return { lists: Number(label) || 1 };
    return label === '' || !drives.includes('criminal_netblock') ? {} : { label };
  });
}

const isThreat = (drives: readonly Drive[]) => drives.includes('blocklist') || drives.includes('criminal_netblock');

/** Nobody lists a /7 for what it did. Such rows are bogons (224.0.0.0/3) or mistakes, and would colour half the internet. */
const WIDEST = { 4: 8, 6: 19 } as const;

/** Aggregates list special-purpose space so that firewalls drop it. It did nothing, and may be the operator's own network. */
function withoutBogons(ranges: FamilyRanges): FamilyRanges {
  const real = (version: 4 | 6): Ranges => {
    const kept = new Ranges();
    const { starts, ends, values } = ranges[version];
    const widest = 1n << BigInt(addressBits(version) - WIDEST[version]);
    const reserved = specialPurposeRanges(version);
    for (let row = 0; row < values.length; row++) {
      const start = starts[row] as bigint;
      const end = ends[row] as bigint;
      const isReserved = reserved.some((range) => range.start <= start && end <= range.end);
      if (end - start < widest && !isReserved) kept.add(start, end, values[row] as number);
    }
    return kept;
  };
  return { 4: real(4), 6: real(6) };
}
