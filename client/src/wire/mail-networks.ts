/** Part of the check of an email domain, with `include: ['networks']`. */
import type { ConnectionType, ThreatLevel } from './ip.ts';

/** Who carries the domain's mail. */
export type NetworksReport = {
  carriers: MailCarrier[];
  mx: MxNetwork[];
  /** The largest ranges first. */
  senders: SenderNetwork[];
  range_count: number;
  /** How many may send as the domain. */
  ipv4_addresses: number;
  ipv6_48s: number;
  open_to_all: boolean;
  /** Terms of SPF whose addresses only a receiver can know. */
  unlisted_terms: string[];
  errors: string[];
};

/** For space that is not announced, `asn` is 0 and the texts are empty. */
export type MailNetwork = {
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType | '';
  threat_level: ThreatLevel | '';
};
export type MxNetwork = MailNetwork & { host: string; address: string };
/** The network with the largest part of the range; `shares` are those of the largest networks in it. */
export type SenderNetwork = MailNetwork & {
  range: string;
  record_domain: string;
  asn_count: number;
  shares: NetworkShare[];
};
/** `percent` of the addresses of a range. */
export type NetworkShare = { asn: number; asn_name: string; percent: number };
export type MailCarrier = { asn: number; asn_name: string; mx_hosts: number; ipv4_addresses: number };
