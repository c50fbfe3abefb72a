/** The answers of the dataset, in the field names of the interface specification. */

/** A dataset file stores positions in this list and in RIRS: append to them, never reorder. */
export const CONNECTION_TYPES = ['residential', 'mobile', 'datacenter', 'business', 'education'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** The five regional internet registries. */
export const RIRS = ['ARIN', 'RIPE', 'APNIC', 'LACNIC', 'AFRINIC'] as const;
export type Rir = (typeof RIRS)[number];

export type ThreatLevel = 'low' | 'medium' | 'high' | 'critical';

export type Detection = {
  is_datacenter: boolean;
  is_tor_exit: boolean;
  is_proxy: boolean;
  is_vpn: boolean;
  is_residential: boolean;
  is_mobile: boolean;
  is_ai_crawler: boolean;
  ai_company?: string;
  cloud_provider?: string;
};

/** The flags of a detection, in the order of the interface specification. */
export const FLAGS = [
  'is_datacenter',
  'is_tor_exit',
  'is_proxy',
  'is_vpn',
  'is_residential',
  'is_mobile',
  'is_ai_crawler',
] as const satisfies readonly (keyof Detection)[];
export type Flag = (typeof FLAGS)[number];

/** The flags of an answer, and the blocklists of the threat score. */
export const FLAG_SUBJECTS = [...FLAGS, 'blocklists'] as const;
export type FlagSubject = (typeof FLAG_SUBJECTS)[number];

/** `feeds`: lists that an update downloads. `tables`: only the tables of this repository. `none`: nothing. */
export type FlagSource = {
  from: 'feeds' | 'tables' | 'none';
  /** Ids of the sources. */
  sources: string[];
  /** The newest date of them. */
  as_of?: string;
};
export type FlagSources = Record<FlagSubject, FlagSource>;

export type Threat = { score: number; level: ThreatLevel; explanation?: string[] };

export type IpRecord = {
  ip: string;
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  rir: Rir;
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
};

export type AsnRecord = {
  asn: number;
  asn_name: string;
  country: string;
  rir: Rir;
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
export type Source = { id: string; as_of: string; licence: string; credit: string; records: number };

/** A feed whose newest copy was not used. `used` is the date of the older copy that was, if there was one. */
export type Refusal = { id: string; reason: string; used?: string };

/** The metadata of a dataset. */
export type Meta = {
  version: number;
  built_at: string;
  /** A digest over everything except the version number and the time of the build. */
  content_sha256: string;
  sources: readonly Source[];
  refused: readonly Refusal[];
  figures: Figures;
  flag_sources: FlagSources;
  providers: readonly string[];
  counts: Counts;
};

export type Counts = {
  ipv4_intervals: number;
  ipv6_intervals: number;
  records: number;
  tails: number;
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
  /** Answered space per country and per registry. */
  countries: Record<string, SpaceFigures>;
  registries: Record<string, SpaceFigures>;
};

/** `announced` counts IPv4 addresses or IPv6 /48s. The shares after `answered_share` are shares of what is answered. */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  /** The country of the answer is named by at least two sources that do not depend on each other. */
  country_confirmed_share: number;
  exact_rir_share: number;
  connection_type_share: number;
  /** What decided the connection type. The shares add up to 1. */
  connection_type_from: Record<TypeOrigin, number>;
};

/** A list of a feed, a table written by hand or the overrides, a rule on names, or the default. */
export const TYPE_ORIGINS = ['list', 'table', 'rule', 'none'] as const;
export type TypeOrigin = (typeof TYPE_ORIGINS)[number];

/** The number of addresses for which both sources name a country, and the share for which it is the same. */
export type AgreementFigure = { sources: [string, string]; ipv4_addresses: number; share: number };

export type SpaceFigures = { ipv4_addresses: number; ipv6_48s: number };

export type FlagFigures = SpaceFigures & { records: number };
