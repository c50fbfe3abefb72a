/** Requests for the TLS reports of a domain: what they may have, and the answer. */
import { VERDICT_ANSWERS } from '@whence/email/reports/asked-policy';
import { TLS_FAILURES, TLS_POLICIES } from '@whence/email/reports/tls';
import { TLS_QUESTIONS, TLS_REASON_CODES } from '@whence/email/reports/tls-verdict-text';
import { REASON_WEIGHTS } from '@whence/email/reports/verdict-text';
import { dnsUnavailable, mayNotReadReports, parseDomain } from '../email-checks/check-request.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { Checked } from '../email-checks/examine-mail.ts';
import {
  allOptional,
  boolean,
  integer,
  list,
  namedObject,
  object,
  oneOfTexts,
  type QueryOf,
  string,
  strings,
  type ValueOf,
} from '../http/json-schema.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { parseDays, sendersQuery } from './senders-request.ts';

export const tlsReportsQuery = object({ days: sendersQuery.properties.days });

const sessions = integer('Sessions.');
const failed = integer('Those of them that failed.');
const result = oneOfTexts(
  TLS_FAILURES,
  'As RFC 8460 names it; `other` if the report does not say.',
);
const seen = {
  first_seen: string('First day.', '2026-10-14'),
  last_seen: string('Last day.', '2026-11-17'),
};

export const tlsReports = namedObject('TlsReports', {
  domain: string('The domain, in A-labels.', 'example.com'),
  from: string('First day of the period.', '2026-10-14'),
  to: string('Last day.', '2026-11-17'),
  verdict: namedObject('TlsVerdict', {
    question: oneOfTexts(
      TLS_QUESTIONS,
      'What is answered. `enforce`: may MTA-STS be set to enforce? `keep_enforce`: may it stay? `keep_dane`: may DANE be kept?',
    ),
    answer: oneOfTexts(VERDICT_ANSWERS),
    text: string('The answer as a sentence.'),
    reasons: list(
      namedObject('TlsReason', {
        weight: oneOfTexts(REASON_WEIGHTS, 'The answer that it leads to; a note decides nothing.'),
        code: oneOfTexts(TLS_REASON_CODES),
        text: string('The reason as a sentence.'),
        ...allOptional({
          host: string('The MX host.', 'mx1.example.com'),
          result,
          sessions: integer('Failed sessions of the last 14 days.'),
          days: integer('Days on which they failed, or that reports cover.'),
          last_failed: string('The last of them.', '2026-11-16'),
          clear_on: string('When it no longer counts if nothing more fails.', '2026-11-29'),
          reporters: string('Who reported it, if no large receiver did.'),
          reports: integer('Reports that are not used.'),
          why: string('Why they are not.'),
          needed: integer('Days that are needed.'),
          known_on: string('When the answer is known if reports go on.'),
          day: string('Day of the last report of a large receiver.'),
        }),
      }),
    ),
    record: string('TXT record of MTA-STS to publish, as a line of a zone file; or empty.'),
    file_url: string('Where the policy belongs; or empty.'),
    file: string('The policy to publish; or empty.'),
  }),
  mode: oneOfTexts(['enforce', 'testing', 'none', ''], 'Mode of the published MTA-STS policy.'),
  has_dane: boolean('Whether all MX hosts have authenticated TLSA records.'),
  hosts: strings('MX hosts of today.'),
  reports: integer('Proven and usable reports.'),
  sessions,
  failed,
  days: list(namedObject('TlsDay', { day: string('The day.', '2026-11-17'), sessions, failed })),
  reporters: list(
    namedObject('TlsReporter', {
      name: string('The domain of its address.', 'google.com'),
      is_large: boolean('Whether it is a large receiver, which a yes needs.'),
      sessions,
      failed,
      ...seen,
    }),
  ),
  failures: list(
    namedObject('TlsFailure', {
      policy: oneOfTexts(TLS_POLICIES, 'The policy that the sender applied.'),
      host: string('The MX host; empty if the report does not say.', 'mx1.example.com'),
      result,
      sessions,
      reporters: strings('Who reported it, at most five.'),
      ...seen,
    }),
  ),
});
export type TlsReportsAnswer = ValueOf<typeof tlsReports>;

type TlsSources = {
  readonly emailChecks: EmailChecks;
  /** Undefined where reports cannot be read. */
  readonly tlsReports: AnsweredReports | undefined;
};
/** The part of `TlsReports` that is used here. */
type AnsweredReports = {
  answer(domain: string, days: number, checked: Checked): Promise<TlsReportsAnswer>;
};

export async function tlsReportsForRequest(
  { emailChecks, tlsReports: reports }: TlsSources,
  domainText: string,
  { days }: QueryOf<typeof tlsReportsQuery>,
  requester: Requester,
): Promise<TlsReportsAnswer> {
  const domain = parseDomain(domainText);
  const period = parseDays(days);
  if (reports === undefined) throw mayNotReadReports();
  const request = { ...requester, selectors: [], hasTransport: true };
  const checked = await emailChecks.check(domain, request);
  if (checked === undefined || checked.isDnsUnavailable) throw dnsUnavailable(checked?.dnsFault);
  return reports.answer(domain, period, checked);
}
