/**
 * Schemas of the report of a domain: its records; on request transport, SMTP and networks; what it
 * is made from; and trials.
 */

import { CONNECTION_TYPES, THREAT_LEVELS } from '@whence/dataset/record';
import { CHANGE_RISKS } from '@whence/email/judge-change';
import { OBSTACLE_CODES } from '@whence/email/readiness';
import { ASKED_POLICIES, VERDICT_ANSWERS } from '@whence/email/reports/asked-policy';
import {
  boolean,
  integer,
  list,
  named,
  namedObject,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../http/json-schema.ts';
import { REPORT_DAYS } from '../vocabulary.ts';

const policy = named('DmarcPolicy', oneOfTexts(['none', 'quarantine', 'reject']));
const publishedPolicy = oneOfTexts(['none', 'quarantine', 'reject', '']);
const alignment = oneOfTexts(['r', 's']);
const isValid = boolean('Whether there is no error.');
const findings = strings('`code: explanation`, one per finding.');

export const mx = namedObject('MxReport', {
  records: strings('Hosts by preference; "." for a null MX.'),
  is_valid: isValid,
  errors: findings,
});
export const spf = namedObject('SpfReport', {
  raw: string('The record.', 'v=spf1 mx -all'),
  mechanisms: strings('Every term after the version, as written.'),
  all_qualifier: oneOfTexts(['+', '-', '~', '?', '']),
  is_valid: isValid,
  is_permissive: boolean('The record ends in +all.'),
  validation_errors: findings,
  dns_lookup_count: integer('DNS lookups that the record needs, over its whole tree.'),
  exceeds_lookups: boolean('More than the 10 of RFC 7208.'),
});
export const dkim = namedObject('DkimReport', {
  selector: string('Name of the selector.', 'google'),
  found: boolean('Whether a key is published there.'),
  raw: string('The record.'),
  key_type: oneOfTexts(['rsa', 'ed25519', '']),
  key_bits: integer('Size of the key.'),
  is_valid: isValid,
  validation_errors: findings,
});
export const dmarc = namedObject('DmarcReport', {
  raw: string('The record that applies.'),
  version: string('DMARC1.'),
  policy: publishedPolicy,
  subdomain_policy: publishedPolicy,
  effective_policy: policy,
  percentage: integer('pct.'),
  aggregate_report_uris: strings('rua.'),
  forensic_report_uris: strings('ruf.'),
  dkim_alignment: alignment,
  spf_alignment: alignment,
  failure_options: string('fo.', '0'),
  report_interval: integer('ri, in seconds.'),
  organizational_domain: string('RFC 9989 section 4.10.2.', 'example.com'),
  record_domain: string('Where the record was found.', 'example.com'),
  inherited: boolean('The record is of a parent domain.'),
  partial_rollout: boolean('pct is below 100.'),
  no_visibility: boolean('There is no rua.'),
  strength_rating: oneOfTexts(['weak', 'moderate', 'strong']),
  is_valid: isValid,
  validation_errors: findings,
});

const record = { found: boolean('Whether the record is published.'), raw: string('The record.') };
const zoneLine = string('Record to publish, as a line of a zone file, or empty.');
const risk = string(
  'How others can send mail as the domain or take over a name that it refers to, or which own mail is refused; or empty.',
);
const recommendation = namedObject('TransportRecommendation', {
  text: string('What to do.'),
  record: zoneLine,
  file_url: string('Where the file belongs, or empty.'),
  file: string('File to publish there.'),
});
const recommendations = list(
  recommendation,
  'What to publish; empty for a domain that takes no mail.',
);
const judged = { is_valid: isValid, validation_errors: findings };
const senderRules = named(
  'SenderRulesState',
  oneOfTexts(['met', 'not_met', 'unverified', 'not_applicable']),
);
export const transport = namedObject('TransportReport', {
  mta_sts: namedObject('MtaStsReport', {
    ...record,
    id: string('id of the record.', '20260101T000000'),
    policy_found: boolean('Whether the policy could be fetched.'),
    mode: oneOfTexts(['enforce', 'testing', 'none', '']),
    max_age: integer('Seconds for which senders keep the policy.'),
    mx: strings('Hosts that the policy allows.'),
    ...judged,
    recommendations,
  }),
  tls_rpt: namedObject('TlsRptReport', {
    ...record,
    report_uris: strings('rua.'),
    ...judged,
    recommendations,
  }),
  dane: namedObject('DaneReport', {
    is_authenticated: boolean('The resolver authenticated the MX records with DNSSEC.'),
    hosts: list(
      namedObject('DaneHost', {
        host: string('The MX host.', 'mx.example.com'),
        records: strings('TLSA records, as in a zone file.'),
        is_authenticated: boolean('The resolver authenticated them with DNSSEC.'),
      }),
    ),
    ...judged,
  }),
  bimi: namedObject('BimiReport', {
    ...record,
    record_domain: string('Whose record it is.', 'example.com'),
    location: string('l=, where the mark is.', 'https://example.com/mark.svg'),
    certificate: string('a=, where the mark certificate is.', 'https://example.com/mark.pem'),
    ...judged,
  }),
  dnssec: namedObject('DnssecReport', {
    is_authenticated: boolean('The resolver authenticated the answers with DNSSEC.'),
    ...judged,
  }),
  sender_rules: namedObject('SenderRulesReport', {
    google: senderRules,
    yahoo: senderRules,
    microsoft: senderRules,
    ...judged,
  }),
});

const comparison = oneOfTexts(['match', 'mismatch', '']);

/** Where it is switched on. */
export const smtp = namedObject('SmtpReport', {
  is_blocked: boolean('No address answered: port 25 is probably blocked where the server runs.'),
  servers: list(
    namedObject('SmtpServer', {
      host: string('The MX host.', 'mx.example.com'),
      address: string('The address that was connected to.', '192.0.2.1'),
      banner: string('Text of the greeting.', 'mx.example.com ESMTP'),
      banner_name: string('The name in it, or empty.', 'mx.example.com'),
      banner_addresses: strings('Addresses of that name.'),
      reverse_name: string('A name of the address, or empty.', 'mx.example.com'),
      is_reverse_confirmed: boolean('That name has this address.'),
      has_starttls: boolean('STARTTLS is offered.'),
      tls_version: string('Version of TLS that was agreed on, or empty.', 'TLSv1.3'),
      certificate: namedObject('SmtpCertificate', {
        names: strings('DNS names.'),
        issuer: string('Who issued it, or empty.', 'CN=Example CA'),
        valid_from: string('ISO 8601, or empty.', '2026-01-01T00:00:00.000Z'),
        valid_to: string('ISO 8601, or empty.', '2027-01-01T00:00:00.000Z'),
        is_trusted: boolean('The chain leads to a known authority and is valid now.'),
        is_for_host: boolean('It has the name of the MX host.'),
      }),
      dane: {
        ...comparison,
        description: 'Whether a TLSA record fits; empty if DANE does not apply.',
      },
      mta_sts: {
        ...comparison,
        description: 'Whether the MTA-STS policy names it and accepts its certificate; or empty.',
      },
      stops_delivery: boolean(
        'Senders that use DANE, or an enforced MTA-STS policy, do not deliver to it.',
      ),
      ...judged,
    }),
  ),
  unprobed: strings('Addresses that were not connected to.'),
  ...judged,
});

const mailNetwork = {
  prefix: string('Announced prefix, or empty.', '192.0.2.0/24'),
  asn: integer('Network that announces it, or 0.'),
  asn_name: string('Its name.', 'Example'),
  country: string('ISO 3166-1 alpha-2, or empty.', 'US'),
  connection_type: oneOfTexts([...CONNECTION_TYPES, '']),
  threat_level: oneOfTexts([...THREAT_LEVELS, '']),
};
const carrier = namedObject('MailCarrier', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  mx_hosts: integer('MX hosts in it.'),
  ipv4_addresses: integer('Its IPv4 addresses that may send.'),
});
const mxNetwork = namedObject('MxNetwork', {
  ...mailNetwork,
  host: string('The MX host.', 'mx.example.com'),
  address: string('One of its addresses.', '192.0.2.1'),
});
const networkShare = namedObject('NetworkShare', {
  asn: integer('The network.'),
  asn_name: string('Its name.', 'Example'),
  percent: integer('Its part of the range, in percent.'),
});
const senderNetwork = namedObject('SenderNetwork', {
  ...mailNetwork,
  range: string('Addresses that SPF lets send.', '192.0.2.0/24'),
  record_domain: string('Whose SPF record names them.', 'example.com'),
  asn_count: integer('Networks that announce parts of it.'),
  shares: list(
    networkShare,
    'The networks with the largest parts, at most five; of a sample if there are very many.',
  ),
});

