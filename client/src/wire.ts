/**
 * Requests and responses as JSON, with the field names of the specification. Types only: at run time the client
 * validates the envelope (envelope.ts), not its content.
 */

export type Envelope<Data, Meta> = { data: Data; meta: Meta };

/** ASN, search, email, dataset and health responses, and most errors, have no other field. */
export type TimedMeta = { processing_time_ms: number };
export type BatchMeta = TimedMeta & { request_id: string };
/** An IP lookup without a result (404). */
export type IpNotFoundMeta = TimedMeta & { cache_status: 'MISS'; dataset_version: number };
export type IpMeta = TimedMeta & { request_id: string; cache_status: 'HIT' | 'MISS'; dataset_version: number };

/** All codes of the server. `WhenceErrorCode` adds the client's own. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'INVALID_IP'
  | 'INVALID_PREFIX'
  | 'INVALID_ASN'
  | 'MISSING_QUERY'
  | 'INVALID_QUERY'
  | 'INVALID_VERSION'
  | 'INVALID_LIMIT'
  | 'MISSING_DOMAIN'
  | 'INVALID_DOMAIN'
  | 'INVALID_SELECTOR'
  | 'INVALID_INCLUDE'
  | 'TOO_MANY_SELECTORS'
  | 'INVALID_REQUEST'
  | 'BATCH_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'VERSION_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'URI_TOO_LONG'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'NOT_READY'
  | 'DATASET_UNAVAILABLE'
  | 'DNS_UNAVAILABLE'
  | 'STORAGE_UNAVAILABLE'
  | 'OVERLOADED';

/** `data` of an error. Only NOT_READY has `checks`. */
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

/** What `include` adds to a record. */
export type AddressMembers = { routing?: Routing; privacy?: Privacy; hostname?: Hostname; registration?: Registration };
export type LocalAddressSection = 'routing' | 'privacy';
export type AddressSection = LocalAddressSection | 'hostname' | 'registration';

/** The networks that announce the prefix; the one of the record comes first. */
export type Routing = { origins: Origin[]; roas?: Roa[] };
/** `rpki` is there where validated ROA payloads are known. */
export type Origin = { asn: number; asn_name?: string; rpki?: 'valid' | 'invalid' | 'not_found' };
export type Roa = { asn: number; prefix: string; max_length: number };

/** The privacy service behind an address. Absent from the answer if no source knows one. */
export type Privacy = { kind: PrivacyKind; service?: string };
export type PrivacyKind = 'relay' | 'vpn' | 'tor' | 'proxy';

/**
 * The PTR record of an address, confirmed if the name leads back to it. Empty without a PTR record. `crawler`: the name is
 * one that the operator of the crawler documents, and forged unless it is verified.
 */
export type Hostname = {
  name?: string;
  is_confirmed?: boolean;
  crawler?: { name: string; is_verified: boolean };
  error?: 'dns_temporary_failure';
};

/** Who holds an address, by its registry. Every field is there if the registry states it. */
export type Registration = {
  /** A prefix, or `first-last`. */
  range?: string;
  name?: string;
  organization?: string;
  country?: string;
  abuse_email?: string;
  registered_at?: string;
  changed_at?: string;
  /** The host that answered. */
  source?: string;
  error?: 'registry_unavailable';
};

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
};

export type BatchRequest = { ips: string[]; include?: LocalAddressSection[] };
/** `'error' in entry` distinguishes the two. */
export type BatchEntry = (IpRecord & Pick<AddressMembers, LocalAddressSection>) | BatchRefusal;
export type BatchRefusal = { error: string; code: ErrorCode };
/** The keys are the submitted strings and may include `__proto__`: check with `Object.hasOwn`. */
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
/** `prefixes` is there with `include_prefixes=true`, and complete. */
export type AsnAnswer = AsnRecord & { prefixes?: AsnPrefixes };

