// The input of a live dataset: the feeds, and after them the embedded default for what they do not cover. A built-in
// table is left out where a feed has newer data of the same kind.
import { isCountry } from '../country-code.ts';
import { cloudRegions } from '../data-files/data-files.ts';
import { type Feed, isSupplementary } from '../feeds/feed.ts';
import type { IngestedFeed } from '../feeds/ingest.ts';
import type { PrefixList } from '../feeds/parsed.ts';
import { Ranges } from '../ranges.ts';
import {
  type CompileInput,
  type NetworkList,
  type Overlay,
  type RangeSource,
  type Statement,
  withoutTooOld,
} from './input/compile-input.ts';

export function liveInput(embedded: CompileInput, all: readonly IngestedFeed[], day?: string): CompileInput {
  const ingested = all.filter(({ feed }) => !isSupplementary(feed));
  const fromFeeds = ingested.map((feed) => ({
    feed,
    overlays: overlaysOf(feed).map((list) => withoutRoles(withoutTooOld(list, day))),
  }));
  const overlays = fromFeeds.flatMap(({ feed, overlays: own }) => {
    const primary = fromFeeds.find(({ feed: other }) => other.feed.id === feed.feed.fallback_for)?.overlays ?? [];
    return own.flatMap((overlay) => splitByFamily(overlay, primary.filter(isCounting)).needed);
  });
  const overlaid = new Set(overlays.filter(isCounting).map(({ source }) => source.id));
  const exits = overlays.filter(({ drives }) => drives.includes('is_tor_exit'));
  const tables = embedded.overlays
    .filter(({ source }) => !overlaid.has(source.id))
    .flatMap((table): Overlay[] => {
      if (!table.drives.includes('is_tor_exit')) return [table];
      const { needed, replaced } = splitByFamily(table, exits);
      // The table still names the operators of exits that the feed lists.
      return [...needed, ...replaced.map((overlay) => ({ ...overlay, drives: [] }))];
    });
  return {
    ...embedded,
    day: day ?? embedded.day,
    routes: [
      ...ingested.flatMap(({ parsed, source, feed }) =>
        parsed.shape === 'routes' && feed.drives.includes('routes')
          ? [{ source, ranges: parsed.ranges, otherOrigins: parsed.otherOrigins, isDerived: parsed.isDerived }]
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

/** A list that is too old does not make relays or crawlers of addresses either. */
function withoutRoles(overlay: Overlay): Overlay {
  if (isCounting(overlay)) return overlay;
  const { isRelay, crawler, ...rest } = overlay;
  return rest;
}

const isCounting = ({ tooOld }: Overlay) => tooOld === undefined;

/** `needed`: the families of which `primary` has no row. A list of IPv4 says nothing about IPv6. */
function splitByFamily(overlay: Overlay, primary: readonly Overlay[]): Record<'needed' | 'replaced', Overlay[]> {
  const isReplaced = (version: 4 | 6) => primary.some(({ ranges }) => ranges[version].length > 0);
  const part = (wanted: boolean): Overlay[] => {
    const ranges = {
      4: isReplaced(4) === wanted ? overlay.ranges[4] : new Ranges(),
      6: isReplaced(6) === wanted ? overlay.ranges[6] : new Ranges(),
    };
    return ranges[4].length + ranges[6].length === 0 ? [] : [{ ...overlay, ranges }];
  };
  return { needed: primary.length === 0 ? [overlay] : part(false), replaced: part(true) };
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
  return [{ source, drives, networks: parsed.networks, role: connection_type, operator }];
}

function overlaysOf({ parsed, source, feed }: IngestedFeed): Overlay[] {
  if (parsed.shape !== 'prefixes') return [];
  const { drives, provider, company, operator, crawler, is_relay, is_generic, asns, contains } = feed;
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
      namesTorOperators: feed.format === 'onionoo',
    },
  ];
}

/** What a label means depends on the feed: a country, a region, a count, the number of a listing. */
function statementsOf({ labels }: PrefixList, { drives, format, provider, is_aggregate }: Feed): Statement[] {
  return labels.map((label): Statement => {
    if (drives.includes('country')) {
      if (isCountry(label)) return { country: label };
      const country = provider === undefined ? undefined : countryOfRegion(provider, label);
      const region = provider === undefined || label === '' ? {} : { region: label };
      return country === undefined ? region : { country, ...region };
    }
    // An aggregate without a count found the address on at least one list.
    if (format === 'ip-count' || is_aggregate === true) return { lists: Number(label) || 1 };
    const isShown = drives.includes('criminal_netblock') || format === 'onionoo' || format === 'named-scanners';
    return label === '' || !isShown ? {} : { label };
  });
}

/** Undefined for regions in several countries. An AWS zone that is not listed is in the country of its region. */
export function countryOfRegion(provider: string, region: string): string | undefined {
  const regionOfZone = provider === 'AWS' ? (/^[a-z-]+-[0-9]+(?=-)/.exec(region)?.[0] ?? '') : '';
  return (cloudRegions.find(provider, region) ?? cloudRegions.find(provider, regionOfZone))?.country;
}
