// The input of a live dataset: the feeds, and after them the embedded default for what they do not
// cover. A built-in table is left out where a feed has newer data of the same kind.

import { cloudRegions } from '../data-files/data-files.ts';
import type { Feed } from '../feeds/feed.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import type { PrefixList } from '../feeds/parsed.ts';
import { Ranges } from '../ranges.ts';
import { isCountry } from '../record.ts';
import {
  type CompileInput,
  type NetworkList,
  type Overlay,
  type RangeSource,
  type Statement,
  withoutTooOld,
} from './input/compile-input.ts';

export function liveInput(
  embedded: CompileInput,
  ingested: readonly IngestedFeed[],
  day?: string,
): CompileInput {
  const fromFeeds = ingested.map((feed) => ({
    feed,
    overlays: overlaysOf(feed).map((list) => withoutTooOld(list, day)),
  }));
  const overlays = fromFeeds.flatMap(({ feed, overlays: own }) => {
    const primary =
      fromFeeds.find(({ feed: other }) => other.feed.id === feed.feed.fallback_for)?.overlays ?? [];
    return own.flatMap((overlay) => missingFamilies(overlay, primary.filter(isCounting)));
  });
  const overlaid = new Set(overlays.filter(isCounting).map(({ source }) => source.id));
  const tables = embedded.overlays.filter(({ source }) => !overlaid.has(source.id));
  return {
    ...embedded,
    day: day ?? embedded.day,
    routes: [
      ...ingested.flatMap(({ parsed, source, feed }) =>
        parsed.shape === 'routes' && feed.drives.includes('routes')
          ? [
              {
                source,
                ranges: parsed.ranges,
                otherOrigins: parsed.otherOrigins,
                isDerived: parsed.isDerived,
              },
            ]
          : [],
      ),
      ...embedded.routes,
    ],
    names: [...ingested.flatMap(namesOf), ...embedded.names],
    countries: [...ingested.flatMap(countriesOf), ...embedded.countries],
    delegations: ingested.flatMap(({ parsed, source }) =>
      parsed.shape === 'delegations'
        ? [{ source, ranges: parsed.ranges, holders: parsed.holders, asns: parsed.asns }]
        : [],
    ),
    networkLists: ingested.flatMap(networkListsOf).map((list) => withoutTooOld(list, day)),
    overlays: [...overlays, ...tables],
  };
}

const isCounting = ({ tooOld }: Overlay) => tooOld === undefined;

/** The families of which `primary` has no row. A list of IPv4 says nothing about IPv6. */
function missingFamilies(overlay: Overlay, primary: readonly Overlay[]): Overlay[] {
  if (primary.length === 0) return [overlay];
  const rangesOf = (version: 4 | 6) =>
    primary.some(({ ranges }) => ranges[version].length > 0)
      ? new Ranges()
      : overlay.ranges[version];
  const ranges = { 4: rangesOf(4), 6: rangesOf(6) };
  return ranges[4].length + ranges[6].length === 0 ? [] : [{ ...overlay, ranges }];
}

function namesOf({ parsed, source, feed }: IngestedFeed): CompileInput['names'] {
  if (parsed.shape === 'names') return [{ source, names: parsed.names }];
  if (parsed.shape !== 'routes' || !feed.drives.includes('names')) return [];
  return [{ source, names: new Map([...parsed.names].map(([asn, name]) => [asn, { name }])) }];
}

function countriesOf({ parsed, source }: IngestedFeed): RangeSource[] {
  return parsed.shape === 'countries' ? [{ source, ranges: parsed.ranges }] : [];
}

function networkListsOf({ parsed, source, feed }: IngestedFeed): NetworkList[] {
  if (parsed.shape !== 'networks') return [];
  const { drives, connection_type, operator } = feed;
  return [{ source, drives, networks: parsed.networks, type: connection_type, operator }];
}

function overlaysOf({ parsed, source, feed }: IngestedFeed): Overlay[] {
  if (parsed.shape !== 'prefixes') return [];
  const { drives, provider, company, operator, crawler } = feed;
  const { is_relay, is_generic, asns, contains, direct } = feed;
  return [
    {
      source,
      drives,
      ranges: parsed.ranges,
      statements: statementsOf(parsed, feed),
      provider,
      company,
      operator,
      crawler,
      isRelay: is_relay,
      isGeneric: is_generic,
      asns: asns && new Set(asns),
      contains,
      isDirect: direct,
      namesTorOperators: feed.format === 'onionoo',
    },
  ];
}

/**
 * What a label means depends on the feed: a country, a region, a count, the number of a listing.
 */
function statementsOf(
  { labels }: PrefixList,
  { drives, format, provider, is_aggregate }: Feed,
): Statement[] {
  return labels.map((label): Statement => {
    if (drives.includes('country')) {
      if (isCountry(label)) return { country: label };
      const country = provider === undefined ? undefined : countryOfRegion(provider, label);
      const region = provider === undefined || label === '' ? {} : { region: label };
      return country === undefined ? region : { country, ...region };
    }
    // An aggregate without a count found the address on at least one list.
    if (format === 'ip-count' || is_aggregate === true) return { lists: Number(label) || 1 };
    const isShown =
      drives.includes('criminal_netblock') || format === 'onionoo' || format === 'named-scanners';
    return label === '' || !isShown ? {} : { label };
  });
}

/**
 * Undefined for regions in several countries. An AWS zone that is not listed is in the country of
 * its region.
 */
export function countryOfRegion(provider: string, region: string): string | undefined {
  const regionOfZone = provider === 'AWS' ? (/^[a-z-]+-[0-9]+(?=-)/.exec(region)?.[0] ?? '') : '';
  return (cloudRegions.find(provider, region) ?? cloudRegions.find(provider, regionOfZone))
    ?.country;
}
