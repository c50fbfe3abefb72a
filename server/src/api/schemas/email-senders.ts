/** `GET /v1/email/domain/{domain}/senders`. */

import { SENDER_DECISIONS } from '@whence/email/reports';
import { LOSS_BASES } from '@whence/email/reports/losses';
import { SENDER_CLASSES } from '@whence/email/reports/sender-class';
import { REASON_CODES, REASON_WEIGHTS } from '@whence/email/reports/verdict-text';
import { answer, askedPolicy } from '../../email-checks/report-schema.ts';
import { sendersQuery } from '../../email-reports/senders-request.ts';
import {
  allOptional,
  boolean,
  integer,
  list,
  named,
  namedObject,
  number,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
} from '../../http/json-schema.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

const senderClass = named(
  'SenderClass',
  oneOfTexts(
    SENDER_CLASSES,
    '`ours_broken`: fails, and is proven to be of the domain. `forwarded`: forwarded or altered on the way. `at_named_service`: fails at a sender of the domain: a provider that SPF names, or a place where mail of the domain passed. `undecided`: it is not known whose it is.',
  ),
);
const decision = named('SenderDecision', oneOfTexts(SENDER_DECISIONS));
const messages = integer('Messages.');
const seen = {
  first_seen: string('First day.', '2026-10-14'),
  last_seen: string('Last day.', '2026-11-17'),
};
const counts = {
  passes: messages,
  ours_broken: messages,
  forwarded: messages,
  at_named_service: messages,
  undecided: messages,
  not_ours: messages,
};

const reason = namedObject('VerdictReason', {
  weight: oneOfTexts(REASON_WEIGHTS, 'The answer that it leads to; a note decides nothing.'),
  code: oneOfTexts(REASON_CODES),
  text: string('The reason as a sentence.'),
  ...allOptional({
    id: string('Id of the sender or of its part, for decisions.', 'zendesk'),
    service: string('Name of a service.', 'Zendesk'),
    account: string('The part of the sender: a bounce domain or an address.', '192.0.2.9'),
    class: senderClass,
    messages,
    percent: number('Share of the domain’s own mail.', 0.9),
    setup: string('Where its signatures are switched on, if known.'),
    why: string('Why reports do not prove who sent them.', 'its message has no signature'),
    decision,
    basis: oneOfTexts(
      LOSS_BASES,
      'What is too much: the share of all mail over the period (`share`) or in each of the last two weeks (`recent`), the share of the sender’s own mail (`unit`), or its last mail in 90 days (`last_seen`).',
    ),
    last_failed: string('The last day on which it failed.', '2026-11-16'),
    last_passed: string('The last day on which it passed, or empty.', '2026-11-01'),
    reporters: string('Names of reporters.'),
    names: integer('Names in From.'),
    addresses: integer('Addresses.'),
    known_on: string('The day on which reports cover enough.', '2026-11-30'),
    name: string('A name in From.'),
    days: integer('Days.'),
    needed: integer('What is needed for an answer.'),
    day: string('The last day with reports.', '2026-11-02'),
    term: string('Term of the SPF record.', 'include:mail.zendesk.com'),
    lookups: integer('DNS lookups of the term.'),
    reporter: string('Who reported.', 'google.com'),
    reports: integer('Reports.'),
  }),
});

const row = namedObject('SenderRow', {
  address: string('Address of the server.', '192.0.2.1'),
  network: string('Its network.', 'AS64496 Example'),
  class: senderClass,
  messages,
  header_from: string('Domain in From.', 'example.com'),
  envelope_from: string('Domain of the envelope, or empty.'),
  spf: strings('Domain and result.'),
  dkim: strings('Selector, domain and result.'),
  disposition: string('What the receiver did.', 'none'),
  reporters: strings('Who reported it.'),
  ...seen,
  evidence: string('Why it has its class.'),
});

