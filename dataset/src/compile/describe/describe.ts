/**
 * What a record says from `country` on, and why. The input is everything that the sources state about a run of
 * addresses; this file decides between them, field by field. The operator's overrides are applied last.
 */

import type { Drive } from '../../feeds/feed.ts';
import { type ConnectionType, type Rir, type Source, type Threat, TYPE_SIGNALS } from '../../record.ts';
import type { Stated } from '../input/compile-input.ts';
import type { Relabel, Verdict } from '../input/overrides.ts';
import type { Listing } from '../layers/overlays.ts';
import { isCdn, isRelayed, tunnelOf } from './anonymity.ts';
import type { Attributes } from './attributes.ts';
import type { Connection } from './connection.ts';
import {
  type Contribution,
  LIMITS,
  levelOf,
  limitPoints,
  rateBlocklists,
  rateThreat,
  WEIGHTS,
  withoutRepeated,
} from './threat.ts';

export type Facts = {
  readonly version: 4 | 6;
  readonly route: Source;
  /** The prefix was made from ranges: whether a network announces it is unknown. */
  readonly isDerivedRoute: boolean;
  /** The source of the network's name; absent where it is called by its handle or number. */
  readonly name: Source | undefined;
  readonly connection: Connection;
  readonly rir: { readonly value: Rir; readonly source: Source };
  /** From the sources of countries. A listing that names a country comes before it. */
  readonly country: Stated<string> | undefined;
  /** What other sources of countries and the registry say, where it is a different country. */
  readonly otherCountries: readonly Stated<string>[];
  readonly listings: readonly Listing[];
  readonly overrides: AppliedOverrides | undefined;
};

/** What the overrides say about these addresses; at least one of the two is set. */
export type AppliedOverrides = {
  readonly source: Source;
  readonly relabel: Relabel | undefined;
  readonly verdict: Verdict | undefined;
};

/** A field, the source that decided it and, where the record does not show it, the value. */
export type Reason = readonly [field: string, source: Source, value?: number | string];

export function describe(facts: Facts): { attributes: Attributes; reasons: readonly Reason[] } {
  const reasons: Reason[] = [];
  const contributions: Contribution[] = [];
  const { route, name, connection, rir, overrides } = facts;
  const relabel = overrides?.relabel ?? {};
  /** The operator's value if there is one, else that of the source, else nothing. Records the reason. */
  const decide = <T>(field: keyof Relabel, stated: Stated<T> | undefined): Stated<T> | undefined => {
    const own = relabel[field] as T | null | undefined;
    if (own === undefined || overrides === undefined) {
      if (stated !== undefined) reasons.push([field, stated.source]);
      return stated;
    }
    reasons.push([field, overrides.source]);
    return own === null ? undefined : { value: own, source: overrides.source };
  };
  const listed = (drive: Drive) => facts.listings.find(({ overlay }) => overlay.drives.includes(drive));

  reasons.push(['prefix', route], ['asn', route]);
  if (facts.isDerivedRoute) reasons.push(['prefix_is_derived', route]);
  if (name !== undefined) reasons.push(['asn_name', name]);
  const country = decide('country', countryListed(facts.listings) ?? facts.country);
  reasons.push(['rir', rir.source]);
  const type = decide<ConnectionType>('connection_type', typeOf(connection, facts.listings));
  if (connection.signal !== undefined && type?.source === connection.decidedBy)
    reasons.push(['type_signal', connection.decidedBy, TYPE_SIGNALS[connection.signal]]);
  const cloud = listed('cloud_provider');
  const provider = decide(
    'cloud_provider',
    cloud?.overlay.provider !== undefined
      ? { value: cloud.overlay.provider, source: cloud.overlay.source }
      : connection.cloud_provider !== undefined
        ? { value: connection.cloud_provider, source: connection.decidedBy }
        : undefined,
  );

  const crawler = listed('is_ai_crawler');
  const company = decide(
    'ai_company',
    crawler?.overlay.company === undefined
      ? undefined
      : { value: crawler.overlay.company, source: crawler.overlay.source },
  );
  if (company !== undefined) reasons.push(['is_ai_crawler', company.source]);
  reasons.push(...evidenceNames(facts));
  const flag = (field: 'is_tor_exit' | 'is_proxy' | 'is_vpn', what: string, points: number, source?: Source) => {
    const decided = decide(field, source && { value: true, source });
    if (decided?.value === true && points > 0) contributions.push({ what, source: decided.source, points });
    return decided?.value === true;
  };
  const criminal = listed('criminal_netblock');
  if (criminal !== undefined) {
    const what = ['criminal netblock', criminal.statement.label].filter(Boolean).join(' ');
    contributions.push({ what, source: criminal.overlay.source, points: WEIGHTS.criminal_netblock });
  } else if (connection.criminal !== undefined) {
    const what = 'network of a criminal operator';
    contributions.push({ what, source: connection.criminal, points: WEIGHTS.criminal_netblock });
  }
  const exit = listed('is_tor_exit');
  const relay = exit?.statement.label === undefined ? 'Tor exit' : `Tor exit of ${exit.statement.label}`;
  const tor = flag('is_tor_exit', relay, WEIGHTS.tor_exit, exit?.overlay.source);
  const proxy = flag('is_proxy', 'public proxy', WEIGHTS.proxy, listed('is_proxy')?.overlay.source);
  // Lists of VPN servers take in Tor exits; the score counts the anonymity once.
  const { operator, source: tunnel } = (tor ? undefined : tunnelOf(connection, facts.listings, provider?.value)) ?? {};
  const vpn = flag('is_vpn', operator === undefined ? 'VPN' : `VPN operator ${operator}`, WEIGHTS.vpn, tunnel);
  contributions.push(...limitPoints(ratedBlocklists(facts), reportLimit(facts, provider?.value)));
  for (const { value, source } of facts.otherCountries)
    if (value !== country?.value) reasons.push(['country', source, value]);
  // Mobile networks put thousands of phones behind an IPv4 address. Hijacked space has no subscribers.
  const isShared = facts.version === 4 && (type?.value ?? connection.type) === 'mobile';
  if (isShared && criminal === undefined && connection.criminal === undefined)
    contributions.splice(0, contributions.length, ...limitPoints(contributions, LIMITS.mobile));
  for (const { source, points } of contributions) reasons.push(['threat.score', source, points]);
  const threat = applyVerdict(rateThreat(contributions), overrides, reasons);

  const attributes = {
    country: country?.value ?? 'ZZ',
    rir: rir.value,
    connection_type: type?.value ?? connection.type,
    tor,
    proxy,
    vpn,
    ai_company: company?.value,
    cloud_provider: provider?.value,
    threat,
  };
  return { attributes, reasons };
}