export const networks = namedObject('NetworksReport', {
  carriers: list(carrier, 'Networks by how much they carry.'),
  mx: list(mxNetwork),
  senders: list(senderNetwork, 'At most 100, the largest first.'),
  range_count: integer('All ranges.'),
  ipv4_addresses: integer('IPv4 addresses that may send as the domain.'),
  ipv6_48s: integer('IPv6 /48s that may.'),
  open_to_all: boolean('Everyone may.'),
  unlisted_terms: strings('Terms of SPF whose addresses only a receiver can know.'),
  errors: findings,
});

const part = named('MailPart', oneOfTexts(['mx', 'spf', 'dkim', 'dmarc']));
export const askedPolicy = named('AskedPolicy', oneOfTexts(ASKED_POLICIES));
export const answer = named('VerdictAnswer', oneOfTexts(VERDICT_ANSWERS));
const points = integer('Points.');

const readiness = namedObject('MailReadiness', {
  steps: strings('The next stricter steps: `p=quarantine`, `p=reject`, `-all`.'),
  is_ready: boolean('They are safe now.'),
  obstacles: list(
    namedObject('MailObstacle', {
      code: oneOfTexts(OBSTACLE_CODES),
      text: string('They are safe when this is so.', 'a DKIM key is found'),
    }),
  ),
});

