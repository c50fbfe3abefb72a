/**
 * The report of a check, with the field names of the interface specification. Every field is always present, never
 * null.
 */
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
};

/**
 * In a report, errors are `code: explanation`, with a stable snake_case code. Before it is rendered, the parts hold
 * findings: `MxReport<Finding>`.
 */
export type MxReport<Problem = string> = { records: string[]; is_valid: boolean; errors: Problem[] };

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

export type DkimReport<Problem = string> = {
  selector: string;
  found: boolean;
  raw: string;
  key_type: 'rsa' | 'ed25519' | '';
  key_bits: number;
  is_valid: boolean;
  validation_errors: Problem[];
};

export type DmarcPolicy = 'none' | 'quarantine' | 'reject';

export type DmarcReport<Problem = string> = {
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
  validation_errors: Problem[];
};
