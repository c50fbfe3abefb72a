/**
 * The sentences for findings. They are made only here; everything else uses the code and the
 * detail.
 */
import type { RecordType } from '../dns/answer.ts';
import { MAX_SPF_TERMS, MAX_TXT_BYTES } from '../dns/budget.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import { explainFault, type SpfFault } from './spf-fault.ts';

type FailedQuestion = { name: string; type: RecordType; reason: string };
/** TXT records at a name that says what they are for. */
type NamedRecord = 'SPF' | 'DMARC' | 'MTA-STS' | 'TLS-RPT' | 'BIMI';
/** Why there is nothing at a name. */
export type Absence = 'no such name' | 'no such record' | MissingAlias;
/** The name is an alias of one that does not exist. */
type MissingAlias = { readonly alias: string };
type MailGoesTo = 'own address' | 'private address' | 'unknown' | 'nowhere' | MissingAlias;
type SpfAbsence = { readonly name: string; readonly absence: Absence | 'impossible name' };
/**
 * Why a lookalike of a DMARC record is none: no semicolon after `v=DMARC1`, or anything else about
 * its beginning.
 */
export type LookalikeFault = 'no semicolon' | 'beginning';
type DmarcAbsence = Domain & {
  /** Meant as a DMARC record, at `_dmarc.` and the name. */
  lookalike?: { name: string; raw: string; fault: LookalikeFault } | undefined;
  /** One where receivers do not look. */
  misplaced?: { kind: 'apex' | 'doubled'; name: string } | undefined;
};
type MarkPolicy = { policy: string; subdomains: string; percentage: number };
export type TagRule =
  | 'policy'
  | 'failure options'
  | { readonly oneOf: readonly string[] }
  | { readonly numberUpTo: number };
type TagValue = { tag: string; value: string };
type Host = { host: string };
type Domain = { domain: string };
type Address = { address: string };

/**
 * By code: the sentence, and with it the detail that the code has. Codes are part of the interface
 * (docs/email-score.md).
 */
