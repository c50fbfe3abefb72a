/** The answers of the dataset, in the field names of the interface specification. */
import type { Role } from './tables/networks/network-row.ts';

export type ConnectionType = Role;
export type Rir = 'ARIN' | 'RIPE' | 'APNIC' | 'LACNIC' | 'AFRINIC';
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

/** What an address can be flagged as, in the order of the interface. */
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

/** Why a field has its value: which source said so, for which prefix, and how old the source is. */
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

/** A source that went into a dataset. `credit` is what its licence asks us to show. */
export type Source = { id: string; as_of: string; licence: string; credit: string; records: number };

/** A feed whose newest copy was not used. `used` is the date of the older copy that was, if there was one. */
export type Refusal = { id: string; reason: string; used?: string };

/** What a dataset says of itself. */
export type Meta = {
  version: number;
  built_at: string;
  /** Over everything but version and time of the build. */
  content_sha256: string;
  sources: readonly Source[];
  refused: readonly Refusal[];
  figures: Figures;
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

/** What a dataset covers and how far its sources agree. Shares are from 0 to 1. */
export type Figures = {
  ipv4: FamilyFigures;
  ipv6: FamilyFigures;
  country_agreement: AgreementFigure[];
  /** Records and space per flag, and under `threat` for every score above 0. */
  flags: Record<string, FlagFigures>;
};

/** `announced` counts IPv4 addresses or IPv6 /48s. The later shares are of what is answered. */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  exact_rir_share: number;
  connection_type_share: number;
};

/** On how many addresses two sources both name a country, and on which share of them it is the same. */
export type AgreementFigure = { sources: [string, string]; ipv4_addresses: number; share: number };

export type FlagFigures = { records: number; ipv4_addresses: number; ipv6_48s: number };
