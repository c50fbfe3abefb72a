/** Addresses: their records, and how a record changed. */
import type { AddressMembers } from './address-sections.ts';

export type ConnectionType = 'residential' | 'datacenter' | 'mobile' | 'business' | 'education';
export type Rir = 'ARIN' | 'RIPE' | 'APNIC' | 'LACNIC' | 'AFRINIC';

export type Flag =
  | 'is_datacenter'
  | 'is_tor_exit'
  | 'is_proxy'
  | 'is_vpn'
  | 'is_residential'
  | 'is_mobile'
  | 'is_ai_crawler';

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

export type ThreatLevel = 'low' | 'medium' | 'high' | 'critical';
export type Threat = { score: number; level: ThreatLevel; explanation?: string[] };

export type IpRecord = {
  ip: string;
  prefix: string;
  asn: number;
  asn_name: string;
  /** ISO 3166-1 alpha-2; `ZZ` when nothing is known. */
  country: string;
  rir: Rir;
  connection_type: ConnectionType;
  detection: Detection;
  threat: Threat;
};

/** Where the value of a field comes from: source, prefix, date of the source. */
export type Evidence = {
  field: string;
  value: string | number | boolean;
  source: string;
  prefix: string;
  as_of: string;
};

/** `evidence` is there with `explain=true`, the others if they are included and something is known. */
export type IpAnswer = IpRecord & { evidence?: Evidence[] } & AddressMembers;

/** How the record of an address changed: spans of versions with the same record, newest first. */
export type AddressHistory = { ip: string; changes: RecordSpan[] };
/** Dates of sources in `threat.explanation` are those of the newest version. Without `record`, there was none. */
export type RecordSpan = {
  from_version: number;
  to_version: number;
  /** When these versions were built. */
  from: string;
  to: string;
  record?: IpRecord;
};
