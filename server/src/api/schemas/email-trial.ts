/** `POST /v1/email/domain/{domain}/try`. */
import { CHANGE_RISKS } from '@whence/email/internal/advice/judge-change';
import { trialBody } from '../../email-checks/try-request.ts';
import {
  boolean,
  integer,
  list,
  named,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../../http/json-schema.ts';
import { senders } from './email-senders.ts';
import { findings, mailPoints, part } from './mail-report.ts';
import { envelope, refusal, refusals, security } from './refusals.ts';

const state = namedObject('EmailTrialState', {
  score: integer('0 to 100.'),
  grade: oneOfTexts(['A', 'B', 'C', 'D', 'F']),
  unverified: list(part, 'Parts that DNS did not answer for.'),
  points: mailPoints,
  risk: string('How others can send mail as the domain, or take over a name that it refers to; or empty.'),
  mx: strings('MX hosts.'),
  spf: string('Its SPF record.'),
  dmarc: string('The DMARC record that holds.'),
  spf_errors: findings,
  dmarc_errors: findings,
  ipv4_addresses: integer('IPv4 addresses that may send.'),
  ipv6_48s: integer('IPv6 /48s that may.'),
  open_to_all: boolean('Everyone may.'),
});
const finding = namedObject('EmailTrialFinding', { part, text: string('`code: explanation`.') });
const advice = list(
  namedObject('EmailTrialAdvice', {
    code: string('Does not change.', 'dmarc_change'),
    text: string('What to do.'),
    record: string('Record to publish, as a line of a zone file, or empty.'),
  }),
);
const risk = oneOfTexts([...CHANGE_RISKS]);
const amounts = list(
  namedObject('NetworkAmount', {
    asn: integer('The network; 0 if it is not known.'),
    asn_name: string('Its name, or empty.', 'Example'),
    ipv4_addresses: integer('Its IPv4 addresses.'),
    ipv6_48s: integer('Its IPv6 /48s.'),
  }),
);

export const emailTrialSchema = {
  operationId: 'tryEmailDomain',
  summary: 'Try other mail records',
  description:
    'What the check would say if these records were published, and what the change would break: skipped steps, lost reports and senders, names that others can take over. Nothing is published.',
  tags: ['Email'],
  security,
  params: object({ domain: string('A domain name.', 'example.com') }),
  body: trialBody,
  documentedBody: {
    ...named('EmailTrialRequest', trialBody),
    examples: [{ zone: '_dmarc IN TXT "v=DMARC1; p=reject"' }],
  },
  response: {
    200: envelope(
      'Both checks, and what differs.',
      namedObject('EmailTrial', {
        domain: string('The domain, in A-labels.', 'example.com'),
        before: state,
        after: state,
        risks: list(
          namedObject('EmailTrialRisk', { code: risk, text: string('What would happen.') }),
          'What the change would break, the most important first, whatever the score does.',
        ),
        appeared: list(finding),
        vanished: list(finding),
        advice: namedObject('EmailTrialAdvices', { appeared: advice, vanished: advice }),
        lookups: namedObject('EmailTrialLookups', {
          before: integer('DNS lookups of SPF.'),
          after: integer('Those with the change.'),
          limit: integer('More than these are an error.'),
        }),
        senders: namedObject('EmailTrialSenders', { gained: amounts, lost: amounts }),
        notes: strings('What was read otherwise than it is written, or not read.'),
        history: optional(senders),
      }),
    ),
    400: refusal(
      'No domain, not a domain, selectors that are none or too many, or a body or zone file that cannot be read.',
      ['MISSING_DOMAIN', 'INVALID_DOMAIN', 'INVALID_SELECTOR', 'TOO_MANY_SELECTORS', 'INVALID_REQUEST'],
    ),
    413: refusal('Body over 256 KiB.', 'PAYLOAD_TOO_LARGE'),
    415: refusal('Body that is not JSON.', 'UNSUPPORTED_MEDIA_TYPE'),
    ...refusals,
    503: refusal('DNS does not answer, storage is down, or the server is overloaded.', [
      'DNS_UNAVAILABLE',
      'STORAGE_UNAVAILABLE',
      'OVERLOADED',
    ]),
  },
};
