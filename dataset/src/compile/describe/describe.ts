// What a record says from `country` on, and why: decides field by field between the statements of
// the sources.
import { compareLastDays } from '../../data-age.ts';
import type { Drive } from '../../feeds/feed.ts';
import type { ConnectionType, Rir, Source } from '../../record.ts';
import { neighbourWords, THREAT_WEIGHTS, TYPE_SIGNALS } from '../../record.ts';
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
  SCORING_DRIVES,
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
};

/** A field, the source that decided it and, where the record does not show it, the value. */
export type Reason = readonly [field: string, source: Source, value?: number | string];

type ListedFlag = 'is_tor_exit' | 'is_proxy' | 'is_vpn';
/**
 * The value of a flag in the evidence that a list states and the answer does not have; it stands
 * for false.
 */
const OVERRULED = 0;

export function describe(facts: Facts): { attributes: Attributes; reasons: readonly Reason[] } {
  const fields = decideFields(facts);
  const { country, provider, company, usedAs } = fields;
  const flags = decideFlags(facts, provider?.value);
  const { tor, proxy, vpn } = flags;
  const isMobile = usedAs === 'mobile';
  const blocklists = limitPoints(
    ratedBlocklists(facts, isMobile || usedAs === 'residential'),
    reportLimit(facts, provider?.value),
  );
  const rated = limitPoints(
    [...criminalContributions(facts), ...flags.contributions, ...blocklists],
    totalLimit(facts, { tor, isMobile }),
  );
  const attributes = {
    country: country?.value ?? 'ZZ',
    rir: facts.rir.value,
    connection_type: usedAs,
    tor,
    proxy,
    vpn,
    ai_company: company?.value,
    cloud_provider: provider?.value,
    threat: rateThreat(rated),
  };
  const otherCountries = facts.otherCountries
    .filter(({ value }) => value !== country?.value)
    .map(({ value, source }): Reason => ['country', source, value]);
  const reasons = [
    ...reasonsOfFields(facts, fields),
    ...evidenceNames(facts),
    ...flags.reasons,
    ...otherCountries,
    ...rated.flatMap(reasonsOfPoints),
    ...tooOldReasons(facts),
  ];
  return { attributes, reasons };
}

type Fields = {
  readonly country: Stated<string> | undefined;
  readonly type: Stated<ConnectionType> | undefined;
  /** The type, or that of the network. */
  readonly usedAs: ConnectionType;
  readonly provider: Stated<string> | undefined;
  readonly company: Stated<string> | undefined;
};

function decideFields(facts: Facts): Fields {
  const { connection, listings } = facts;
  const type = typeOf(connection, listings);
  const { company, source } = listedAs('is_ai_crawler', listings)[0]?.overlay ?? {};
  return {
    country: countryListed(listings) ?? facts.country,
    type,
    usedAs: type?.value ?? connection.type,
    provider: providerOf(facts),
    company: company === undefined || source === undefined ? undefined : { value: company, source },
  };
}

function reasonsOfFields(
  { route, isDerivedRoute, name, rir, connection }: Facts,
  { country, type, provider, company }: Fields,
): Reason[] {
  const reasons: Reason[] = [
    ['prefix', route],
    ['asn', route],
  ];
  if (isDerivedRoute) reasons.push(['prefix_is_derived', route]);
  if (name !== undefined) reasons.push(['asn_name', name]);
  if (country !== undefined) reasons.push(['country', country.source]);
  reasons.push(['rir', rir.source]);
  if (type !== undefined) reasons.push(['connection_type', type.source]);
  if (connection.signal !== undefined && type?.source === connection.decidedBy)
    reasons.push(['type_signal', connection.decidedBy, TYPE_SIGNALS[connection.signal]]);
  if (provider !== undefined) reasons.push(['cloud_provider', provider.source]);
  if (company !== undefined)
    reasons.push(['ai_company', company.source], ['is_ai_crawler', company.source]);
  return reasons;
}