export const EXPLANATIONS = {
  dns_temporary_failure: ({ name, type, reason }: FailedQuestion) => `${name} ${type} ${reason}`,
  dns_budget_exhausted: ({ name, type, reason }: FailedQuestion) => `${name} ${type}: ${reason}`,
  alias_too_long: ({ name, type, reason }: FailedQuestion) => `${name} ${type}: ${reason}`,
  /**
   * More than MAX_TXT_BYTES, or an SPF record of more than MAX_SPF_TERMS; the record was not
   * parsed.
   */
  record_too_long: (
    detail: { record: NamedRecord; name: string } | { record: 'DKIM'; selector: string },
  ) => {
    const where =
      detail.record === 'DKIM' ? `for selector "${detail.selector}"` : `at ${detail.name}`;
    return `the ${detail.record} record ${where} has more than ${MAX_TXT_BYTES} bytes${detail.record === 'SPF' ? ` or ${MAX_SPF_TERMS} terms` : ''} and is not read`;
  },
  /** The last entry of a list that was cut. */
  more_errors: ({ count }: { count: number }) =>
    `${count} more ${count === 1 ? 'is' : 'are'} not listed`,
  domain_not_found: ({ name }: { name: string }) => explainAbsence(name, 'no such name'),
  multiple_records: (
    detail:
      | { record: NamedRecord; name: string; count: number }
      | { record: 'DKIM'; selector: string; count: number },
  ) => {
    if (detail.record === 'DKIM')
      return `selector "${detail.selector}" has ${detail.count} DKIM records, not one`;
    return `${detail.name} has ${detail.count} ${detail.record} records${detail.record === 'SPF' ? '' : ', not one'}`;
  },
  duplicate_tag: ({ tag }: { tag: string }) => `${tag}= occurs more than once`,
  /** `text` is what is between two semicolons, possibly `''`. */
  malformed_tag: ({ text }: { text: string }) =>
    text === '' ? 'nothing between two semicolons' : `"${text}" is not name=value`,

  no_mx_records: ({ domain, mailGoesTo }: Domain & { mailGoesTo: MailGoesTo }) => {
    if (mailGoesTo === 'own address')
      return `mail for ${domain} goes to its own address (implicit MX)`;
    if (mailGoesTo === 'private address')
      return `${domain} has no MX record, and only a private or loopback address`;
    if (mailGoesTo === 'unknown') return `${domain} has no MX record`;
    if (mailGoesTo === 'nowhere') return `${domain} has no MX record and no address`;
    return explainAbsence(domain, mailGoesTo);
  },
  mx_target_missing: ({
    host,
    absence,
  }: {
    host: string;
    absence: Absence | 'null MX with a preference';
  }) =>
    absence === 'null MX with a preference'
      ? '"." is a null MX only as a single record with preference 0'
      : explainAbsence(host, absence, 'has no address'),
  mx_target_ip: ({ host }: Host) => `${host} is an address, not a name`,
  mx_target_cname: ({ host }: Host) => `${host} is an alias, not a name with an address`,
  /** None of its addresses can be reached from the internet. */
  mx_target_private: ({ host }: Host) =>
    `${host} has only private or loopback addresses, which senders cannot reach`,
  too_many_mx_hosts: ({ hosts, examined }: { hosts: number; examined: number }) =>
    `${hosts} hosts, ${examined} examined`,
  null_mx_with_others: () => '"." says that there is no mail host, but other records name one',

  /** `lookalike` is a TXT record that was meant as SPF. */
  no_spf_record: ({ name, absence, lookalike }: SpfAbsence & { lookalike?: string }) => {
    if (absence === 'impossible name') return `${name} is not a name that can have an SPF record`;
    if (lookalike === undefined) return explainAbsence(name, absence, 'has no SPF record');
    return `${name} has no SPF record; receivers skip '${lookalike}', which does not begin with v=spf1 and a blank`;
  },
  include_not_found: explainMissingTarget,
  redirect_not_found: explainMissingTarget,
  /** `recordOf` is the domain of the record; absent for the checked domain. */
  syntax_error: (
    detail:
      | { kind: 'version'; recordOf?: string }
      | { kind: 'term'; term: string; character: number; fault: SpfFault; recordOf?: string }
      /** The term is well-formed, but expands to a name that cannot be asked. */
      | { kind: 'target'; term: string; recordOf: string; name: string },
  ) => {
    if (detail.kind === 'target') return `${inRecord(detail)}: ${detail.name} is not a domain name`;
    const where = detail.recordOf === undefined ? '' : `in the record of ${detail.recordOf}, `;
    if (detail.kind === 'version') return `${where}the record does not begin with v=spf1`;
    return `${where}"${detail.term}" at character ${detail.character}: ${explainFault(detail.fault)}`;
  },
  too_many_lookups: ({
    lookups,
    isAtLeast,
    limit,
  }: {
    lookups: number;
    isAtLeast: boolean;
    limit: number;
  }) =>
    `the record needs ${isAtLeast ? 'at least ' : ''}${lookups} DNS lookups, and receivers stop at ${limit}`,
  too_many_void_lookups: ({
    lookups,
    terms,
    limit,
  }: {
    lookups: number;
    terms: readonly string[];
    limit: number;
  }) => {
    const named = terms.slice(0, 5).map((term) => `"${term}"`);
    const shown = terms.length > named.length ? [...named, '…'] : named;
    return `${lookups} lookups find nothing (${shown.join(', ')}), and receivers stop after ${limit}`;
  },
  loop: ({ path }: { path: readonly string[] }) =>
    path.length === 2 ? `${path.join(' > ')} (the record leads to itself)` : path.join(' > '),
  mx_limit: ({ name, hosts, limit }: { name: string; hosts: number; limit: number }) =>
    `${name} has ${hosts} MX hosts, and SPF allows ${limit}`,

  /** `alias`: the selector is an alias of a name without a TXT record. */
  selector_not_found: ({ selector, alias }: { selector: string; alias?: string }) =>
    alias === undefined
      ? `there is no TXT record for selector "${selector}"`
      : `selector "${selector}" is an alias of ${alias}, which has no TXT record`,
  txt_not_dkim: ({ selector }: { selector: string }) =>
    `the TXT record for selector "${selector}" is not a DKIM key`,
  key_revoked: () => 'p= is empty',
  /** `isPem`: it has the header of a PEM file. */
  bad_base64: ({ isPem }: { isPem?: true }) =>
    isPem
      ? 'the value of p= has the header of a PEM file; only the base64 lines between the headers belong there'
      : 'the value of p= is not base64',
  bad_key_data: (
    detail:
      | { kind: 'no p' | 'Ed25519 key under rsa' | 'not RSA' }
      /** `characters` is the length of the record. */
      | { kind: 'cut off'; characters: number }
      | { kind: 'not Ed25519'; bytes: number },
  ) => {
    switch (detail.kind) {
      case 'no p':
        return 'the record has no p= tag';
      case 'Ed25519 key under rsa':
        return 'the value of p= has 32 bytes like an Ed25519 key, but k= says rsa';
      case 'cut off':
        return `the end of the key is missing: the record has ${detail.characters} characters, and a longer one must be split into strings of at most 255`;
      case 'not RSA':
        return 'the value of p= is not an RSA public key';
      case 'not Ed25519':
        return `an Ed25519 key has 32 bytes, the value of p= has ${detail.bytes}`;
    }
  },
  key_too_short: ({ bits, limit }: { bits: number; limit: number }) =>
    `the RSA key in p= has ${bits} bits, verifiers require at least ${limit}`,
  unknown_key_type: ({ type }: { type: string }) => `k=${type} is neither rsa nor ed25519`,
  bad_version: (detail: { kind: 'not first' } | { kind: 'other'; version: string }) =>
    detail.kind === 'not first'
      ? 'v=DKIM1 is not the first tag'
      : `v=${detail.version} is not v=DKIM1`,
  hash_not_sha256: ({ hashes }: { hashes: string }) => `h=${hashes} does not allow sha256`,
  service_not_email: ({ services }: { services: string }) =>
    `s=${services} allows neither email nor *`,

  no_dmarc_record: ({ domain, lookalike, misplaced }: DmarcAbsence) => {
    if (lookalike?.fault === 'no semicolon')
      return `"${lookalike.raw}" at _dmarc.${lookalike.name} lacks the semicolon after v=DMARC1`;
    if (lookalike !== undefined)
      return `"${lookalike.raw}" at _dmarc.${lookalike.name} does not begin with v=DMARC1`;
    if (misplaced !== undefined)
      return `a DMARC record was found at ${misplaced.name} instead of _dmarc.${domain}, where receivers look`;
    return `there is none at _dmarc.${domain} or above it`;
  },
  missing_policy: () => 'the record has no p= tag',
  bad_policy: (detail: TagValue) => explainTagValue({ ...detail, expected: 'policy' }),
  bad_subdomain_policy: (detail: TagValue) => explainTagValue({ ...detail, expected: 'policy' }),
  bad_tag_value: explainTagValue,
  bad_report_uri: (
    detail:
      | { tag: string; item: string; kind: BadUriKind }
      | { tag: string; kind: 'too many'; unread: number },
  ) =>
    detail.kind === 'too many'
      ? `${detail.tag}= has ${detail.unread} more addresses than are read`
      : `"${detail.item}" in ${detail.tag}= ${URI_FAULTS[detail.kind]}`,

  // What follows is about transport, and does not count for the score.
  no_mail_host: ({ domain }: Domain) =>
    `${domain} takes no mail, so that there is no connection to protect`,
  no_mta_sts_record: ({ name }: { name: string }) => `there is none at ${name}`,
  /** `id` is absent if the record has none. */
  bad_mta_sts_id: ({ id }: { id?: string }) =>
    id === undefined ? 'the record has no id= tag' : `id=${id} is not 1 to 32 letters and digits`,
  policy_host_missing: ({ host, absence }: Host & { absence: Absence }) =>
    explainAbsence(host, absence, 'has no address'),
  /** None of its addresses is public, so that no connection is made. */
  policy_host_private: ({ host }: Host) =>
    `${host} has no address that can be reached from the internet`,
  policy_not_fetched: ({ url, reason }: { url: string; reason: string }) => `${url}: ${reason}`,
  policy_not_text: ({ type }: { type: string }) =>
    `the policy is sent as ${type === '' ? 'no type' : type}, not text/plain`,
  /** `value` is absent if the policy has no such field. */
  bad_mta_sts_policy: ({ field, value }: { field: keyof typeof POLICY_RULES; value?: string }) =>
    value === undefined
      ? `the policy has no ${field}`
      : `${field}: ${value} is not ${POLICY_RULES[field]}`,
  policy_without_host: ({ host }: Host) =>
    `the policy does not name ${host}: senders that follow it do not deliver to this host`,

  no_tls_rpt_record: ({ name }: { name: string }) => `there is none at ${name}`,
  no_tls_rpt_uri: () => 'the record has no rua= tag',

  /** The MX records can be forged, and so can where they lead (RFC 7672 §2.2.1). */
  mx_not_authenticated: ({ domain }: Domain) =>
    `the resolver did not authenticate the MX records of ${domain} with DNSSEC, without which DANE does not protect`,
  no_tlsa_record: ({ host }: Host) => `there is none at _25._tcp.${host}`,
  tlsa_not_authenticated: ({ host }: Host) =>
    `the resolver did not authenticate the TLSA records of ${host} with DNSSEC, so that senders ignore them`,
  tlsa_unusable: ({ host, record, fault }: Host & { record: string; fault: TlsaFault }) =>
    `"${record}" of ${host}: ${TLSA_FAULTS[fault]}`,

  no_bimi_record: ({ name }: { name: string }) => `there is none at ${name}`,
  bimi_declined: () => 'l= is empty: the domain asks that no mark is shown',
  bad_bimi_uri: ({ tag, value }: { tag: 'l' | 'a'; value: string }) =>
    `${tag}=${value} is not an https: URL`,
  bimi_policy_too_weak: ({ policy, subdomains, percentage }: MarkPolicy) =>
    subdomains === 'none' && policy !== 'none'
      ? 'receivers show a mark only where subdomains are protected too, not with sp=none'
      : `receivers show a mark only with DMARC quarantine or reject for all mail, not with ${policy} for ${percentage}%`,
  /** No `a=`: most mailbox providers show no mark without a certificate for it. */
  no_bimi_certificate: () =>
    'a= is missing: Gmail, Apple Mail and others show no mark without a certificate for it',

  not_authenticated: ({ domain }: Domain) =>
    `the resolver did not authenticate the records of ${domain} with DNSSEC: the zone is not signed, or the resolver does not validate`,

  // What follows was seen by connecting to the MX hosts. None of these addresses could be reached.
  smtp_blocked: ({ addresses }: { addresses: readonly string[] }) =>
    `port 25 of no MX host could be reached from here (${addresses.join(', ')}); if mail arrives there, this network blocks outgoing connections to port 25`,
  no_public_mail_host: ({ domain }: Domain) =>
    `no MX host of ${domain} has an address that can be reached from the internet`,
  smtp_failed: ({ address, step, fault }: Address & { step: SmtpStep; fault: SmtpFault }) =>
    `${address}: ${explainSmtpFault(step, fault)}`,
  no_starttls: ({ address }: Address) =>
    `${address} does not offer STARTTLS: mail to it is sent in plain text`,
  /**
   * Plain text after the reply to STARTTLS, which a client that reads on would take for text of the
   * server.
   */
  starttls_injection: ({ address }: Address) =>
    `${address} sent plain text after its reply to STARTTLS, as in an attack that injects replies (CVE-2011-0411)`,
  certificate_expired: ({ until }: { until: string }) => `the certificate was valid until ${until}`,
  certificate_ends_soon: ({ until }: { until: string }) =>
    `the certificate is valid until ${until}: renew it`,
  certificate_not_yet_valid: ({ from }: { from: string }) =>
    `the certificate is valid from ${from} on`,
  certificate_self_signed: () =>
    'the certificate is self-signed: senders that check certificates do not accept it',
  certificate_untrusted: ({ reason }: { reason: string }) =>
    `the certificate leads to no authority that senders know (${reason})`,
  certificate_other_name: ({ host, names }: Host & { names: readonly string[] }) =>
    `the certificate is not for ${host}, but for ${names.length === 0 ? 'no name' : names.join(', ')}`,
  dane_mismatch: ({ host }: Host) =>
    `no TLSA record of ${host} matches its certificate: senders that use DANE do not deliver to it`,
  mta_sts_mismatch: ({
    host,
    mode,
    isUnlisted,
  }: Host & { mode: 'enforce' | 'testing'; isUnlisted: boolean }) => {
    const fault = isUnlisted
      ? 'is not named by the MTA-STS policy'
      : 'does not present a valid certificate';
    return mode === 'enforce'
      ? `${host} ${fault}, and the policy is in enforce mode: senders that use it do not deliver`
      : `${host} ${fault}: with the MTA-STS policy in enforce mode, senders would not deliver`;
  },

  sender_needs_spf: () => 'a valid SPF record is required',
  sender_needs_dkim: () => 'a DKIM key of at least 1024 bits is required',
  sender_needs_dmarc: () => 'a DMARC policy is required, at least p=none',
  mail_refused_now: ({ service }: { service: string }) =>
    `mail of ${service} does not pass the DMARC policy`,
};