/** The most that blocklists add: their reports about these addresses say little. */
function reportLimit({ listings }: Facts, provider: string | undefined) {
  if (isRelayed(listings)) return LIMITS.relay;
  if (listings.some(({ overlay }) => overlay.crawler !== undefined)) return LIMITS.crawler;
  return isCdn(provider) ? LIMITS.cdn : undefined;
}

function ratedBlocklists({ connection, listings }: Facts): Contribution[] {
  const entries = listings
    .filter(({ overlay }) => overlay.drives.includes('blocklist'))
    .map(({ overlay: { source, contains }, statement: { lists } }) => ({ source, lists, contains }));
  const counted = [
    ...listings.map(({ overlay }) => overlay.source),
    ...(connection.criminal ? [connection.criminal] : []),
  ];
  return rateBlocklists(withoutRepeated(entries, new Set(counted.map(({ id }) => id))));
}

/** A provider states where its own addresses are used: in a geofeed (RFC 8805), or by the region of its cloud. */
function countryListed(listings: readonly Listing[]): Stated<string> | undefined {
  const listing = listings.find(({ overlay, statement }) => overlay.drives.includes('country') && statement.country);
  const value = listing?.statement.country;
  return value === undefined || listing === undefined ? undefined : { value, source: listing.overlay.source };
}

/**
 * A cloud's own list always decides, then what is known about these addresses in particular. A list of hosting prefixes
 * overrides only rules on names and signals.
 */
function typeOf(connection: Connection, listings: readonly Listing[]): Stated<ConnectionType> {
  const cloud = listings.find(({ overlay }) => overlay.drives.includes('cloud_provider'));
  if (cloud !== undefined) return { value: 'datacenter', source: cloud.overlay.source };
  const known = listings.find(({ statement }) => statement.type !== undefined);
  if (known?.statement.type !== undefined) return { value: known.statement.type, source: known.overlay.source };
  const hosting = listings.find(({ overlay }) => overlay.drives.includes('is_datacenter'));
  if (hosting !== undefined && !connection.isLabelled) return { value: 'datacenter', source: hosting.overlay.source };
  return { value: connection.type, source: connection.decidedBy };
}

/** The operator's verdict replaces the sum, and the explanation says so. */
function applyVerdict(threat: Threat, overrides: AppliedOverrides | undefined, reasons: Reason[]): Threat {
  if (overrides?.verdict === undefined) return threat;
  const { source } = overrides;
  const { kind, reason } = overrides.verdict;
  const because = reason === undefined ? '' : `: ${reason}`;
  const score = kind === 'deny' ? WEIGHTS.denied : 0;
  const line =
    kind === 'deny'
      ? `denied (${source.id}, ${source.as_of}): +${score}${because}`
      : `allowed (${source.id}, ${source.as_of}): 0 instead of ${threat.score}${because}`;
  reasons.push(['threat.score', source, score]);
  return { score, level: levelOf(score), explanation: [line, ...(threat.explanation ?? [])] };
}

/**
 * Names that the evidence shows and the record does not: the crawlers that fetch from an address, the VPN service or
 * privacy relay behind it, the operator of a Tor exit, the region of a cloud. Several sources may name the same
 * address; each gives a row.
 */
function evidenceNames({ connection: { vpn }, listings }: Pick<Facts, 'connection' | 'listings'>): Reason[] {
  const ofNetwork: Reason[] = vpn?.operator === undefined ? [] : [['vpn_service', vpn.source, vpn.operator]];
  const isExit = listings.some(({ overlay }) => overlay.drives.includes('is_tor_exit'));
  const operators = isExit ? listings.filter(({ overlay }) => overlay.namesTorOperators === true) : [];
  return [
    ...ofNetwork,
    ...listings.flatMap(namesOf),
    ...operators.flatMap(({ overlay: { source }, statement: { label } }): Reason[] =>
      label === undefined ? [] : [['tor_operator', source, label]],
    ),
  ];
}

function namesOf({ overlay: { source, drives, crawler, operator, isRelay }, statement }: Listing): Reason[] {
  const names: Reason[] = [];
  const add = (field: string, name: string | undefined) => {
    if (name !== undefined) names.push([field, source, name]);
  };
  add('crawler', crawler);
  if (isRelay === true) add('relay', operator ?? source.id);
  else if (drives.includes('is_vpn')) add('vpn_service', operator);
  if (drives.includes('cloud_provider')) add('cloud_region', statement.region);
  return names;
}