/** Tor, public proxies and VPN servers, unless an operator vouches for the address. */
function decideFlags(facts: Facts, provider: string | undefined) {
  const { listings } = facts;
  const reasons: Reason[] = [];
  const contributions: Contribution[] = [];
  const isOverruled = operatorListed(listings, 'known_good') !== undefined;
  const flag = (
    field: ListedFlag,
    what: string,
    points: number,
    source?: Source,
    neighbours?: number,
  ): boolean => {
    if (source === undefined) return false;
    if (isOverruled) {
      reasons.push([field, source, OVERRULED]);
      return false;
    }
    reasons.push(neighbours === undefined ? [field, source] : [field, source, neighbours]);
    contributions.push({ what, source, points });
    return true;
  };
  const exit = longestListed('is_tor_exit', listings);
  const relay =
    exit?.statement.label === undefined ? 'Tor exit' : `Tor exit of ${exit.statement.label}`;
  const tor = flag('is_tor_exit', relay, THREAT_WEIGHTS.tor_exit, exit?.overlay.source);
  const { source: proxies } = longestListed('is_proxy', listings)?.overlay ?? {};
  const proxy = flag('is_proxy', 'public proxy', THREAT_WEIGHTS.proxy, proxies);
  // Lists of VPN servers take in Tor exits; the score counts the anonymity once.
  const tunnels = tor ? [] : tunnelsOf(facts, provider);
  const tunnel = tunnels.find((found) => !found.isOverruled);
  const { what = '', source, neighbours } = tunnel ?? {};
  const vpn = flag('is_vpn', what, THREAT_WEIGHTS.vpn, source, neighbours);
  if (tunnel === undefined)
    reasons.push(...tunnels.map((found): Reason => ['is_vpn', found.source, OVERRULED]));
  return { tor, proxy, vpn, reasons, contributions };
}

function criminalContributions({ listings, connection }: Facts): Contribution[] {
  const points = THREAT_WEIGHTS.criminal_netblock;
  const listed = longestListed('criminal_netblock', listings);
  if (listed !== undefined) {
    const what = ['criminal netblock', listed.statement.label].filter(Boolean).join(' ');
    return [{ what, source: listed.overlay.source, points }];
  }
  const source = connection.criminal;
  return source === undefined ? [] : [{ what: 'network of a criminal operator', source, points }];
}

function reasonsOfPoints({ source, points, limited }: Contribution): Reason[] {
  const reasons: Reason[] = [['threat.score', source, points]];
  if (points === 0 && limited !== undefined) reasons.push(['threat.limit', source, limited]);
  return reasons;
}

function listedAs(drive: Drive, listings: readonly Listing[]): Listing[] {
  return listings.filter(({ overlay }) => overlay.drives.includes(drive));
}

/** In the list that counts longest, so that a flag ends with the last of several lists. */
function longestListed(drive: Drive, listings: readonly Listing[]): Listing | undefined {
  const [longest] = listedAs(drive, listings).sort((a, b) =>
    compareLastDays(a.overlay.source, b.overlay.source),
  );
  return longest;
}

/**
 * The provider that rents out the addresses. Services that the owner of a cloud runs for itself are
 * not for rent, also where the list of the cloud has the range around them.
 */
function providerOf({ connection, listings }: Facts): Stated<string> | undefined {
  const listed = listedAs('cloud_provider', listings);
  if (listed.some(({ overlay }) => overlay.provider === undefined)) return undefined;
  const { provider, source } = listed[0]?.overlay ?? {};
  if (provider !== undefined && source !== undefined) return { value: provider, source };
  return connection.cloud_provider === undefined
    ? undefined
    : { value: connection.cloud_provider, source: connection.decidedBy };
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
  const isCriminal = listedAs('criminal_netblock', listings).length > 0;
  if (isCriminal || connection.criminal !== undefined) return undefined;
  if (tor) return TOTAL_LIMITS.tor;
  // Mobile networks put thousands of phones behind an IPv4 address.
  return isMobile && version === 4 ? TOTAL_LIMITS.mobile : undefined;
}