export type AsnSearchResult = Omit<AsnRecord, 'address_count'>;
export type AsnSearchAnswer = {
  query: string;
  /** The limit that was applied, at most 100. */
  limit: number;
  count: number;
  total: number;
  results: AsnSearchResult[];
};

/** Every field is always present. What a domain does not publish is `''`, `[]` or the default of the RFC. */
export type EmailReport = {
  domain: string;
  domain_auth_score: number;
  grade: 'A' | 'B' | 'C' | 'D' | 'F';
  mx: MxReport;
  spf: SpfReport;
  dkim: DkimReport[];
  dmarc: DmarcReport;
  recommendations: string[];
  /** Only with `include: ['transport']`. */
  transport?: TransportReport;
  /** Only with `include: ['networks']`. */
  networks?: NetworksReport;
};

/** What protects mail on its way to the domain, and BIMI. Never part of the score. */
export type TransportReport = {
  mta_sts: MtaStsReport;
  tls_rpt: TlsRptReport;
  dane: DaneReport;
  bimi: BimiReport;
  dnssec: DnssecReport;
};

/** RFC 8461. `raw` and `id` are of the TXT record, what follows of the policy. */
export type MtaStsReport = {
  found: boolean;
  raw: string;
  id: string;
  policy_found: boolean;
  mode: 'enforce' | 'testing' | 'none' | '';
  max_age: number;
  mx: string[];
  is_valid: boolean;
  validation_errors: string[];
  /** What to publish; empty for a domain that takes no mail. */
  recommendations: TransportRecommendation[];
};

/** `record` is a line of a zone file, `file` what belongs at `file_url`; each `''` if there is none. */
export type TransportRecommendation = { text: string; record: string; file_url: string; file: string };

/** RFC 8460. */
export type TlsRptReport = {
  found: boolean;
  raw: string;
  report_uris: string[];
  is_valid: boolean;
  validation_errors: string[];
  recommendations: TransportRecommendation[];
};

/** RFC 7672. `is_authenticated`: the resolver authenticated the MX records, or the TLSA records of a host. */
export type DaneReport = {
  is_authenticated: boolean;
  hosts: DaneHost[];
  is_valid: boolean;
  validation_errors: string[];
};
export type DaneHost = { host: string; records: string[]; is_authenticated: boolean };

/** `location` is `l=`, `certificate` is `a=`. */
export type BimiReport = {
  found: boolean;
  raw: string;
  record_domain: string;
  location: string;
  certificate: string;
  is_valid: boolean;
  validation_errors: string[];
};

export type DnssecReport = { is_authenticated: boolean; is_valid: boolean; validation_errors: string[] };

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
/** Of the network with the largest part of the range; `shares` are those of the largest networks in it. */
export type SenderNetwork = MailNetwork & {
  range: string;
  record_domain: string;
  asn_count: number;
  shares: NetworkShare[];
};
/** `percent` of the addresses of a range. */
export type NetworkShare = { asn: number; asn_name: string; percent: number };
export type MailCarrier = { asn: number; asn_name: string; mx_hosts: number; ipv4_addresses: number };

/** Errors here and below have the form `code: explanation`, with a stable snake_case code. */
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

/** A source of a dataset. `credit` is the attribution that its licence requires. */
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

/** A feed whose newest copy was rejected; `used` is the date of the older copy that was used instead, if any. */
export type Refusal = { id: string; reason: string; used?: string };

/** Shares are from 0 to 1. `announced` counts IPv4 addresses or IPv6 /48s. */
export type FamilyFigures = {
  announced: number;
  answered_share: number;
  country_share: number;
  country_confirmed_share: number;
  exact_rir_share: number;
  connection_type_share: number;
  connection_type_from: { list: number; table: number; rule: number; signals: number; none: number };
};

export type SpaceFigures = { ipv4_addresses: number; ipv6_48s: number };

