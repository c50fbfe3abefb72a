/**
 * What is wrong with a domain, as data: a code, and a detail with what the code refers to. finding-text.ts makes the
 * sentence for people.
 */

import type { Answer, Failure, FailureCode, RecordType } from '../dns/answer.ts';
import type { SpfFault } from './spf-fault.ts';

/** The detail of each code. Codes are part of the interface (docs/email-score.md). */
export type FindingDetails = {
  dns_temporary_failure: FailedQuestion;
  dns_budget_exhausted: FailedQuestion;
  alias_too_long: FailedQuestion;
  domain_not_found: { readonly name: string };
  multiple_records:
    | { readonly record: NamedRecord; readonly name: string; readonly count: number }
    | { readonly record: 'DKIM'; readonly selector: string; readonly count: number };
  /** More than MAX_TXT_BYTES; the record was not parsed. */
  record_too_long:
    | { readonly record: NamedRecord; readonly name: string }
    | { readonly record: 'DKIM'; readonly selector: string };
  /** The last entry of a list that was cut. */
  more_errors: { readonly count: number };
  duplicate_tag: { readonly tag: string };
  /** `text` is what is between two semicolons, possibly `''`. */
  malformed_tag: { readonly text: string };

  no_mx_records: {
    readonly domain: string;
    readonly mailGoesTo: 'own address' | 'private address' | 'unknown' | 'nowhere' | MissingAlias;
  };
  mx_target_missing: { readonly host: string; readonly absence: Absence | 'null MX with a preference' };
  mx_target_ip: { readonly host: string };
  mx_target_cname: { readonly host: string };
  /** None of its addresses can be reached from the internet. */
  mx_target_private: { readonly host: string };
  null_mx_with_others: NoDetail;
  too_many_mx_hosts: { readonly hosts: number; readonly examined: number };

  /** `lookalike` is a TXT record that was meant as SPF. */
  no_spf_record: {
    readonly name: string;
    readonly absence: Absence | 'impossible name';
    readonly lookalike?: string;
  };
  include_not_found: MissingSpfTarget;
  redirect_not_found: MissingSpfTarget;
  /** `recordOf` is the domain of the record; absent for the checked domain. */
  syntax_error:
    | { readonly kind: 'version'; readonly recordOf?: string }
    | {
        readonly kind: 'term';
        readonly term: string;
        /** Counted from 1. */
        readonly character: number;
        readonly fault: SpfFault;
        readonly recordOf?: string;
      }
    /** The term is well-formed, but expands to a name that cannot be asked. */
    | { readonly kind: 'target'; readonly term: string; readonly recordOf: string; readonly name: string };
  too_many_lookups: { readonly lookups: number; readonly isAtLeast: boolean; readonly limit: number };
  too_many_void_lookups: { readonly lookups: number; readonly terms: readonly string[]; readonly limit: number };
  loop: { readonly path: readonly string[] };
  mx_limit: { readonly name: string; readonly hosts: number; readonly limit: number };

  /** `alias`: the selector is an alias of a name without a TXT record. */
  selector_not_found: { readonly selector: string; readonly alias?: string };
  txt_not_dkim: { readonly selector: string };
  key_revoked: NoDetail;
  /** `isPem`: it has the header of a PEM file. */
  bad_base64: { readonly isPem?: true };
  bad_key_data:
    | { readonly kind: 'no p' | 'Ed25519 key under rsa' | 'not RSA' }
    /** `characters` is the length of the record. */
    | { readonly kind: 'cut off'; readonly characters: number }
    | { readonly kind: 'not Ed25519'; readonly bytes: number };
  key_too_short: { readonly bits: number; readonly limit: number };
  unknown_key_type: { readonly type: string };
  bad_version: { readonly kind: 'not first' } | { readonly kind: 'other'; readonly version: string };
  hash_not_sha256: { readonly hashes: string };
  service_not_email: { readonly services: string };

  no_dmarc_record: {
    readonly domain: string;
    /** Meant as a DMARC record, at `_dmarc.` and the name. */
    readonly lookalike?: { readonly name: string; readonly raw: string; readonly fault: LookalikeFault } | undefined;
    /** One where receivers do not look. */
    readonly misplaced?: { readonly kind: 'apex' | 'doubled'; readonly name: string } | undefined;
  };
  missing_policy: NoDetail;
  bad_policy: TagValue;
  bad_subdomain_policy: TagValue;
  bad_tag_value: TagValue & { readonly expected: TagRule };
  bad_report_uri:
    | { readonly tag: string; readonly item: string; readonly kind: BadUriKind }
    | { readonly tag: string; readonly kind: 'too many'; readonly unread: number };

  /** What follows is about transport, and does not count for the score. */
  no_mail_host: { readonly domain: string };
  no_mta_sts_record: { readonly name: string };
  /** `id` is absent if the record has none. */
  bad_mta_sts_id: { readonly id?: string };
  policy_host_missing: { readonly host: string; readonly absence: Absence };
  /** None of its addresses is public, so that no connection is made. */
  policy_host_private: { readonly host: string };
  policy_not_fetched: { readonly url: string; readonly reason: string };
  policy_not_text: { readonly type: string };
  /** `value` is absent if the policy has no such field. */
  bad_mta_sts_policy: { readonly field: 'version' | 'mode' | 'max_age' | 'mx'; readonly value?: string };
  policy_without_host: { readonly host: string };

  no_tls_rpt_record: { readonly name: string };
  no_tls_rpt_uri: NoDetail;

  /** The MX records can be forged, and so can where they lead (RFC 7672 §2.2.1). */
  mx_not_authenticated: { readonly domain: string };
  no_tlsa_record: { readonly host: string };
  tlsa_not_authenticated: { readonly host: string };
  tlsa_unusable: { readonly host: string; readonly record: string; readonly fault: TlsaFault };

  no_bimi_record: { readonly name: string };
  /** An empty `l=`: the domain shows no mark. */
  bimi_declined: NoDetail;
  bad_bimi_uri: { readonly tag: 'l' | 'a'; readonly value: string };
  bimi_policy_too_weak: { readonly policy: string; readonly subdomains: string; readonly percentage: number };
  /** No `a=`: most mailbox providers show no mark without a certificate for it. */
  no_bimi_certificate: NoDetail;

  not_authenticated: { readonly domain: string };

  sender_needs_spf: NoDetail;
  sender_needs_dkim: NoDetail;
  sender_needs_dmarc: NoDetail;

  /** What follows was seen by connecting to the MX hosts. None of these addresses could be reached. */
  smtp_blocked: { readonly addresses: readonly string[] };
  no_public_mail_host: { readonly domain: string };
  smtp_failed: { readonly address: string; readonly step: SmtpStep; readonly fault: SmtpFault };
  no_starttls: { readonly address: string };
  /** Plain text after the reply to STARTTLS, which a client that reads on would take for text of the server. */
  starttls_injection: { readonly address: string };
  certificate_expired: { readonly until: string };
  certificate_not_yet_valid: { readonly from: string };
  certificate_self_signed: NoDetail;
  certificate_untrusted: { readonly reason: string };
  certificate_other_name: { readonly host: string; readonly names: readonly string[] };
  /** Senders that use DANE or MTA-STS do not deliver. */
  dane_mismatch: { readonly host: string };
  mta_sts_mismatch: { readonly host: string; readonly mode: 'enforce' | 'testing' };
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
export type MissingAlias = { readonly alias: string };

/** What the value of a tag must be. */
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

/** The finding for a question that failed. */
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