/** Who uses the addresses, by the first list that says so. */
function operatorListed(
  listings: readonly Listing[],
  drive: 'scanner' | 'known_good',
): string | undefined {
  const listing = listings.find(
    (listing) => listing.overlay.drives.includes(drive) && operatorOf(listing) !== undefined,
  );
  return listing && operatorOf(listing);
}

const operatorOf = ({ overlay, statement }: Listing) => statement.label ?? overlay.operator;

function ratedBlocklists({ connection, listings }: Facts, isHome: boolean): Contribution[] {
  const entries = listings
    .filter(({ overlay }) => overlay.drives.includes('blocklist'))
    .map(({ overlay: { source, contains, isDirect }, statement: { lists } }) => ({
      source,
      lists,
      contains,
      isDirect,
    }));
  const counted = [
    ...listings
      .filter(({ overlay }) => overlay.tooOld === undefined)
      .map(({ overlay }) => overlay.source),
    ...(connection.criminal ? [connection.criminal] : []),
  ];
  const counting = withoutRepeated(entries, new Set(counted.map(({ id }) => id)));
  return rateBlocklists(counting, isHome);
}

function tooOldReasons({ listings, connection }: Facts): Reason[] {
  const lists = [...listings.map(({ overlay }) => overlay), ...(connection.tooOld ?? [])];
  return lists.flatMap(({ source, tooOld = [] }) =>
    tooOld.flatMap((drive): Reason[] => {
      const flag = drive === 'cloud_provider' ? 'is_datacenter' : drive;
      return [
        ...(SCORING_DRIVES.includes(drive) ? [['threat.score', source, 0] as const] : []),
        ...(flag.startsWith('is_') ? [[flag, source, OVERRULED] as const] : []),
      ];
    }),
  );
}

/**
 * A provider states where its own addresses are used: in a geofeed (RFC 8805), or by the region of
 * its cloud.
 */
function countryListed(listings: readonly Listing[]): Stated<string> | undefined {
  const listing = listings.find(
    ({ overlay, statement }) => overlay.drives.includes('country') && statement.country,
  );
  const value = listing?.statement.country;
  return value === undefined || listing === undefined
    ? undefined
    : { value, source: listing.overlay.source };
}

/**
 * A cloud's own list decides first. A list of hosting prefixes overrides only rules on names and
 * signals.
 */
function typeOf(connection: Connection, listings: readonly Listing[]): Stated<ConnectionType> {
  const [cloud] = listedAs('cloud_provider', listings);
  if (cloud !== undefined) return { value: 'datacenter', source: cloud.overlay.source };
  const listing = listings.find(({ statement }) => statement.type !== undefined);
  if (listing?.statement.type !== undefined)
    return { value: listing.statement.type, source: listing.overlay.source };
  const [hosting] = listedAs('is_datacenter', listings);
  if (hosting !== undefined && !connection.isLabelled)
    return { value: 'datacenter', source: hosting.overlay.source };
  return { value: connection.type, source: connection.decidedBy };
}

/**
 * Names that the evidence shows and the record does not. Each source that names the address gives a
 * row.
 */
function evidenceNames({
  connection: { vpn, scanner },
  listings,
}: Pick<Facts, 'connection' | 'listings'>): Reason[] {
  const ofNetwork: Reason[] =
    vpn?.operator === undefined ? [] : [['vpn_service', vpn.source, vpn.operator]];
  if (scanner !== undefined && operatorListed(listings, 'scanner') === undefined)
    ofNetwork.push(['scanner', scanner.source, scanner.value]);
  const isExit = listedAs('is_tor_exit', listings).length > 0;
  const operators = isExit
    ? listings.filter(({ overlay }) => overlay.namesTorOperators === true)
    : [];
  return [
    ...ofNetwork,
    ...listings.flatMap(namesOf),
    ...operators.flatMap(({ overlay: { source }, statement: { label } }): Reason[] =>
      label === undefined ? [] : [['tor_operator', source, label]],
    ),
  ];
}

