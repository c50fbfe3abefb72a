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

/** What a dataset says of itself. */
export type Meta = {
  version: number;
  built_at: string;
  /** Over everything but version and time of the build. */
  content_sha256: string;
  sources: readonly Source[];
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
