/** The sentences for findings. They are made only here; everything else uses the code and the detail. */
import { MAX_SPF_TERMS, MAX_TXT_BYTES } from '../dns/budget.ts';
import { isSpecialUse } from '../dns/special-use.ts';
import { cutText, visible } from '../visible-text.ts';
import type {
  Absence,
  BadUriKind,
  Finding,
  FindingCode,
  FindingDetails,
  SmtpFault,
  SmtpStep,
  TagRule,
  TlsaFault,
} from './finding.ts';
import { explainFault } from './spf-fault.ts';

/** As in a report: `code: explanation`. */
export function formatFinding(finding: Finding): string {
  return cutText(`${finding.code}: ${explain(finding)}`);
}

export function explain<Code extends FindingCode>({ code, detail }: Finding<Code>): string {
  return cutText(visible(EXPLANATIONS[code](detail)));
}

const EXPLANATIONS: { readonly [Code in FindingCode]: (detail: FindingDetails[Code]) => string } = {
  dns_temporary_failure: ({ name, type, reason }) => `${name} ${type} ${reason}`,
  dns_budget_exhausted: ({ name, type, reason }) => `${name} ${type}: ${reason}`,
  alias_too_long: ({ name, type, reason }) => `${name} ${type}: ${reason}`,
  record_too_long: (detail) => {
    const where = detail.record === 'DKIM' ? `for selector "${detail.selector}"` : `at ${detail.name}`;
    return `the ${detail.record} record ${where} has more than ${MAX_TXT_BYTES} bytes${detail.record === 'SPF' ? ` or ${MAX_SPF_TERMS} terms` : ''} and is not read`;
  },
  more_errors: ({ count }) => `${count} more ${count === 1 ? 'is' : 'are'} not listed`,
  domain_not_found: ({ name }) => explainAbsence(name, 'no such name'),
  multiple_records: (detail) => {
    if (detail.record === 'DKIM') return `selector "${detail.selector}" has ${detail.count} DKIM records, not one`;
    return `${detail.name} has ${detail.count} ${detail.record} records${detail.record === 'SPF' ? '' : ', not one'}`;
  },
  duplicate_tag: ({ tag }) => `${tag}= occurs more than once`,
  malformed_tag: ({ text }) => (text === '' ? 'nothing between two semicolons' : `"${text}" is not name=value`),

  no_mx_records: ({ domain, mailGoesTo }) => {
    if (mailGoesTo === 'own address') return `mail for ${domain} goes to its own address (implicit MX)`;
    if (mailGoesTo === 'private address') return `${domain} has no MX record, and only a private or loopback address`;
    if (mailGoesTo === 'unknown') return `${domain} has no MX record`;
    if (mailGoesTo === 'nowhere') return `${domain} has no MX record and no address`;
    return explainAbsence(domain, mailGoesTo);
  },
  mx_target_missing: ({ host, absence }) =>
    absence === 'null MX with a preference'
      ? '"." is a null MX only as a single record with preference 0'
      : explainAbsence(host, absence, 'has no address'),
  mx_target_ip: ({ host }) => `${host} is an address, not a name`,
  mx_target_cname: ({ host }) => `${host} is an alias, not a name with an address`,
  mx_target_private: ({ host }) => `${host} has only private or loopback addresses, which senders cannot reach`,
  too_many_mx_hosts: ({ hosts, examined }) => `${hosts} hosts, ${examined} examined`,
  null_mx_with_others: () => '"." says that there is no mail host, but other records name one',

  no_spf_record: ({ name, absence, lookalike }) => {
    if (absence === 'impossible name') return `${name} is not a name that can have an SPF record`;
    if (lookalike === undefined) return explainAbsence(name, absence, 'has no SPF record');
    return `${name} has no SPF record; receivers skip '${lookalike}', which does not begin with v=spf1 and a blank`;
  },
  include_not_found: explainMissingTarget,
  redirect_not_found: explainMissingTarget,
  syntax_error: (detail) => {
    if (detail.kind === 'target') return `${inRecord(detail)}: ${detail.name} is not a domain name`;
    const where = detail.recordOf === undefined ? '' : `in the record of ${detail.recordOf}, `;
    if (detail.kind === 'version') return `${where}the record does not begin with v=spf1`;
    return `${where}"${detail.term}" at character ${detail.character}: ${explainFault(detail.fault)}`;
  },
  too_many_lookups: ({ lookups, isAtLeast, limit }) =>
    `the record needs ${isAtLeast ? 'at least ' : ''}${lookups} DNS lookups, and receivers stop at ${limit}`,
  too_many_void_lookups: ({ lookups, terms, limit }) => {
    const named = terms.slice(0, 5).map((term) => `"${term}"`);
    const shown = terms.length > named.length ? [...named, '…'] : named;
    return `${lookups} lookups find nothing (${shown.join(', ')}), and receivers stop after ${limit}`;
  },
  loop: ({ path }) => (path.length === 2 ? `${path.join(' > ')} (the record leads to itself)` : path.join(' > ')),
  mx_limit: ({ name, hosts, limit }) => `${name} has ${hosts} MX hosts, and SPF allows ${limit}`,

  selector_not_found: ({ selector, alias }) =>
    alias === undefined
      ? `there is no TXT record for selector "${selector}"`
      : `selector "${selector}" is an alias of ${alias}, which has no TXT record`,
  txt_not_dkim: ({ selector }) => `the TXT record for selector "${selector}" is not a DKIM key`,
  key_revoked: () => 'p= is empty',
  bad_base64: ({ isPem = false }) =>
    isPem
      ? 'the value of p= has the header of a PEM file; only the base64 lines between the headers belong there'
      : 'the value of p= is not base64',
  bad_key_data: (detail) => {
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
  key_too_short: ({ bits, limit }) => `the RSA key in p= has ${bits} bits, verifiers require at least ${limit}`,
  unknown_key_type: ({ type }) => `k=${type} is neither rsa nor ed25519`,
  bad_version: (detail) =>
    detail.kind === 'not first' ? 'v=DKIM1 is not the first tag' : `v=${detail.version} is not v=DKIM1`,
  hash_not_sha256: ({ hashes }) => `h=${hashes} does not allow sha256`,
  service_not_email: ({ services }) => `s=${services} allows neither email nor *`,

  no_dmarc_record: ({ domain, lookalike, misplaced }) => {
    if (lookalike?.fault === 'no semicolon')
      return `"${lookalike.raw}" at _dmarc.${lookalike.name} lacks the semicolon after v=DMARC1`;
    if (lookalike !== undefined) return `"${lookalike.raw}" at _dmarc.${lookalike.name} does not begin with v=DMARC1`;
    if (misplaced !== undefined)
      return `a DMARC record was found at ${misplaced.name} instead of _dmarc.${domain}, where receivers look`;
    return `there is none at _dmarc.${domain} or above it`;
  },
  missing_policy: () => 'the record has no p= tag',
  bad_policy: (detail) => explainTagValue({ ...detail, expected: 'policy' }),
  bad_subdomain_policy: (detail) => explainTagValue({ ...detail, expected: 'policy' }),
  bad_tag_value: explainTagValue,
  bad_report_uri: (detail) =>
    detail.kind === 'too many'
      ? `${detail.tag}= has ${detail.unread} more addresses than are read`
      : `"${detail.item}" in ${detail.tag}= ${URI_FAULTS[detail.kind]}`,

  no_mail_host: ({ domain }) => `${domain} takes no mail, so that there is no connection to protect`,
  no_mta_sts_record: ({ name }) => `there is none at ${name}`,
  bad_mta_sts_id: ({ id }) =>
    id === undefined ? 'the record has no id= tag' : `id=${id} is not 1 to 32 letters and digits`,
  policy_host_missing: ({ host, absence }) => explainAbsence(host, absence, 'has no address'),
  policy_host_private: ({ host }) => `${host} has no address that can be reached from the internet`,
  policy_not_fetched: ({ url, reason }) => `${url}: ${reason}`,
  policy_not_text: ({ type }) => `the policy is sent as ${type === '' ? 'no type' : type}, not text/plain`,
  bad_mta_sts_policy: ({ field, value }) =>
    value === undefined ? `the policy has no ${field}` : `${field}: ${value} is not ${POLICY_RULES[field]}`,
  policy_without_host: ({ host }) =>
    `the policy does not name ${host}: senders that follow it do not deliver to this host`,

  no_tls_rpt_record: ({ name }) => `there is none at ${name}`,
  no_tls_rpt_uri: () => 'the record has no rua= tag',

  mx_not_authenticated: ({ domain }) =>
    `the resolver did not authenticate the MX records of ${domain} with DNSSEC, without which DANE does not protect`,
  no_tlsa_record: ({ host }) => `there is none at _25._tcp.${host}`,
  tlsa_not_authenticated: ({ host }) =>
    `the resolver did not authenticate the TLSA records of ${host} with DNSSEC, so that senders ignore them`,
  tlsa_unusable: ({ host, record, fault }) => `"${record}" of ${host}: ${TLSA_FAULTS[fault]}`,

  no_bimi_record: ({ name }) => `there is none at ${name}`,
  bimi_declined: () => 'l= is empty: the domain asks that no mark is shown',
  bad_bimi_uri: ({ tag, value }) => `${tag}=${value} is not an https: URL`,
  bimi_policy_too_weak: ({ policy, subdomains, percentage }) =>
    subdomains === 'none' && policy !== 'none'
      ? 'receivers show a mark only where subdomains are protected too, not with sp=none'
      : `receivers show a mark only with DMARC quarantine or reject for all mail, not with ${policy} for ${percentage} %`,
  no_bimi_certificate: () => 'a= is missing: Gmail, Apple Mail and others show no mark without a certificate for it',

  not_authenticated: ({ domain }) =>
    `the resolver did not authenticate the records of ${domain} with DNSSEC: the zone is not signed, or the resolver does not validate`,

  smtp_blocked: ({ addresses }) =>
    `port 25 of no MX host could be reached from here (${addresses.join(', ')}); if mail arrives there, this network blocks outgoing connections to port 25`,
  no_public_mail_host: ({ domain }) => `no MX host of ${domain} has an address that can be reached from the internet`,
  smtp_failed: ({ address, step, fault }) => `${address}: ${explainSmtpFault(step, fault)}`,
  no_starttls: ({ address }) => `${address} does not offer STARTTLS: mail to it is sent in plain text`,
  starttls_injection: ({ address }) =>
    `${address} sent plain text after its reply to STARTTLS, as in an attack that injects replies (CVE-2011-0411)`,
  certificate_expired: ({ until }) => `the certificate was valid until ${until}`,
  certificate_ends_soon: ({ until }) => `the certificate is valid until ${until}: renew it`,
  certificate_not_yet_valid: ({ from }) => `the certificate is valid from ${from} on`,
  certificate_self_signed: () => 'the certificate is self-signed: senders that check certificates do not accept it',
  certificate_untrusted: ({ reason }) => `the certificate leads to no authority that senders know (${reason})`,
  certificate_other_name: ({ host, names }) =>
    `the certificate is not for ${host}, but for ${names.length === 0 ? 'no name' : names.join(', ')}`,
  dane_mismatch: ({ host }) =>
    `no TLSA record of ${host} matches its certificate: senders that use DANE do not deliver to it`,
  mta_sts_mismatch: ({ host, mode, isUnlisted }) => {
    const fault = isUnlisted ? 'is not named by the MTA-STS policy' : 'does not present a valid certificate';
    return mode === 'enforce'
      ? `${host} ${fault}, and the policy is in enforce mode: senders that use it do not deliver`
      : `${host} ${fault}: with the MTA-STS policy in enforce mode, senders would not deliver`;
  },

  sender_needs_spf: () => 'a valid SPF record is required',
  sender_needs_dkim: () => 'a DKIM key of at least 1024 bits is required',
  sender_needs_dmarc: () => 'a DMARC policy is required, at least p=none',
  mail_refused_now: ({ service }) => `mail of ${service} does not pass the DMARC policy`,
};

function explainSmtpFault(step: SmtpStep, fault: SmtpFault): string {
  if (typeof fault === 'string') return SMTP_FAULTS[fault](step);
  if ('reply' in fault) return `the ${step} was answered with "${fault.reply}"`;
  return `the ${step} failed (${fault.error})`;
}

const SMTP_FAULTS: Readonly<Record<Extract<SmtpFault, string>, (step: SmtpStep) => string>> = {
  timeout: (step) => `the ${step} timed out`,
  closed: (step) => `the server closed the connection during the ${step}`,
  'long line': (step) => `a line of the ${step} is too long to be a reply`,
  'long reply': (step) => `the reply to the ${step} does not end`,
  'not a reply': (step) => `the ${step} was not answered with a reply of SMTP`,
  'unasked text': (step) => `the server sent unexpected text before the ${step}`,
  'text before TLS': () => 'plain text after the reply to STARTTLS',
};

const POLICY_RULES = {
  version: 'STSv1',
  mode: 'enforce, testing or none',
  max_age: 'a number from 0 to 31557600',
  mx: 'a host name, or one that begins with *.',
} as const;

const TLSA_FAULTS: Readonly<Record<TlsaFault, string>> = {
  usage: 'mail servers use the usages 2 and 3 only (RFC 7672 section 3.1)',
  selector: 'the selector is neither 0 nor 1',
  'matching type': 'the matching type is not 0, 1 or 2',
  length: 'the data does not have the length of its matching type',
};

const URI_FAULTS: Readonly<Record<BadUriKind, string>> = {
  empty: 'is an empty entry in the list',
  'no scheme': 'has no scheme; write mailto: before it',
  'not a URI': 'is not a URI that reports can be sent to',
};

function explainAbsence(name: string, absence: Absence, noRecord = 'has no record'): string {
  if (absence === 'no such name')
    return isSpecialUse(name) ? `${name} is a special-use name and is not looked up` : `${name} does not exist`;
  if (absence === 'no such record') return `${name} ${noRecord}`;
  const { alias } = absence;
  const why = isSpecialUse(alias) ? 'a special-use name that is not looked up' : 'which does not exist';
  return `${name} is an alias of ${alias}, ${why}`;
}

function explainMissingTarget(detail: FindingDetails['include_not_found']): string {
  const { name, absence } = detail;
  const why =
    absence === 'impossible name' ? `${name} is not a domain name` : explainAbsence(name, absence, 'has no SPF record');
  return `${inRecord(detail)}: ${why}`;
}

function inRecord({ term, recordOf }: { readonly term: string; readonly recordOf: string }): string {
  return `"${term}" in the record of ${recordOf}`;
}

function explainTagValue({ tag, value, expected }: FindingDetails['bad_tag_value']): string {
  return `${tag}=${value} is not ${explainRule(expected)}`;
}

function explainRule(rule: TagRule): string {
  if (rule === 'policy') return 'none, quarantine or reject';
  if (rule === 'failure options') return '0 or 1 with d or s, joined by colons';
  return 'oneOf' in rule ? rule.oneOf.join(' or ') : `a number from 0 to ${rule.numberUpTo}`;
}
