/** What protects mail on its way to the domain, and BIMI: with `include: ['transport']`. Never part of the score. */
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
