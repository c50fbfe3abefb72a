/** Networks, by number and by search. */
import type { ConnectionType, Rir } from './ip.ts';

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
/** `prefixes` is there with `include_prefixes=true`, and complete; `routing` if it is included and something is known. */
export type AsnAnswer = AsnRecord & { routing?: NetworkRouting; prefixes?: AsnPrefixes };
export type NetworkSection = 'routing';
/** Announced prefixes by RPKI state. */
export type NetworkRouting = { rpki: { valid: number; invalid: number; not_found: number } };

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  /** The limit that was applied, at most 100. */
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
};
