/** A feed of the catalogue: where it is, how it reads, under what terms, and what its statements are used for. */
import type { ConnectionType } from '../record.ts';

/** What a feed's statements decide. One feed may drive several things. */
export const DRIVES = [
  'routes',
  'names',
  'country',
  'delegation',
  'connection_type',
  'cloud_provider',
  'is_datacenter',
  'is_ai_crawler',
  'is_tor_exit',
  'is_vpn',
  'is_proxy',
  'blocklist',
  'criminal_netblock',
] as const;
export type Drive = (typeof DRIVES)[number];

export type Feed = {
  readonly id: string;
  /** `https:`, `http:` or `file:`. `{yyyy}`, `{mm}` and `{dd}` stand for the day before. */
  readonly url: string;
  /** A regular expression: `url` is a page, and the feed is what the last match on it names. */
  readonly link?: string;
  readonly format: string;
  readonly licence: string;
  readonly credit: string;
  readonly drives: readonly Drive[];
  /** At most one fetch in so many hours. */
  readonly refresh_hours: number;
  /** A copy older than this is not used any more. Without it the last good copy is used for ever, and its age shown. */
  readonly expire_hours?: number;
  readonly mode: 'on' | 'opt-in';
  /** Its terms ask for a contact in the User-Agent. */
  readonly needs_contact?: boolean;
  /** Fewer mean that something is wrong with the feed. */
  readonly min_records: number;
  readonly max_bytes?: number;
  /** A blocklist made of other blocklists. It does not add to those it repeats. */
  readonly is_aggregate?: boolean;
  /** Whose addresses these are, in words that an answer can show. */
  readonly provider?: string;
  readonly company?: string;
  readonly operator?: string;
  readonly connection_type?: ConnectionType;
};