const fields = {
  domain: string('The domain, in A-labels.', 'example.com'),
  from: string('First day, UTC.', '2026-10-14'),
  to: string('Last day.', '2026-11-17'),
  reports: integer('Proven reports.'),
  reporters: list(
    namedObject('SenderReporter', {
      name: string('As it calls itself.', 'google.com'),
      reports: integer('Its reports.'),
      messages,
      ...seen,
      is_large: boolean('A receiver with very many mailboxes.'),
    }),
    'Large receivers first, then those with the most messages.',
  ),
  reporters_left_out: integer('Reporters beyond those that are listed.'),
  messages,
  verdict: namedObject('SendersVerdict', {
    policy: askedPolicy,
    answer,
    text: string('The answer as a sentence.'),
    reasons: list(reason),
    refused: list(
      namedObject('RefusedMail', {
        service: string('Name of the service.', 'Zendesk'),
        class: senderClass,
        messages,
      }),
    ),
    totals: namedObject('VerdictTotals', {
      passing: integer('Pass under the records in question.'),
      lost: integer('Of the domain, and refused.'),
      undecided: integer('Refused, and not known whose they are.'),
      forwarded: integer('Refused, and forwarded or altered on the way.'),
      not_ours: integer('Refused, and not of the domain.'),
      repaired: integer('Failed, from senders all of whose mail passes by now.'),
    }),
    record: string(
      'The record to publish where the answer is yes; empty otherwise.',
      '_dmarc.example.com. IN TXT "v=DMARC1; p=reject; rua=mailto:d@example.com"',
    ),
    own_messages: integer('Messages of the domain that the answer is about.'),
  }),
  services: list(
    namedObject('SenderService', {
      id: string('For decisions.', 'zendesk'),
      name: string('A service, `own servers`, or a network.', 'Zendesk'),
      class: senderClass,
      messages,
      passed: integer('Those that passed.'),
      spf_passed: integer('By aligned SPF.'),
      dkim_passed: integer('By an aligned signature.'),
      forwarded: integer('By a signature alone, though the envelope is the domain’s.'),
      classes: namedObject('SenderClasses', counts),
      accounts: list(
        namedObject('SenderAccount', {
          id: string('For decisions.', 'sendgrid/u999.ct.sendgrid.net'),
          name: string('A bounce domain, an address, or an IPv6 /64.', 'u999.ct.sendgrid.net'),
          class: senderClass,
          messages,
          passed: integer('Those that passed.'),
          last_seen: seen.last_seen,
          decision: optional(decision),
        }),
      ),
      ...seen,
      networks: strings('Networks of its addresses, those with the most messages.'),
      evidence: list(
        namedObject('SenderEvidence', {
          code: string('Does not change.', 'own_address'),
          text: string('Why it has its class.'),
          messages,
        }),
      ),
      decision: optional(decision),
    }),
  ),
  services_left_out: integer(
    'Senders beyond those that are listed. What needs a repair or a decision comes first, forged mail last.',
  ),
  days: list(namedObject('SenderDay', { day: string('UTC.', '2026-11-17'), ...counts })),
};

export const senders = namedObject('SendersReport', fields);

export const judgementUnavailable = refusal(
  'DNS does not answer, storage is down, or the server is overloaded or was upgraded.',
  ['DNS_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'OVERLOADED', 'RESTART_REQUIRED'],
);

export const emailSendersSchema = operation('Email', {
  operationId: 'findEmailSenders',
  summary: 'Who sends as a domain',
  description:
    'What aggregate reports (DMARC) show of the mail of a domain, and whether a stricter policy may be published. The reports are those imported on this server.',
  params: object({ domain: string('A domain name.', 'example.com') }),
  querystring: sendersQuery,
  response: {
    200: envelope(
      'The answer, by services and days.',
      namedObject('Senders', { ...fields, rows: optional(list(row)) }),
    ),
    400: refusal('No domain, not a domain, or days or a policy that cannot be judged.', [
      'MISSING_DOMAIN',
      'INVALID_DOMAIN',
      'INVALID_QUERY',
    ]),
    ...refusals,
    503: judgementUnavailable,
  },
});
