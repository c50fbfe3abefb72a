// What is wrong with a domain, as data: a code and its detail. finding-text.ts makes the sentence.
import type { Answer, Failure, FailureCode, RecordType } from '../dns/answer.ts';
import type { SpfFault } from './spf-fault.ts';

/** The detail of each code. Codes are part of the interface (docs/email-score.md). */
export type FindingDetails = { readonly [Code in keyof Details]: Readonly<Details[Code]> };

type Details = {
  dns_temporary_failure: FailedQuestion;
  dns_budget_exhausted: FailedQuestion;
  alias_too_long: FailedQuestion;
  domain_not_found: { name: string };
  multiple_records:
    | { record: NamedRecord; name: string; count: number }
    | { record: 'DKIM'; selector: string; count: number };
  /** More than MAX_TXT_BYTES, or an SPF record of more than MAX_SPF_TERMS; the record was not parsed. */
  record_too_long: { record: NamedRecord; name: string } | { record: 'DKIM'; selector: string };
  /** The last entry of a list that was cut. */
  more_errors: { count: number };
  duplicate_tag: { tag: string };
  /** `text` is what is between two semicolons, possibly `''`. */
  malformed_tag: { text: string };

  no_mx_records: {
    domain: string;
    mailGoesTo: 'own address' | 'private address' | 'unknown' | 'nowhere' | MissingAlias;
  };
  mx_target_missing: { host: string; absence: Absence | 'null MX with a preference' };
  mx_target_ip: { host: string };
  mx_target_cname: { host: string };
  /** None of its addresses can be reached from the internet. */
  mx_target_private: { host: string };
  null_mx_with_others: NoDetail;
  too_many_mx_hosts: { hosts: number; examined: number };

  /** `lookalike` is a TXT record that was meant as SPF. */
  no_spf_record: { name: string; absence: Absence | 'impossible name'; lookalike?: string };
  include_not_found: MissingSpfTarget;
  redirect_not_found: MissingSpfTarget;
  /** `recordOf` is the domain of the record; absent for the checked domain. */
  syntax_error:
    | { kind: 'version'; recordOf?: string }
    | {
        kind: 'term';
        term: string;
        character: number;
        fault: SpfFault;
        recordOf?: string;
      }
    /** The term is well-formed, but expands to a name that cannot be asked. */
    | { kind: 'target'; term: string; recordOf: string; name: string };
  too_many_lookups: { lookups: number; isAtLeast: boolean; limit: number };
  too_many_void_lookups: { lookups: number; terms: readonly string[]; limit: number };
  loop: { path: readonly string[] };
  mx_limit: { name: string; hosts: number; limit: number };

  /** `alias`: the selector is an alias of a name without a TXT record. */
  selector_not_found: { selector: string; alias?: string };
  txt_not_dkim: { selector: string };
  key_revoked: NoDetail;
  /** `isPem`: it has the header of a PEM file. */
  bad_base64: { isPem?: true };
  bad_key_data:
    | { kind: 'no p' | 'Ed25519 key under rsa' | 'not RSA' }
    /** `characters` is the length of the record. */
    | { kind: 'cut off'; characters: number }
    | { kind: 'not Ed25519'; bytes: number };
  key_too_short: { bits: number; limit: number };
  unknown_key_type: { type: string };
  bad_version: { kind: 'not first' } | { kind: 'other'; version: string };
  hash_not_sha256: { hashes: string };
  service_not_email: { services: string };

  no_dmarc_record: {
    domain: string;
    /** Meant as a DMARC record, at `_dmarc.` and the name. */
    lookalike?: { name: string; raw: string; fault: LookalikeFault } | undefined;
    /** One where receivers do not look. */
    misplaced?: { kind: 'apex' | 'doubled'; name: string } | undefined;
  };
  missing_policy: NoDetail;
  bad_policy: TagValue;
  bad_subdomain_policy: TagValue;
  bad_tag_value: TagValue & { expected: TagRule };
  bad_report_uri: { tag: string; item: string; kind: BadUriKind } | { tag: string; kind: 'too many'; unread: number };

  /** What follows is about transport, and does not count for the score. */
  no_mail_host: { domain: string };
  no_mta_sts_record: { name: string };
  /** `id` is absent if the record has none. */
  bad_mta_sts_id: { id?: string };
  policy_host_missing: { host: string; absence: Absence };
  /** None of its addresses is public, so that no connection is made. */
  policy_host_private: { host: string };
  policy_not_fetched: { url: string; reason: string };
  policy_not_text: { type: string };
  /** `value` is absent if the policy has no such field. */
  bad_mta_sts_policy: { field: 'version' | 'mode' | 'max_age' | 'mx'; value?: string };
  policy_without_host: { host: string };

  no_tls_rpt_record: { name: string };
  no_tls_rpt_uri: NoDetail;

  /** The MX records can be forged, and so can where they lead (RFC 7672 §2.2.1). */
  mx_not_authenticated: { domain: string };
  no_tlsa_record: { host: string };
  tlsa_not_authenticated: { host: string };
  tlsa_unusable: { host: string; record: string; fault: TlsaFault };

  no_bimi_record: { name: string };
  /** An empty `l=`: the domain shows no mark. */
  bimi_declined: NoDetail;
  bad_bimi_uri: { tag: 'l' | 'a'; value: string };
  bimi_policy_too_weak: { policy: string; subdomains: string; percentage: number };
  /** No `a=`: most mailbox providers show no mark without a certificate for it. */
  no_bimi_certificate: NoDetail;

  not_authenticated: { domain: string };

  sender_needs_spf: NoDetail;
  sender_needs_dkim: NoDetail;
  sender_needs_dmarc: NoDetail;
  mail_refused_now: { service: string };

  /** What follows was seen by connecting to the MX hosts. None of these addresses could be reached. */
  smtp_blocked: { addresses: readonly string[] };
  no_public_mail_host: { domain: string };
  smtp_failed: { address: string; step: SmtpStep; fault: SmtpFault };
  no_starttls: { address: string };
  /** Plain text after the reply to STARTTLS, which a client that reads on would take for text of the server. */
  starttls_injection: { address: string };
  certificate_expired: { until: string };
  certificate_ends_soon: { until: string };
  certificate_not_yet_valid: { from: string };
  certificate_self_signed: NoDetail;
  certificate_untrusted: { reason: string };
  certificate_other_name: { host: string; names: readonly string[] };
  /** Senders that use DANE or MTA-STS do not deliver. */
  dane_mismatch: { host: string };
  mta_sts_mismatch: { host: string; mode: 'enforce' | 'testing'; isUnlisted: boolean };
};

