/**
 * What travels between client and server, in the field names of the interface specification. Types only: nothing here
 * checks that a server keeps to them, beyond the envelope (envelope.ts).
 */

export type Envelope<Data, Meta> = { data: Data; meta: Meta };

/** ASN, search, email and health answers, and most errors, carry nothing else. */
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
  | 'MISSING_DOMAIN'
  | 'INVALID_DOMAIN'
  | 'INVALID_SELECTOR'
  | 'TOO_MANY_SELECTORS'
  | 'INVALID_REQUEST'
  | 'BATCH_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
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

export type HealthReport = { status: 'ok' };

/** `ok`, and for the dataset also `stale`; while not ready, whatever the server says of the one that fails. */
export type ReadyChecks = { dataset: string; storage: string };
export type ReadyReport = {
  status: 'ready';
  checks: ReadyChecks;
  dataset_version: number;
  dataset_age_seconds: number;
};
