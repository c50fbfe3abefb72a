/**
 * What travels between client and server, in the field names of the interface specification. Types only: nothing here
 * checks that a server keeps to them, beyond the envelope (envelope.ts).
 */

export type Envelope<Data, Meta> = { data: Data; meta: Meta };

/** ASN, search, email, dataset and health answers, and most errors, carry nothing else. */
export type TimedMeta = { processing_time_ms: number };
export type BatchMeta = TimedMeta & { request_id: string };
/** Of an IP lookup that found nothing (404). */
export type IpNotFoundMeta = TimedMeta & { cache_status: 'MISS'; dataset_version: number };
export type IpMeta = TimedMeta & { request_id: string; cache_status: 'HIT' | 'MISS'; dataset_version: number };

export type ErrorCode =
  | 'INVALID_IP'
  | 'INVALID_ASN'
  | 'MISSING_QUERY'
  | 'INVALID_QUERY'
  | 'INVALID_LIMIT'
  | 'INVALID_VERSION'
  | 'MISSING_DOMAIN'
  | 'INVALID_DOMAIN'
  | 'INVALID_SELECTOR'
  | 'TOO_MANY_SELECTORS'
  | 'INVALID_REQUEST'
  | 'BATCH_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'VERSION_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL'
  | 'DATASET_UNAVAILABLE'
  | 'DNS_UNAVAILABLE'
  | 'STORAGE_UNAVAILABLE'
  | 'OVERLOADED'
  | 'NOT_READY';

/** `data` of an error. `checks` comes with NOT_READY alone. */
export type ErrorData = { error: string; code: ErrorCode; details?: Record<string, unknown>; checks?: ReadyChecks };

export type ConnectionType = 'residential' | 'datacenter' | 'mobile' | 'business' | 'education';
export type Rir = 'ARIN' | 'RIPE' | 'APNIC' | 'LACNIC' | 'AFRINIC';

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

/** Why a field has its value: which source said so, for which prefix, and how old the source is. */
export type Evidence = {
  field: string;
  value: string | number | boolean;
  source: string;
  prefix: string;
  as_of: string;
};

/** `evidence` comes with `explain=true`. */
export type IpAnswer = IpRecord & { evidence?: Evidence[] };

export type BatchRequest = { ips: string[] };
/** Tell them apart with `'error' in entry`. */
export type BatchEntry = IpRecord | BatchRefusal;
export type BatchRefusal = { error: string; code: ErrorCode };
/** Keyed by the submitted strings, `__proto__` included: read it with `Object.hasOwn`. */
export type BatchAnswer = Record<string, BatchEntry>;

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
/** `prefixes` comes with `include_prefixes=true`, complete. */
export type AsnAnswer = AsnRecord & { prefixes?: AsnPrefixes };

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  /** The limit that held: at most 100, whatever was asked for. */
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
};

/** Every field is always there: what a domain does not publish is `''`, `[]`, or the default of its RFC. */
export type EmailReport = {
  domain: string;
  domain_auth_score: number;
  grade: 'A' | 'B' | 'C' | 'D' | 'F';
  mx: MxReport;
  spf: SpfReport;
  dkim: DkimReport[];
  dmarc: DmarcReport;
  recommendations: string[];
};

/** Errors here and below read `code: explanation`, with a stable snake_case code. */
export type MxReport = { records: string[]; is_valid: boolean; errors: string[] };

export type SpfReport = {
  raw: string;
  mechanisms: string[];
  all_qualifier: '+' | '-' | '~' | '?' | '';
  is_valid: boolean;
  is_permissive: boolean;
  validation_errors: string[];
  dns_lookup_count: number;
  exceeds_lookups: boolean;
};

export type DkimReport = {
  selector: string;
  found: boolean;
  raw: string;
  key_type: 'rsa' | 'ed25519' | '';
  key_bits: number;
  is_valid: boolean;
  validation_errors: string[];
};

export type DmarcPolicy = 'none' | 'quarantine' | 'reject';

export type DmarcReport = {
  raw: string;
  version: string;
  policy: DmarcPolicy | '';
  subdomain_policy: DmarcPolicy | '';
  effective_policy: DmarcPolicy;
  percentage: number;
  aggregate_report_uris: string[];
  forensic_report_uris: string[];
  dkim_alignment: 'r' | 's';
  spf_alignment: 'r' | 's';
  failure_options: string;
  report_interval: number;
  organizational_domain: string;
  record_domain: string;
  inherited: boolean;
  partial_rollout: boolean;
  no_visibility: boolean;
  strength_rating: 'weak' | 'moderate' | 'strong';
  is_valid: boolean;
  validation_errors: string[];
};

