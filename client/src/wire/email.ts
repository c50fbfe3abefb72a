/** The check of an email domain: MX, SPF, DKIM and DMARC. */
import type { NetworksReport } from './mail-networks.ts';
import type { TransportReport } from './mail-transport.ts';

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
  /** Only with `include: ['details']`. */
  details?: EmailDetails;
};

export type MailPart = 'mx' | 'spf' | 'dkim' | 'dmarc';

/** What the report is made from. `record` is a line of a zone file, or `''`. */
export type EmailDetails = {
  points: Record<MailPart, number>;
  /** Parts that DNS did not answer for. */
  unverified: MailPart[];
  /** Why anyone can send mail as the domain; `''` if that is not so. */
  risk: string;
  /** Set up to send no mail: nothing is left to fix, whatever the grade. */
  is_finished: boolean;
  advice: { points: number; text: string; record: string }[];
  /** The record of the domain, at depth 0, and below it what its terms lead to. */
  spf_tree: { depth: number; term: string; lookups: number; errors: string[] }[];
  /** What two reports are compared by. */
  evidence: {
    unverified: MailPart[];
    open_to_all: boolean;
    ipv4_addresses: number;
    ipv6_48s: number;
    spf_terms: { term: string; ipv4_addresses: number; ipv6_48s: number }[];
    dangling: { part: MailPart; name: string }[];
  };
};

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