/** Coverage of a version, agreement of its sources, space per flag, country and registry. */
export type Figures = {
  ipv4: FamilyFigures;
  ipv6: FamilyFigures;
  country_agreement: { sources: [string, string]; ipv4_addresses: number; share: number }[];
  flags: Record<string, SpaceFigures & { records: number }>;
  countries: Record<string, SpaceFigures>;
  registries: Record<string, SpaceFigures>;
};

/** What a flag is decided from. With `none` it is false everywhere, because nothing is known. */
export type FlagSource = { from: 'feeds' | 'tables' | 'none'; sources: string[]; as_of?: string };

/** A flag, or the blocklists of the threat score. */
export type FlagSubject = Flag | 'blocklists';

/**
 * How right a field is, measured on labels that did not decide it. `value` and `interval` (95 %) are from 0 to 1; `n`
 * counts labels by `weight`. With `held_out` the labels are a source of the version, and the measured answers are those
 * without that source.
 */
export type QualityRow = {
  field: string;
  measure: 'accuracy' | 'precision' | 'recall' | 'macro_recall' | 'false_positive_share' | 'changed';
  family: 'ipv4' | 'ipv6' | 'all';
  weight: 'address' | 'slash48' | 'prefix' | 'network';
  value: number;
  n: number;
  interval: [number, number];
  labels: string;
  labels_as_of: string;
  held_out: boolean;
};

/** The version being served, and all versions that are kept. */
export type DatasetReport = {
  version: number;
  built_at: string;
  /** Of the build; `data_as_of` has the age of the data. */
  age_seconds: number;
  /** The date of the oldest source that decides prefixes or countries. */
  data_as_of?: string;
  data_sources: { prefix?: { source: string; as_of: string }; country?: { source: string; as_of: string } };
  sources: Source[];
  counts: DatasetCounts;
  versions: PublishedVersion[];
  figures: Figures;
  flag_sources: Record<FlagSubject, FlagSource>;
  quality: QualityRow[];
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

/** IPv6 is counted in /48s; a smaller network counts as one. */
export type Amount = { ipv4: { count: number; addresses: number }; ipv6: { count: number; slash48s: number } };
/** `count` and sizes cover all changes; `largest` has at most `limit` of them. */
export type Changes<Entry> = {
  ipv4: { count: number; addresses: number; largest: (Entry & { addresses: number })[] };
  ipv6: { count: number; slash48s: number; largest: (Entry & { slash48s: number })[] };
};
export type ComparedVersion = { version: number; built_at: string };
export type NetworkName = { asn: number; asn_name: string };
export type AnnouncedPrefix = { prefix: string; asn: number; asn_name: string };
export type OriginChange = { prefix: string; from: NetworkName; to: NetworkName };
/** `network` here and below is a prefix, or `first-last` if the addresses do not form one. */
export type CountryChange = { network: string; from: string; to: string };
export type FlaggedNetwork = { network: string; asn: number; asn_name: string };
/** `from` or `to` is absent if that version has no label. */
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
/** `from` or `to` is absent if that version does not have the source. */
export type SourceChange = { id: string; from?: SourceState; to?: SourceState };

/** What changed between two versions of the dataset. */
export type DatasetDiff = {
  from: ComparedVersion;
  to: ComparedVersion;
  /** The limit that was applied, at most 1000. */
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

/** `ok`, for the dataset also `stale`; while not ready, the reason. */
export type ReadyChecks = { dataset: string; storage: string };
export type ReadyReport = {
  status: 'ready';
  checks: ReadyChecks;
  dataset_version: number;
  dataset_age_seconds: number;
  /** The oldest source that decides prefixes or countries, and its age. */
  data_as_of?: string;
  data_age_seconds?: number;
  /** Flags that no source of the dataset knows: false everywhere, until an update brings a list. */
  unknown_flags: FlagSubject[];
  /** Flags that change daily and are from tables of a past date, until an update brings a list. */
  dated_flags: FlagSubject[];
};
