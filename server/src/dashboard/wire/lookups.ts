/**
 * Addresses, prefixes and networks as the dashboard shows them. Meta of an address is that of the
 * API: request_id, cache_status, dataset_version.
 */
import type {
  AsnAnswer,
  AsnSearchResult,
  BatchRefusal,
  ConnectionType,
  Evidence,
  Flag,
  FlagSubject,
  Hostname,
  IpRecord,
  Location,
  Origin,
  PrefixContent,
  Privacy,
  Routing,
  ThreatLevel,
} from '@whence/client/wire';
import type { profileNetwork } from '../../lookup/network-profile.ts';
import type { KnownLevel } from '../../lookup/prefix-content.ts';

/** Not found: 404 with `details` as `SpecialPurpose` where the address is in such a range. */
export type IpLookup = {
  record: IpRecord;
  evidence: (Evidence & { licence: string })[];
  /** Credits of the sources that decided something. */
  credits: string[];
  limits: DatasetLimits;
  /**
   * The networks that announce the prefix. `rpki_as_of`: when the ROA data was written that decides
   * their states.
   */
  routing: Routing;
  rpki_as_of?: string;
  /** Absent if no source names a privacy service. */
  privacy?: Privacy;
  /** Absent unless a feed with locations is enabled. */
  location?: Location;
  /** Absent unless the overrides have some. */
  labels?: string[];
};
/** `hostname` is empty if the address has no PTR record. */
export type HostnameLookup = { hostname: Hostname; asked_at: string };
/** What the dataset cannot know, so that `false` and a score of 0 are not taken for "no". */
export type DatasetLimits = {
  /** No source knows them, or none that counts. */
  unknown: FlagSubject[];
  /**
   * A list is too old to count, or what changes from day to day is from tables. `as_of`: the oldest
   * list.
   */
  /** `counted_as_of`: the oldest of the lists that still count, where some do not. */
  dated: { subject: FlagSubject; as_of?: string; counted_as_of?: string }[];
  /** Why the score may be too low: then 0 is not low but unknown. Absent if it is complete. */
  threat_gap?: ThreatGap;
};
/** What is missing to know a score. */
type ThreatGap = 'blocklists' | 'is_tor_exit' | 'expired_list';
/** `threat_gap`: why the score may be too low; absent if it is complete. */
export type BatchRecord = IpRecord & { threat_gap?: ThreatGap };
export type BatchLookup = Record<string, BatchRecord | BatchRefusal>;
type SpecialPurpose = { prefix: string; name: string; rfc: string };

type Share<Value extends string> = { value: Value; addresses: number };
/**
 * Sizes are addresses, or /64s of an IPv6 prefix that has any; as numbers they are exact up to
 * 2^53.
 */
export type PrefixSummary = {
  prefix: string;
  unit: 'addresses' | 'slash64s';
  size: number;
  announced: number;
  /** The announced prefix that contains all of it, if there is one. */
  covered_by?: { prefix: string; asn: number; asn_name: string; rpki?: RpkiState };
  special_purpose?: SpecialPurpose;
  /** When the ROA data was written that decides the states of prefixes; absent without it. */
  rpki_as_of?: string;
  /**
   * Consecutive addresses of one announced prefix with the same record: the 256 largest of
   * `part_count`, largest first.
   */
  parts: PrefixPart[];
  part_count: number;
  connection_types: Share<ConnectionType>[];
  flags: Share<Flag>[];
  threat_levels: Share<KnownLevel>[];
  countries: Share<string>[];
  networks: { asn: number; asn_name: string; addresses: number }[];
  limits: DatasetLimits;
  credits: string[];
};
export type PrefixPart = Omit<PrefixContent['parts'][number], 'share'> & {
  /** Who scans the internet from the addresses. */
  scanner?: string;
  score: number;
  level: ThreatLevel;
  threat_gap?: ThreatGap;
  /**
   * State of the announced prefix; absent without ROA data, and where the prefix is not what is
   * announced.
   */
  rpki?: RpkiState;
};

/**
 * Shares are those of the network's IPv4 addresses; `is_sample` where it has too many prefixes to
 * walk all.
 */
export type AsnLookup = Awaited<ReturnType<typeof profileNetwork>> & {
  /** With `prefixes`, complete. */
  record: AsnAnswer;
  /** States of all prefixes, in the order of `prefix_kinds`; absent without ROA data. */
  rpki?: { states: (RpkiState | null)[]; as_of: string };
  /** Networks of the same organisation, by name: a guess. */
  related: AsnSearchResult[];
  credits: string[];
};
export type RpkiState = NonNullable<Origin['rpki']>;
export type PrefixKind = AsnLookup['prefix_kinds']['kinds'][number];
