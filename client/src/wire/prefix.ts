import type { ConnectionType, Flag } from './ip.ts';

/** What is announced inside a prefix. Shares other than `announced_share` are shares of what is announced. */
export type PrefixContent = {
  prefix: string;
  announced_share: number;
  /** At most 256, largest first. */
  parts: PrefixPart[];
  networks: { asn: number; asn_name: string; share: number }[];
  types: { connection_type: ConnectionType; share: number }[];
  countries: { country: string; share: number }[];
  flags: { flag: Flag; share: number }[];
};

/** Consecutive addresses of one announced prefix that have the same record. */
export type PrefixPart = {
  first: string;
  last: string;
  prefix: string;
  asn: number;
  asn_name: string;
  country: string;
  connection_type: ConnectionType;
  flags: Flag[];
  share: number;
  /** Whether the network may announce the prefix, where validated ROA payloads are known. */
  rpki?: 'valid' | 'invalid' | 'not_found';
};