export type SmtpStep = 'connection' | 'greeting' | 'EHLO' | 'STARTTLS' | 'TLS handshake';
/** `error`: a code of the system or of OpenSSL. `reply`: a refusal. */
export type SmtpFault =
  | 'timeout'
  | 'closed'
  | 'long line'
  | 'long reply'
  | 'not a reply'
  | 'unasked text'
  | 'text before TLS'
  | { readonly error: string }
  | { readonly reply: string };

/** TXT records at a name that says what they are for. */
type NamedRecord = 'SPF' | 'DMARC' | 'MTA-STS' | 'TLS-RPT' | 'BIMI';

/** What is wrong with the three numbers or the data (RFC 6698 §2.1, RFC 7672 §3.1). */
export type TlsaFault = 'usage' | 'selector' | 'matching type' | 'length';

/** Why a lookalike of a DMARC record is none: no semicolon after `v=DMARC1`, or anything else about its beginning. */
export type LookalikeFault = 'no semicolon' | 'beginning';

export type FindingCode = keyof FindingDetails;

export type Finding<Code extends FindingCode = FindingCode> = {
  readonly [C in Code]: { readonly code: C; readonly detail: FindingDetails[C] };
}[Code];

/** Why there is nothing at a name. */
export type Absence = 'no such name' | 'no such record' | MissingAlias;

/** The name is an alias of one that does not exist. */
type MissingAlias = { readonly alias: string };

export type TagRule =
  | 'policy'
  | 'failure options'
  | { readonly oneOf: readonly string[] }
  | { readonly numberUpTo: number };

export type BadUriKind = 'empty' | 'no scheme' | 'not a URI';

type FailedQuestion = { readonly name: string; readonly type: RecordType; readonly reason: string };
type NoDetail = Readonly<Record<string, never>>;
type TagValue = { readonly tag: string; readonly value: string };
type MissingSpfTarget = {
  readonly term: string;
  readonly recordOf: string;
  readonly name: string;
  readonly absence: Absence | 'impossible name';
};

export function hasCode(findings: readonly Finding[], ...codes: readonly FindingCode[]): boolean {
  return findings.some(({ code }) => codes.includes(code));
}

export function absenceOf(answer: Extract<Answer<unknown>, { kind: 'nodata' | 'nxdomain' }>): Absence {
  if (answer.kind === 'nodata') return 'no such record';
  return answer.alias === undefined ? 'no such name' : { alias: answer.alias };
}

export function dnsFailure(
  name: string,
  type: RecordType,
  { code, reason }: Pick<Failure, 'code' | 'reason'>,
): Finding<FailureCode> {
  return { code, detail: { name, type, reason } };
}

/** Nothing is known about what the finding refers to; it must not be taken for an error of the domain. */
export function isFailure(finding: Finding): finding is Finding<FailureCode> {
  return FAILURE_CODES.includes(finding.code);
}

const FAILURE_CODES: readonly FindingCode[] = [
  'dns_temporary_failure',
  'dns_budget_exhausted',
  'alias_too_long',
] satisfies FailureCode[];
