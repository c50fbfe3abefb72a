import type { ConnectionType } from '../record.ts';

/** What the statements of a feed decide. A feed may drive several things. */
export const DRIVES = [
  'routes',
  'names',
  'country',
  'delegation',
  'connection_type',
  'cloud_provider',
  'is_datacenter',
  'is_ai_crawler',
  'crawler',
  'scanner',
  'known_good',
  'is_tor_exit',
  'is_vpn',
  'is_proxy',
  'blocklist',
  'criminal_netblock',
  'location',
] as const;
export type Drive = (typeof DRIVES)[number];

/**
 * Maximum age in days of lists of an operator that give none. What changes slowly is better old
 * than absent.
 */
export const MAX_AGE_DAYS: Readonly<Partial<Record<Drive, number>>> = {
  is_tor_exit: 7,
  is_proxy: 7,
  blocklist: 14,
  criminal_netblock: 30,
  is_vpn: 60,
  cloud_provider: 180,
  // Operators change the ranges of their crawlers a few times a year.
  is_ai_crawler: 365,
  crawler: 365,
};

/** What a list that is too old no longer decides. */
export const isAgingDrive = (drive: Drive): boolean =>
  drive === 'is_datacenter' || MAX_AGE_DAYS[drive] !== undefined;

export type Feed = {
  readonly id: string;
  /** `https:`, `http:` or `file:`. `{yyyy}`, `{mm}` and `{dd}` are replaced by yesterday's date. */
  readonly url: string;
  /**
   * A regular expression: `url` is then a page, and the last match on it is the URL of the feed.
   */
  readonly link?: string;
  readonly format: string;
  readonly licence: string;
  readonly credit: string;
  readonly drives: readonly Drive[];
  readonly refresh_hours: number;
  /**
   * A copy older than this is not used. Without it the last good copy is used without limit, and
   * its age is shown.
   */
  readonly expire_hours?: number;
  /**
   * By the list's own date; an older list gives nothing. A mirror may outlive its abandoned source
   * by years.
   */
  readonly max_age_days?: number;
  readonly mode: 'on' | 'opt-in';
  /** Its terms require a contact in the User-Agent. */
  readonly needs_contact?: boolean;
  readonly min_records: number;
  readonly max_records: number;
  readonly max_bytes?: number;
  /**
   * A blocklist compiled from other blocklists. It does not count in addition to the lists that it
   * repeats.
   */
  readonly is_aggregate?: boolean;
  /** A blocklist whose operator observed the addresses itself: on it alone is 25 points. */
  readonly direct?: boolean;
  /**
   * A blocklist of attackers from all over the internet. Without a current one, scores are unknown.
   */
  readonly broad?: boolean;
  /**
   * Ids of the feeds that this one repeats: where one of them lists an address, this one adds
   * nothing.
   */
  readonly contains?: readonly string[];
  /**
   * The id of a feed with the same content: this one is used only for the address families that it
   * lacks.
   */
  readonly fallback_for?: string;
  /**
   * The operator's AS numbers: the feed decides the country only of addresses that one of them
   * announces.
   */
  readonly asns?: readonly number[];
  readonly provider?: string;
  readonly company?: string;
  /**
   * Operator of a VPN, a scanner or a service that is known to be good; required for the latter.
   */
  readonly operator?: string;
  readonly crawler?: string;
  /**
   * A relay that hides addresses for privacy (iCloud Private Relay): its addresses are not a VPN
   * and add no points.
   */
  readonly is_relay?: boolean;
  /**
   * A VPN list that third parties compile, with complete networks: see
   * generic-vpn-lists.ts.
   */
  readonly is_generic?: boolean;
  readonly connection_type?: ConnectionType;
};
