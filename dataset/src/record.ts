/** A dataset file stores positions in this list and in RIRS: append to them, never reorder. */
export const CONNECTION_TYPES = [
  'residential',
  'mobile',
  'datacenter',
  'business',
  'education',
] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

export const RIRS = ['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'] as const;
export type Rir = (typeof RIRS)[number];

export const THREAT_LEVELS = ['low', 'medium', 'high', 'critical'] as const;
export type ThreatLevel = (typeof THREAT_LEVELS)[number];

function flagFact(rank: number, word: string, many: string, isShortLived: boolean, about: string) {
  return { word, many, rank, isShortLived, about };
}

/**
 * In the order of the interface specification. Pages show flags by `rank`. A short-lived kind
 * changes daily.
 */
export const FLAG_FACTS = {
  is_datacenter: flagFact(5, 'datacenter', 'datacenters', false, 'connection_type is datacenter.'),
  is_tor_exit: flagFact(1, 'Tor exit', 'Tor exits', true, 'A Tor exit node.'),
  is_proxy: flagFact(3, 'proxy', 'proxies', true, 'A known proxy.'),
  is_vpn: flagFact(2, 'VPN', 'VPN addresses', true, 'Belongs to a VPN provider.'),
  is_residential: flagFact(
    6,
    'residential',
    'home connections',
    false,
    'connection_type is residential.',
  ),
  is_mobile: flagFact(7, 'mobile', 'mobile connections', false, 'connection_type is mobile.'),
  is_ai_crawler: flagFact(4, 'AI crawler', 'AI crawlers', true, 'Used by an AI crawler or bot.'),
};
export type Flag = keyof typeof FLAG_FACTS;
// Its keys are the flags and nothing else.
export const FLAGS = Object.keys(FLAG_FACTS) as Flag[];
export const byFlag = <Value>(make: (flag: Flag) => Value) =>
  Object.fromEntries(FLAGS.map((flag) => [flag, make(flag)])) as Record<Flag, Value>;

type Detected = Record<Flag, boolean> & { ai_company?: string; cloud_provider?: string };
export type Detection = { [Name in keyof Detected]: Detected[Name] };

/** The flags of an answer, and kinds of lists that no flag shows. */
export const FLAG_SUBJECTS = [...FLAGS, 'blocklists', 'criminal_netblocks', 'relay'] as const;
export type FlagSubject = (typeof FLAG_SUBJECTS)[number];

/**
 * `feeds`: lists that an update downloads. `tables`: only the tables of this repository. `none`:
 * nothing.
 */
export type FlagSource = {
  from: 'feeds' | 'tables' | 'none';
  sources: string[];
  /** The date of the oldest feed, or of the oldest table where no feed decides. */
  as_of?: string;
  /** Ids of sources that are too old to count. Added when it is shown: it depends on the day. */
  too_old?: string[];
};
export type FlagSources = Record<FlagSubject, FlagSource>;

/** Levels by the lowest score of each. */
export function levelOf(score: number): ThreatLevel {
  if (score >= 75) return 'critical';
  if (score >= 50) return 'high';
  return score >= 25 ? 'medium' : 'low';
}

/** Points of what a score is made of. */
export const THREAT_WEIGHTS = {
  criminal_netblock: 90,
  tor_exit: 45,
  proxy: 35,
  vpn: 15,
  denied: 100,
} as const;

export type Threat = { score: number; level: ThreatLevel; explanation?: string[] };

/**
 * Per address family, whether scores are complete: a broad list of attackers and the list of Tor
 * exits are current.
 */
export type ThreatKnowledge = { ipv4: boolean; ipv6: boolean };

/**
 * Why a score may be too low: the kind of list that is missing, or a list with the address that has
 * expired.
 */
export type ThreatGap = 'blocklists' | 'is_tor_exit' | 'expired_list';

export type IpRecord = {
  ip: string;
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  /** Absent for own networks in space that no registry keeps. */
  rir?: Rir;
  connection_type: ConnectionType;
  detection: Detection;
  threat: Threat;
};

/** The source that decided a field, the prefix for which it says so, and the date of the source. */
export type Evidence = {
  field: string;
  value: string | number | boolean;
  source: string;
  prefix: string;
  as_of: string;
  /**
   * Why it has this value or these points: `list of 2025-04-15, too old to count`,
   * `neighbour of 7 listed servers`.
   */
  note?: string;
};

/** What the evidence says of a list that is. */
export const TOO_OLD = 'too old to count';

/** Why an address that a list does not name has its flag. */
export const neighbourWords = (servers: number): string => `neighbour of ${servers} listed servers`;

/** Names in the evidence that a list gives to the addresses on it, and that end with it. */
export const AGING_NAMES: readonly string[] = [
  'crawler',
  'relay',
  'vpn_service',
  'tor_operator',
  'scanner',
];

