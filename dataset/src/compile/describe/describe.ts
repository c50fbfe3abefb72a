/**
 * What a record says from `country` on, and why. The input is everything that the sources state about a run of
 * addresses; this file decides between them, field by field.
 */
import { compareLastDays, isTooOld } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import { type ConnectionType, type Rir, type Source, THREAT_WEIGHTS, TYPE_SIGNALS } from '../../record.ts';
import type { Stated } from '../input/compile-input.ts';
import type { Listing } from '../layers/overlays.ts';
import type { Attributes } from './attributes.ts';
import type { Connection } from './connection.ts';
import {
  type Contribution,
  type Limit,
  limitPoints,
  REPORT_LIMITS,
  rateBlocklists,
  rateThreat,
  TOTAL_LIMITS,
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
  /** The day of the build, if lists are judged by their age. */
  readonly day: string | undefined;
};

/** A field, the source that decided it and, where the record does not show it, the value. */
export type Reason = readonly [field: string, source: Source, value?: number | string];

export function describe(facts: Facts): { attributes: Attributes; reasons: readonly Reason[] } {
  const reasons: Reason[] = [];
  const contributions: Contribution[] = [];
  const { route, name, connection, rir } = facts;
  /** Records the reason, if a source has a value. */
  const decide = <T>(field: string, stated: Stated<T> | undefined): Stated<T> | undefined => {
    if (stated !== undefined) reasons.push([field, stated.source]);
    return stated;
  };
  const listed = (drive: Drive) => facts.listings.find(({ overlay }) => overlay.drives.includes(drive));
  /** The list that counts longest, so that the flag ends with the last of several lists. */
  const longestListed = (drive: Drive) =>
    facts.listings
      .filter(({ overlay }) => overlay.drives.includes(drive))
      .sort((a, b) => compareLastDays(a.overlay.source, b.overlay.source))[0];

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
  /** A table that is too old still sets its flag, without points. */
  const contribute = (what: string, source: Source, points: number) => {
    const isOld = facts.day !== undefined && isTooOld(source, facts.day);
    contributions.push(isOld ? { what, source, points: 0, isTooOld: true } : { what, source, points });
  };
  const flag = (field: 'is_tor_exit' | 'is_proxy' | 'is_vpn', what: string, points: number, source?: Source) => {
    const decided = decide(field, source && { value: true, source });
    if (decided?.value === true && points > 0) contribute(what, decided.source, points);
    return decided?.value === true;
  };
  const criminal = longestListed('criminal_netblock');
  if (criminal !== undefined) {
    const what = ['criminal netblock', criminal.statement.label].filter(Boolean).join(' ');
    contributions.push({ what, source: criminal.overlay.source, points: THREAT_WEIGHTS.criminal_netblock });
  } else if (connection.criminal !== undefined) {
    const what = 'network of a criminal operator';
    contributions.push({ what, source: connection.criminal, points: THREAT_WEIGHTS.criminal_netblock });
  }
  const exit = longestListed('is_tor_exit');
  const relay = exit?.statement.label === undefined ? 'Tor exit' : `Tor exit of ${exit.statement.label}`;
  const tor = flag('is_tor_exit', relay, THREAT_WEIGHTS.tor_exit, exit?.overlay.source);
  const proxy = flag('is_proxy', 'public proxy', THREAT_WEIGHTS.proxy, longestListed('is_proxy')?.overlay.source);
  // Lists of VPN servers take in Tor exits; the score counts the anonymity once.
  const { operator, source: tunnel } = (tor ? undefined : tunnelOf(connection, facts.listings, provider?.value)) ?? {};
  const vpn = flag('is_vpn', operator === undefined ? 'VPN' : `VPN operator ${operator}`, THREAT_WEIGHTS.vpn, tunnel);
  contributions.push(...limitPoints(ratedBlocklists(facts), reportLimit(facts, provider?.value)));
  for (const { value, source } of facts.otherCountries)
    if (value !== country?.value) reasons.push(['country', source, value]);
  const limited = [
    ...limitPoints(contributions, totalLimit(facts, { tor, isMobile: (type?.value ?? connection.type) === 'mobile' })),
    ...tooOldContributions(facts),
  ];
  for (const { source, points } of limited) reasons.push(['threat.score', source, points]);
  reasons.push(...tooOldFlags(facts));
  const threat = rateThreat(limited);

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
  if (isRelayed(listings)) return REPORT_LIMITS.relay;
  return isCdn(provider) ? REPORT_LIMITS.cdn : undefined;
}

/** The most that all contributions add together, because of who uses the addresses. */
function totalLimit(
  { version, connection, listings }: Facts,
  { tor, isMobile }: { readonly tor: boolean; readonly isMobile: boolean },
): Limit | undefined {
  const service = operatorListed(listings, 'known_good');
  if (service !== undefined) return TOTAL_LIMITS.knownGood(service);
  if (listings.some(({ overlay }) => overlay.crawler !== undefined)) return TOTAL_LIMITS.crawler;
  const scanner = operatorListed(listings, 'scanner') ?? connection.scanner?.value;
  if (scanner !== undefined) return TOTAL_LIMITS.scanner(scanner);
  // Hijacked space has no users: its owner is the one who is listed.
  const isCriminal = listings.some(({ overlay }) => overlay.drives.includes('criminal_netblock'));
  if (isCriminal || connection.criminal !== undefined) return undefined;
  if (tor) return TOTAL_LIMITS.tor;
  // Mobile networks put thousands of phones behind an IPv4 address.
  return isMobile && version === 4 ? TOTAL_LIMITS.mobile : undefined;
}