function explainSmtpFault(step: SmtpStep, fault: SmtpFault): string {
  if (typeof fault === 'string') return SMTP_FAULTS[fault](step);
  if ('reply' in fault) return `the ${step} was answered with "${fault.reply}"`;
  return `the ${step} failed (${fault.error})`;
}

export type SmtpStep = 'connection' | 'greeting' | 'EHLO' | 'STARTTLS' | 'TLS handshake';
/** `error`: a code of the system or of OpenSSL. `reply`: a refusal. */
export type SmtpFault =
  | keyof typeof SMTP_FAULTS
  | { readonly error: string }
  | { readonly reply: string };

const SMTP_FAULTS = {
  timeout: (step: SmtpStep) => `the ${step} timed out`,
  closed: (step: SmtpStep) => `the server closed the connection during the ${step}`,
  'long line': (step: SmtpStep) => `a line of the ${step} is too long to be a reply`,
  'long reply': (step: SmtpStep) => `the reply to the ${step} does not end`,
  'not a reply': (step: SmtpStep) => `the ${step} was not answered with a reply of SMTP`,
  'unqueried text': (step: SmtpStep) => `the server sent unexpected text before the ${step}`,
  'text before TLS': () => 'plain text after the reply to STARTTLS',
};

const POLICY_RULES = {
  version: 'STSv1',
  mode: 'enforce, testing or none',
  max_age: 'a number from 0 to 31557600',
  mx: 'a host name, or one that begins with *.',
} as const;