/**
 * What decided a type that is the sum of weak signals, with the letters that stand for it in the
 * file.
 */
export const TYPE_SIGNALS = {
  name: 'NA',
  registration: 'RE',
  announcements: 'AN',
  assumed: 'AS',
} as const;
export type TypeSignal = keyof typeof TYPE_SIGNALS;

export type AsnRecord = {
  asn: number;
  asn_name: string;
  country: string;
  /** Absent for own networks in space that no registry keeps. */
  rir?: Rir;
  connection_type: ConnectionType;
  is_announced: boolean;
  prefix_count: { ipv4: number; ipv6: number };
  address_count: { ipv4: number };
  handle?: string;
  registered?: string;
  cloud_provider?: string;
};

export type AsnPrefixes = { ipv4: string[]; ipv6: string[] };

/** A source of a dataset. `credit` is the attribution that its licence requires. */
export type Source = {
  id: string;
  as_of: string;
  licence: string;
  credit: string;
  records: number;
  /** A list that is older, by `as_of`, has expired: it sets no flag and adds no points. */
  max_age_days?: number;
  /** A table of this program. Its rows are lasting facts, unless it has a maximum age. */
  is_table?: boolean;
  /** A list of attackers from all over the internet: an address that is not on it was not seen. */
  is_broad?: boolean;
};

/**
 * A feed whose newest copy was not used. `used` is the date of the older copy that was, if there
 * was one.
 */
export type Refusal = { id: string; reason: string; used?: string };

export type Meta = {
  version: number;
  built_at: string;
  /** A digest over everything except the version number and the time of the build. */
  content_sha256: string;
  sources: readonly Source[];
  refused: readonly Refusal[];
  figures: Figures;
  flag_sources: FlagSources;
  /** Ids of the lists that add points to addresses of a family. */
  threat_lists: { ipv4: readonly string[]; ipv6: readonly string[] };
  providers: readonly string[];
  counts: Counts;
  data_sources: DataSources;
};

/**
 * The oldest source that decides a field for at least 1% of the answered space: gap fillers do not
 * count.
 */
export type DataSources = Partial<
  Record<
    'prefix' | 'country',
    { source: string; as_of: string; ipv4?: DataSource; ipv6?: DataSource }
  >
>;
export type DataSource = { source: string; as_of: string };

export type Counts = {
  ipv4_intervals: number;
  ipv6_intervals: number;
  records: number;
  attribute_sets: number;
  asns: number;
  ipv4_prefixes: number;
  ipv6_prefixes: number;
};

/** What a dataset covers and how far its sources agree. Shares are between 0 and 1. */
export type Figures = {
  ipv4: FamilyFigures;
  ipv6: FamilyFigures;
  country_agreement: AgreementFigure[];
  /** Records and space per flag, and under `threat` for every score above 0. */
  flags: Record<string, FlagFigures>;
  countries: Record<string, SpaceFigures>;
  registries: Record<string, SpaceFigures>;
};

/**
 * `announced` counts IPv4 addresses or IPv6 /48s. The shares after `answered_share` are shares of
 * what is answered.
 */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  /**
   * The country of the answer is named by at least two sources that do not depend on each other.
   */
  country_confirmed_share: number;
  exact_rir_share: number;
  connection_type_share: number;
  /** What decided the connection type. The shares add up to 1. */
  connection_type_from: Record<TypeOrigin, number>;
};

/**
 * A list of a feed, a table written by hand, a rule on names, the sum of weak signals, or nothing.
 */
export const TYPE_ORIGINS = ['list', 'table', 'rule', 'signals', 'none'] as const;
export type TypeOrigin = (typeof TYPE_ORIGINS)[number];

/**
 * The number of addresses for which both sources name a country, and the share for which it is the
 * same.
 */
export type AgreementFigure = { sources: [string, string]; ipv4_addresses: number; share: number };

export type SpaceFigures = { ipv4_addresses: number; ipv6_48s: number };

export type FlagFigures = SpaceFigures & { records: number };

/** Where an address is, as a source says. What the source does not say is absent. */
export type Location = {
  city?: string;
  region?: string;
  latitude?: number;
  longitude?: number;
  /** The type of the database, such as `GeoLite2-City`. */
  source: string;
  /** The day on which the database was built. */
  as_of: string;
};

/**
 * What decided a connection type: a table, a list or the operator's overrides; a rule on names; the
 * sum of weak signals; nothing.
 */
export const TYPE_SOURCES = ['table', 'rule', 'signals', 'assumed'] as const;
export type TypeSource = (typeof TYPE_SOURCES)[number];

/**
 * False for `ZZ`, `XX`, `EU` and `AP`, which registries and feeds use where there is no single
 * country.
 */
export function isCountry(text: string): boolean {
  return (
    /^[A-Z]{2}$/.test(text) && text !== 'ZZ' && text !== 'XX' && text !== 'EU' && text !== 'AP'
  );
}
