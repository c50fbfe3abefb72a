/** What the report of a domain is made from; on request. */
import { ASKED_POLICIES, VERDICT_ANSWERS } from '@whence/email/internal/reports/verdict';
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
} from '../../http/json-schema.ts';

export const part = named('MailPart', oneOfTexts(['mx', 'spf', 'dkim', 'dmarc']));
export const askedPolicy = named('AskedPolicy', oneOfTexts(ASKED_POLICIES));
export const answer = named('VerdictAnswer', oneOfTexts(VERDICT_ANSWERS));
const points = integer('Points.');
const amounts = { ipv4_addresses: integer('IPv4 addresses.'), ipv6_48s: integer('IPv6 /48s.') };

const readiness = namedObject('MailReadiness', {
  steps: strings('The next stricter steps: `p=quarantine`, `p=reject`, `-all`.'),
  is_ready: boolean('They are safe now.'),
  obstacles: list(
    namedObject('MailObstacle', {
      code: oneOfTexts([
        'unverified',
        'spf_invalid',
        'spf_open',
        'no_key',
        'sender_without_key',
        'mail_refused',
        'no_reports',
        'reports_lost',
      ]),
      text: string('They are safe when this is so.', 'a DKIM key is found'),
    }),
  ),
});

export const mailPoints = namedObject('MailPoints', { mx: points, spf: points, dkim: points, dmarc: points });

export const details = namedObject('EmailDetails', {
  points: mailPoints,
  unverified: { ...list(part), description: 'Parts that DNS did not answer for.' },
  risk: string('How others can send mail as the domain, or take over a name that it refers to; or empty.'),
  is_finished: boolean('It is set up to send no mail, and nothing is left to fix.'),
  advice: list(
    namedObject('EmailAdvice', {
      code: string('Stable name of the recommendation.', 'dmarc_publish'),
      points: integer('How much the score rises; 0 for what does not count but should be known.'),
      text: string('What to do.'),
      record: string('Record to publish, as a line of a zone file, or empty.'),
    }),
  ),
  readiness,
  sender_rules: string('Whether it meets what Google, Yahoo and Microsoft ask of bulk senders, in one line.'),
  senders: optional({
    ...namedObject('EmailSendersLine', {
      policy: askedPolicy,
      answer,
      text: string('The answer as a sentence.'),
      messages: integer('Messages in 35 days.'),
      passed: integer('Those that passed.'),
    }),
    description: 'What aggregate reports say about `p=reject`, for keys with `reports:read`.',
  }),
  spf_tree: list(
    namedObject('SpfTreeLine', {
      depth: integer('0 for the record of the domain.'),
      term: string('The domain, or the term that led here.', 'include:_spf.example.com'),
      lookups: integer('DNS lookups of the subtree.'),
      errors: strings('`code: explanation`, at most three.'),
    }),
  ),
  evidence: namedObject('EmailEvidence', {
    unverified: { ...list(part), description: 'Parts of which DNS did not answer something.' },
    open_to_all: boolean('SPF lets everyone send.'),
    ...amounts,
    spf_terms: list(namedObject('SpfTermBreadth', { term: string('A term of the record.', 'mx'), ...amounts })),
    readiness,
    dangling: list(namedObject('DanglingName', { part, name: string('A name that does not exist.') })),
  }),
});