function namesOf(listing: Listing): Reason[] {
  const { source, drives, crawler, operator } = listing.overlay;
  const { statement } = listing;
  const names: Reason[] = [];
  const add = (field: string, name: string | undefined) => {
    if (name !== undefined) names.push([field, source, name]);
  };
  add('crawler', crawler);
  for (const drive of ['scanner', 'known_good'] as const)
    if (drives.includes(drive)) add(drive, operatorOf(listing));
  if (isRelayListing(listing)) add('relay', operator ?? source.id);
  // A neighbour of servers is not named by the list.
  else if (drives.includes('is_vpn') && statement.neighbours === undefined)
    add('vpn_service', operator);
  if (drives.includes('cloud_provider')) add('cloud_region', statement.region);
  return names;
}

/**
 * VPNs and privacy relays: who says that people reach the internet through the addresses, and who
 * is believed.
 */
type Tunnel = {
  readonly what: string;
  readonly source: Source;
  /** Listed servers next to the addresses, which the list itself does not name. */
  readonly neighbours?: number | undefined;
  /** It is inferred, and another list names who uses the addresses. */
  readonly isOverruled: boolean;
};

const operatedBy = (operator: string | undefined) =>
  operator === undefined ? 'VPN' : `VPN operator ${operator}`;

/**
 * CDNs. Generic VPN lists name them because privacy relays and security products leave from there.
 */
const CDNS: ReadonlySet<string> = new Set(['Akamai', 'Bunny', 'Cloudflare', 'Fastly']);

const isCdn = (provider: string | undefined) => provider !== undefined && CDNS.has(provider);

const isRelayListing = ({ overlay: { isRelay, tooOld } }: Listing) =>
  isRelay === true && tooOld === undefined;

const isRelayed = (listings: readonly Listing[]) => listings.some(isRelayListing);

/**
 * Whether the user of the addresses is known. A cloud rents its addresses out, so its list does not
 * say it.
 */
function isNamed({ connection, listings }: Facts, provider: string | undefined): boolean {
  const naming: readonly Drive[] = ['known_good', 'scanner', 'crawler', 'is_ai_crawler'];
  const drives = listings.flatMap(({ overlay }) => overlay.drives);
  return (
    isCdn(provider) ||
    connection.scanner !== undefined ||
    drives.some((drive) => naming.includes(drive))
  );
}

/**
 * Who says that the addresses are exits of a VPN, the most trusted first. A privacy relay is never
 * a VPN.
 */
function tunnelsOf(facts: Facts, provider: string | undefined): Tunnel[] {
  const { connection, listings } = facts;
  if (isRelayed(listings)) return [];
  const isOverruling = isNamed(facts, provider);
  // A network that only weak signals call a datacenter may connect homes.
  const isHosting = connection.type === 'datacenter' && connection.signal === undefined;
  const rank = ({ overlay, statement: { isWide = false, neighbours } }: Listing) => {
    if (overlay.isGeneric !== true) return 0;
    if (neighbours !== undefined) return 3;
    return isWide ? 2 : 1;
  };
  const lists = listings
    .filter(
      ({ overlay }) =>
        overlay.drives.includes('is_vpn') && !(overlay.isGeneric === true && isCdn(provider)),
    )
    .filter(({ statement }) => statement.neighbours === undefined || isHosting)
    .sort((a, b) => rank(a) - rank(b))
    .map((listing): Tunnel => {
      const { operator, source } = listing.overlay;
      const { neighbours } = listing.statement;
      const what =
        neighbours === undefined ? operatedBy(operator) : `VPN, ${neighbourWords(neighbours)}`;
      return { what, source, neighbours, isOverruled: isOverruling && rank(listing) > 1 };
    });
  if (connection.vpn === undefined) return lists;
  const { operator, source } = connection.vpn;
  return [{ what: operatedBy(operator), source, isOverruled: isOverruling }, ...lists];
}
