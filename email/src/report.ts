// The report of a check, with the field names of the interface specification. Every field is
// present, never null.
/** Limit of a report as JSON, whatever the zone contains. */
export const MAX_REPORT_BYTES = 256 * 1024;

export type Grade = 'A' | 'B' | 'C' | 'D' | 'F';

export type EmailReport = {
  domain: string;
  domain_auth_score: number;
  grade: Grade;
  mx: MxReport;
  spf: SpfReport;
  dkim: DkimReport[];
  dmarc: DmarcReport;
  recommendations: string[];
  transport?: TransportReport;
};

/** What protects mail on its way to the domain, and BIMI. Never part of the score. */
export type TransportReport<Problem = string> = {
  mta_sts: MtaStsReport<Problem>;
  tls_rpt: TlsRptReport<Problem>;
  dane: DaneReport<Problem>;
  bimi: BimiReport<Problem>;
  dnssec: DnssecReport<Problem>;
  sender_rules: SenderRulesReport<Problem>;
};

/**
 * `record` is a line of a zone file, `file` what belongs at `file_url`; each `''` if there is none.
 */
export type TransportRecommendation = {
  text: string;
  record: string;
  file_url: string;
  file: string;
};

type Judged<Problem> = { is_valid: boolean; validation_errors: Problem[] };

/** RFC 8461. `raw` and `id` are of the TXT record, what follows of the policy. */
export type MtaStsReport<Problem = string> = Judged<Problem> & {
  found: boolean;
  raw: string;
  id: string;
  policy_found: boolean;
  mode: 'enforce' | 'testing' | 'none' | '';
  max_age: number;
  mx: string[];
  /** What to publish; empty for a domain that takes no mail. */
  recommendations: TransportRecommendation[];
};

/** RFC 8460. */
export type TlsRptReport<Problem = string> = Judged<Problem> & {
  found: boolean;
  raw: string;
  report_uris: string[];
  recommendations: TransportRecommendation[];
};

/**
 * RFC 7672. `is_authenticated`: the resolver authenticated the MX records, or the TLSA records of a
 * host.
 */
export type DaneReport<Problem = string> = Judged<Problem> & {
  is_authenticated: boolean;
  hosts: DaneHost[];
};
export type DaneHost = { host: string; records: string[]; is_authenticated: boolean };

/** `location` is `l=`, `certificate` is `a=`: where the mark and its certificate are. */
export type BimiReport<Problem = string> = Judged<Problem> & {
  found: boolean;
  raw: string;
  record_domain: string;
  location: string;
  certificate: string;
};

/** The AD bit of the answers for the domain. */
export type DnssecReport<Problem = string> = Judged<Problem> & {
  is_authenticated: boolean;
};

/** What MX hosts say on port 25, up to STARTTLS. Never part of the score. */
export type SmtpReport<Problem = string> = Judged<Problem> & {
  /** No address answered, so that nothing is known of the servers. */
  is_blocked: boolean;
  servers: SmtpServer<Problem>[];
  /** Addresses that were not connected to: more than five, or not reachable from here. */
  unprobed: string[];
};
export type SmtpServer<Problem = string> = Judged<Problem> & {
  host: string;
  address: string;
  /**
   * The text of its greeting; `banner_name` is the name in it, `banner_addresses` the addresses of
   * that name.
   */
  banner: string;
  banner_name: string;
  banner_addresses: string[];
  /** A name of the address, and whether it has this address. */
  reverse_name: string;
  is_reverse_confirmed: boolean;
  has_starttls: boolean;
  tls_version: string;
  certificate: SmtpCertificate;
  /** Whether a TLSA record of the host matches its certificate; `''` if DANE does not apply. */
  dane: 'match' | 'mismatch' | '';
  /**
   * Whether the MTA-STS policy names the host and accepts its certificate; `''` without a policy.
   */
  mta_sts: 'match' | 'mismatch' | '';
  /** Senders that use DANE, or a policy in enforce mode, do not deliver to it. */
  stops_delivery: boolean;
};
/** Without TLS, texts are `''` and all else false. Times are ISO 8601. */
export type SmtpCertificate = {
  names: string[];
  issuer: string;
  valid_from: string;
  valid_to: string;
  /** The chain leads to a known authority and is valid now. */
  is_trusted: boolean;
  /** It has the name of the MX host. */
  is_for_host: boolean;
};

/**
 * What large mailbox providers ask of bulk senders, as far as DNS shows it; `validation_errors` is
 * what is missing.
 */
export type SenderRulesReport<Problem = string> = Judged<Problem> & {
  google: SenderRulesState;
  yahoo: SenderRulesState;
  microsoft: SenderRulesState;
};
export type SenderRulesState = 'met' | 'not_met' | 'unverified' | 'not_applicable';
/** In a report, errors are `code: explanation`; before it is rendered they are findings. */
export type MxReport<Problem = string> = {
  records: string[];
  is_valid: boolean;
  errors: Problem[];
};

export type Qualifier = '+' | '-' | '~' | '?';

export type SpfReport<Problem = string> = {
  raw: string;
  mechanisms: string[];
  all_qualifier: Qualifier | '';
  is_valid: boolean;
  is_permissive: boolean;
  validation_errors: Problem[];
  dns_lookup_count: number;
  exceeds_lookups: boolean;
};

export type DkimReport<Problem = string> = Judged<Problem> & {
  selector: string;
  found: boolean;
  raw: string;
  key_type: 'rsa' | 'ed25519' | '';
  key_bits: number;
};

export type DmarcPolicy = 'none' | 'quarantine' | 'reject';

export type DmarcReport<Problem = string> = Judged<Problem> & {
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
};

/**
 * RFC 7208 §4.6.4: receivers treat a record that needs more as permerror. Counted over the whole
 * tree of includes.
 */
export const MAX_LOOKUPS = 10;
/** The same section: lookups that find no record. */
export const MAX_VOID_LOOKUPS = 2;

/** Points that a part of the report can get; together 100. */
export const MAX_POINTS = { mx: 10, spf: 25, dkim: 30, dmarc: 35 } as const;

/**
 * What aggregate reports show about the next policy. It replaces all that DNS lets expect: how the
 * owner's mail arrives is known.
 */
export type ReportedVerdict = {
  readonly policy: 'quarantine' | 'reject';
  readonly answer: 'yes' | 'no' | 'not_enough';
  /** The answer as a sentence. */
  readonly text: string;
  /** Why it is not yes, the most important first. */
  readonly reasons: readonly string[];
};