const mailPoints = namedObject('MailPoints', {
  mx: points,
  spf: points,
  dkim: points,
  dmarc: points,
});

export const details = namedObject('EmailDetails', {
  points: mailPoints,
  unverified: list(part, 'Parts that DNS did not answer for.'),
  risk,
  is_finished: boolean('It is set up to send no mail, and nothing is left to fix.'),
  advice: list(
    namedObject('EmailAdvice', {
      code: string('Stable name of the recommendation.', 'dmarc_publish'),
      points: integer('How much the score rises; 0 for what does not count but should be known.'),
      text: string('What to do.'),
      record: zoneLine,
    }),
  ),
  readiness,
  sender_rules: string(
    'Whether it meets what Google, Yahoo and Microsoft ask of bulk senders, in one line.',
  ),
  senders: optional({
    ...namedObject('EmailSendersLine', {
      policy: askedPolicy,
      answer,
      text: string('The answer as a sentence.'),
      messages: integer(`Messages in ${REPORT_DAYS} days.`),
      passed: integer('Those that passed.'),
      record: string(
        'The record to publish where the answer is yes; empty otherwise.',
        '_dmarc.example.com. IN TXT "v=DMARC1; p=reject; rua=mailto:d@example.com"',
      ),
    }),
    description: 'What aggregate reports say about `p=reject`, for keys with `reports:read`.',
  }),
  open_to_all: boolean('SPF lets everyone send.'),
  spf_tree: list(
    namedObject('SpfTreeLine', {
      depth: integer('0 for the record of the domain.'),
      term: string('The domain, or the term that led here.', 'include:_spf.example.com'),
      lookups: integer('DNS lookups of the subtree.'),
      errors: strings('`code: explanation`, at most three.'),
    }),
  ),
});

const trialState = namedObject('EmailTrialState', {
  score: integer('0 to 100.'),
  grade: oneOfTexts(['A', 'B', 'C', 'D', 'F']),
  unverified: list(part, 'Parts that DNS did not answer for.'),
  points: mailPoints,
  risk,
  mx: strings('MX hosts.'),
  spf: string('Its SPF record.'),
  dmarc: string('The DMARC record that holds.'),
  spf_errors: findings,
  dmarc_errors: findings,
  ipv4_addresses: integer('IPv4 addresses that may send.'),
  ipv6_48s: integer('IPv6 /48s that may.'),
  open_to_all: boolean('Everyone may.'),
});
const trialFinding = namedObject('EmailTrialFinding', {
  part,
  text: string('`code: explanation`.'),
});
const trialAdvice = list(
  namedObject('EmailTrialAdvice', {
    code: string('Does not change.', 'dmarc_change'),
    text: string('What to do.'),
    record: zoneLine,
  }),
);
const networkAmounts = list(
  namedObject('NetworkAmount', {
    asn: integer('The network; 0 if it is not known.'),
    asn_name: string('Its name, or empty.', 'Example'),
    ipv4_addresses: integer('Its IPv4 addresses.'),
    ipv6_48s: integer('Its IPv6 /48s.'),
  }),
);

/** Without the history, which reports have. */
export const trial = {
  domain: string('The domain, in A-labels.', 'example.com'),
  before: trialState,
  after: trialState,
  risks: list(
    namedObject('EmailTrialRisk', {
      code: oneOfTexts(CHANGE_RISKS),
      text: string('What would happen.'),
    }),
    'What the change would break, the most important first, whatever the score does.',
  ),
  appeared: list(trialFinding),
  vanished: list(trialFinding),
  advice: namedObject('EmailTrialAdvices', { appeared: trialAdvice, vanished: trialAdvice }),
  lookups: namedObject('EmailTrialLookups', {
    before: integer('DNS lookups of SPF.'),
    after: integer('Those with the change.'),
    limit: integer('More than these are an error.'),
  }),
  senders: namedObject('EmailTrialSenders', { gained: networkAmounts, lost: networkAmounts }),
  notes: strings('What was read otherwise than it is written, or not read.'),
};