/** Who uses the addresses, by the first list that says so. */
function operatorListed(listings: readonly Listing[], drive: 'scanner' | 'known_good'): string | undefined {
  const listing = listings.find((one) => one.overlay.drives.includes(drive) && operatorOf(one) !== undefined);
  return listing && operatorOf(listing);
}

const operatorOf = ({ overlay, statement }: Listing) => statement.label ?? overlay.operator;

function ratedBlocklists({ connection, listings }: Facts): Contribution[] {
  const entries = listings
    .filter(({ overlay }) => overlay.drives.includes('blocklist'))
    .map(({ overlay: { source, contains }, statement: { lists } }) => ({ source, lists, contains }));
  const counted = [
    ...listings.filter(({ overlay }) => overlay.tooOld === undefined).map(({ overlay }) => overlay.source),
    ...(connection.criminal ? [connection.criminal] : []),
  ];
  return rateBlocklists(withoutRepeated(entries, new Set(counted.map(({ id }) => id))));
}

type TooOldList = { readonly source: Source; readonly drive: Drive };

/** What lists say that are too old to count. */
function tooOldLists({ listings, connection }: Facts): TooOldList[] {
  return [...listings.map(({ overlay }) => overlay), ...(connection.tooOld ?? [])].flatMap(({ source, tooOld = [] }) =>
    tooOld.map((drive) => ({ source, drive })),
  );
}

const TOO_OLD_WORDS: Partial<Record<Drive, string>> = {
  is_tor_exit: 'Tor exit',
  is_proxy: 'public proxy',
  is_vpn: 'VPN',
  blocklist: 'on a blocklist',
  criminal_netblock: 'criminal netblock',
};

function tooOldContributions(facts: Facts): Contribution[] {
  return tooOldLists(facts).flatMap(({ source, drive }): Contribution[] => {
    const what = TOO_OLD_WORDS[drive];
    return what === undefined ? [] : [{ what, source, points: 0, isTooOld: true }];
  });
}

/** Evidence with the value 0, which stands for false. */
function tooOldFlags(facts: Facts): Reason[] {
  return tooOldLists(facts).flatMap(({ source, drive }): Reason[] => {
    if (drive === 'cloud_provider') return [['is_datacenter', source, 0]];
    return drive.startsWith('is_') ? [[drive, source, 0]] : [];
  });
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

/**
 * Names that the evidence shows and the record does not: the crawlers that fetch from an address, the VPN service or
 * privacy relay behind it, scanners, services that are known to be good, the operator of a Tor exit, the region of a
 * cloud. Several sources may name the same address; each gives a row.
 */
function evidenceNames({ connection: { vpn, scanner }, listings }: Pick<Facts, 'connection' | 'listings'>): Reason[] {
  const ofNetwork: Reason[] = vpn?.operator === undefined ? [] : [['vpn_service', vpn.source, vpn.operator]];
  if (scanner !== undefined && operatorListed(listings, 'scanner') === undefined)
    ofNetwork.push(['scanner', scanner.source, scanner.value]);
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

function namesOf(listing: Listing): Reason[] {
  const { source, drives, crawler, operator, isRelay } = listing.overlay;
  const { statement } = listing;
  const names: Reason[] = [];
  const add = (field: string, name: string | undefined) => {
    if (name !== undefined) names.push([field, source, name]);
  };
  add('crawler', crawler);
  for (const drive of ['scanner', 'known_good'] as const) if (drives.includes(drive)) add(drive, operatorOf(listing));
  if (isRelay === true) add('relay', operator ?? source.id);
  // A neighbour of servers is not named by the list.
  else if (drives.includes('is_vpn') && statement.isNeighbour !== true) add('vpn_service', operator);
  if (drives.includes('cloud_provider')) add('cloud_region', statement.region);
  return names;
}

/** VPNs and privacy relays: who says that people reach the internet through the addresses, and who is believed. */
type Tunnel = { readonly operator: string | undefined; readonly source: Source };

/**
 * Providers whose addresses deliver content. Generic VPN lists name them because privacy relays and security products
 * for companies leave from there; no VPN service does.
 */
const CDNS: ReadonlySet<string> = new Set(['Akamai', 'Bunny', 'Cloudflare', 'Fastly']);

const isCdn = (provider: string | undefined) => provider !== undefined && CDNS.has(provider);

const isRelayed = (listings: readonly Listing[]) => listings.some(({ overlay }) => overlay.isRelay === true);

/**
 * Who says that the addresses are exits of a VPN: the network, else a list, those of the services first. A relay that
 * hides addresses for privacy (iCloud Private Relay) is not a VPN, whatever other lists say.
 */
function tunnelOf(
  connection: Connection,
  listings: readonly Listing[],
  provider: string | undefined,
): Tunnel | undefined {
  if (isRelayed(listings)) return undefined;
  if (connection.vpn !== undefined) return connection.vpn;
  // A network that only weak signals call a datacenter may connect homes.
  const isHosting = connection.type === 'datacenter' && connection.signal === undefined;
  const overlays = listings
    .filter(({ statement }) => statement.isNeighbour !== true || isHosting)
    .map(({ overlay }) => overlay)
    .filter(({ drives }) => drives.includes('is_vpn'));
  const generic = isCdn(provider) ? undefined : overlays[0];
  const overlay = overlays.find(({ isGeneric }) => isGeneric !== true) ?? generic;
  return overlay && { operator: overlay.operator, source: overlay.source };
}