/** What is wrong with the three numbers or the data (RFC 6698 §2.1, RFC 7672 §3.1). */
export type TlsaFault = keyof typeof TLSA_FAULTS;
const TLSA_FAULTS = {
  usage: 'mail servers use the usages 2 and 3 only (RFC 7672 section 3.1)',
  selector: 'the selector is neither 0 nor 1',
  'matching type': 'the matching type is not 0, 1 or 2',
  length: 'the data does not have the length of its matching type',
};

export type BadUriKind = keyof typeof URI_FAULTS;
const URI_FAULTS = {
  empty: 'is an empty entry in the list',
  'no scheme': 'has no scheme; write mailto: before it',
  'not a URI': 'is not a URI that reports can be sent to',
};

function explainAbsence(name: string, absence: Absence, noRecord = 'has no record'): string {
  if (absence === 'no such name')
    return isSpecialUse(name)
      ? `${name} is a special-use name and is not looked up`
      : `${name} does not exist`;
  if (absence === 'no such record') return `${name} ${noRecord}`;
  const { alias } = absence;
  const why = isSpecialUse(alias)
    ? 'a special-use name that is not looked up'
    : 'which does not exist';
  return `${name} is an alias of ${alias}, ${why}`;
}

function explainMissingTarget(
  detail: SpfAbsence & { readonly term: string; readonly recordOf: string },
): string {
  const { name, absence } = detail;
  const why =
    absence === 'impossible name'
      ? `${name} is not a domain name`
      : explainAbsence(name, absence, 'has no SPF record');
  return `${inRecord(detail)}: ${why}`;
}

function inRecord({
  term,
  recordOf,
}: {
  readonly term: string;
  readonly recordOf: string;
}): string {
  return `"${term}" in the record of ${recordOf}`;
}

function explainTagValue({
  tag,
  value,
  expected,
}: TagValue & { readonly expected: TagRule }): string {
  return `${tag}=${value} is not ${explainRule(expected)}`;
}

function explainRule(rule: TagRule): string {
  if (rule === 'policy') return 'none, quarantine or reject';
  if (rule === 'failure options') return '0 or 1 with d or s, joined by colons';
  return 'oneOf' in rule ? rule.oneOf.join(' or ') : `a number from 0 to ${rule.numberUpTo}`;
}
