/** Why a policy may be published or not, as sentences. Names in them come from reports: callers make them visible. */
import type { SenderClass } from './classify.ts';
import type { SenderDecision } from './report.ts';

export const groupDigits = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
export const count = (messages: number) => `${groupDigits(messages)} message${messages === 1 ? '' : 's'}`;
const reportCount = (reports: number) => `${groupDigits(reports)} report${reports === 1 ? '' : 's'}`;

const CLASS_WORDS: Readonly<Record<SenderClass, string>> = {
  passes: 'passing',
  ours_broken: 'yours, failing',
  forwarded: 'forwarded or altered',
  at_named_service: 'at a service that SPF names',
  not_ours: 'not yours',
};

export function classText(senderClass: SenderClass): string {
  return CLASS_WORDS[senderClass];
}

type RefusedMail = {
  id: string;
  service: string;
  class: SenderClass;
  messages: number;
  percent: number;
  setup: string;
  /** What a person can decide to settle it. */
  decision: SenderDecision;
  /** In each of the last two weeks, though not over the whole window. */
  is_recent: boolean;
};
type Messages = { messages: number };
type Term = { service: string; term: string };
type Reports = { reports: number };

/** By code: the sentence, and with it what the reason has. `verb` is `refused` or `quarantined`. */
export const REASONS = {
  mail_refused: ({ service, class: senderClass, messages, percent, setup, is_recent }: RefusedMail, verb: string) => {
    const repair =
      senderClass === 'at_named_service'
        ? `let it sign as the domain${setup === '' ? '' : ` (${setup})`}, or decide that it is not yours`
        : 'repair its SPF or DKIM, or decide that it is not yours';
    const when = is_recent ? ' in the last two weeks' : '';
    return `${count(messages)} at ${service} would be ${verb}${when}, ${percent} % of yours: ${repair}`;
  },
  nonexistent_sends: ({ name, messages }: Messages & { name: string }) =>
    `${count(messages)} came from ${name}, which does not exist in DNS: give the name a record, or stop using it`,
  no_reports: () => 'no proven report has arrived for this time',
  no_large_receiver: () => 'none of the large receivers (Google, Microsoft, Yahoo and others) has reported',
  spf_unverified: () => 'DNS did not answer for the SPF record, so that senders cannot be told apart',
  too_few_days: ({ days, needed }: { days: number; needed: number }) => `reports cover ${days} of ${needed} days`,
  gap: ({ day, days }: { day: string; days: number }) => `no reports for ${days} days after ${day}`,
  too_few_messages: ({ messages, needed }: Messages & { needed: number }) =>
    `only ${count(messages)} of yours, of ${needed} that are needed in less than 90 days`,
  service_unproven: ({ service, term }: Term) =>
    `${service} (${term}) sent nothing in this time, so nothing is known about its mail`,
  forwarded_lost: ({ messages }: Messages, verb: string) =>
    `${count(messages)} forwarded or altered on the way would be ${verb}, which cannot be told from forged ones`,
  reporter_disagrees: ({ reporter }: { reporter: string }) =>
    `${reporter} reports passes or failures that contradict the results it lists`,
  reporter_silent: ({ reporter, day }: { reporter: string; day: string }) =>
    `${reporter} has not reported since ${day}`,
  include_idle: ({ service, term, lookups }: Term & { lookups: number }) =>
    `${term} (${service}) sent nothing in 90 days and costs ${lookups} of 10 DNS lookups`,
  unproven_reports: ({ reports }: Reports) =>
    `not used: ${reportCount(reports)} that came by mail without a signature of the reporter`,
  unusable_reports: ({ reports }: Reports) =>
    `not used: ${reportCount(reports)} for a period over 48 hours or in the future`,
  conflicting_reports: ({ reports }: Reports) => `contradicting another one with the same id: ${reportCount(reports)}`,
};