/** A source that went into a dataset. `credit` is what its licence asks to be shown. */
export type Source = { id: string; as_of: string; licence: string; credit: string; records: number };

export type DatasetCounts = {
  ipv4_intervals: number;
  ipv6_intervals: number;
  records: number;
  tails: number;
  asns: number;
  ipv4_prefixes: number;
  ipv6_prefixes: number;
};

export type PublishedVersion = { version: number; built_at: string; bytes: number; current: boolean };

/** A feed whose newest copy was not used, and the date of the older one that was, if there was one. */
export type Refusal = { id: string; reason: string; used?: string };

/** Shares are from 0 to 1. `announced` counts IPv4 addresses or IPv6 /48s. */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  exact_rir_share: number;
  connection_type_share: number;
};

/** What a version covers, how far its sources agree, what it flags. */
export type Figures = {
  ipv4: FamilyFigures;
  ipv6: FamilyFigures;
  country_agreement: { sources: [string, string]; ipv4_addresses: number; share: number }[];
  flags: Record<string, { records: number; ipv4_addresses: number; ipv6_48s: number }>;
};

/** The version that is served, and all that are kept. */
export type DatasetReport = {
  version: number;
  built_at: string;
  age_seconds: number;
  sources: Source[];
  counts: DatasetCounts;
  versions: PublishedVersion[];
  figures: Figures;
  refused: Refusal[];
};

export type Flag =
  | 'is_datacenter'
  | 'is_tor_exit'
  | 'is_proxy'
  | 'is_vpn'
  | 'is_residential'
  | 'is_mobile'
  | 'is_ai_crawler';

/** IPv6 is counted in /48s; a network smaller than that counts as one. */
export type Amount = { ipv4: { count: number; addresses: number }; ipv6: { count: number; slash48s: number } };
/** `count` and sizes are of all changes; `largest` shows at most `limit` of them. */
export type Changes<Entry> = {
  ipv4: { count: number; addresses: number; largest: (Entry & { addresses: number })[] };
  ipv6: { count: number; slash48s: number; largest: (Entry & { slash48s: number })[] };
};
export type ComparedVersion = { version: number; built_at: string };
export type NetworkName = { asn: number; asn_name: string };
export type AnnouncedPrefix = { prefix: string; asn: number; asn_name: string };
export type OriginChange = { prefix: string; from: NetworkName; to: NetworkName };
/** `network` here and below is a prefix, or `first-last` where the addresses are none. */
export type CountryChange = { network: string; from: string; to: string };
export type FlaggedNetwork = { network: string; asn: number; asn_name: string };
/** A side without a name has none. */
export type LabelChange = { network: string; from?: string; to?: string };
export type CountryMove = { from: string; to: string } & Amount;
export type LevelMove = { from: ThreatLevel; to: ThreatLevel } & Amount;
export type NetworkChange = { asn: number; asn_name: string; ipv4_addresses: number };
export type NameChange = { asn: number; from: string; to: string; ipv4_addresses: number };
export type NetworkChanges = {
  appeared: { count: number; largest: NetworkChange[] };
  vanished: { count: number; largest: NetworkChange[] };
  renamed: { count: number; largest: NameChange[] };
};
export type SourceState = { as_of: string; records: number };
/** A side without the source has none. */
export type SourceChange = { id: string; from?: SourceState; to?: SourceState };

/** What changed from one version of the dataset to another. */
export type DatasetDiff = {
  from: ComparedVersion;
  to: ComparedVersion;
  /** The limit that held: at most 1000, whatever was asked for. */
  limit: number;
  is_same: boolean;
  addresses: { gained: Amount; lost: Amount };
  prefixes: { gained: Changes<AnnouncedPrefix>; lost: Changes<AnnouncedPrefix> };
  origins: Changes<OriginChange>;
  countries: Changes<CountryChange> & { moves: CountryMove[] };
  levels: LevelMove[];
  flags: Record<Flag, { gained: Changes<FlaggedNetwork>; lost: Changes<FlaggedNetwork> }>;
  ai_company: Changes<LabelChange>;
  cloud_provider: Changes<LabelChange>;
  networks: NetworkChanges;
  sources: SourceChange[];
};

export type HealthReport = { status: 'ok' };

/** `ok`, and for the dataset also `stale`; while not ready, whatever the server says of the one that fails. */
export type ReadyChecks = { dataset: string; storage: string };
export type ReadyReport = {
  status: 'ready';
  checks: ReadyChecks;
  dataset_version: number;
  dataset_age_seconds: number;
};
