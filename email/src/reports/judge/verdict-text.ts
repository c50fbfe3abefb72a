/**
 * Why a policy may be published or not, as sentences. Names in them come from reports: callers make
 * them visible.
 */
import type { Fact } from '../../findings/sentences.ts';
import type { SenderDecision } from '../report.ts';
import type { AskedPolicy, VerdictAnswer } from './asked-policy.ts';
import type { LossBasis } from './losses.ts';
import { isLostClass, type SenderClass } from './sender-class.ts';

export const groupDigits = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
export const countOf = (number: number, word: string) =>
  `${groupDigits(number)} ${word}${number === 1 ? '' : 's'}`;
export const count = (messages: number) => countOf(messages, 'message');

const CLASS_WORDS: Readonly<Record<SenderClass, string>> = {
  passes: 'passing',
  ours_broken: 'yours, failing',
  forwarded: 'forwarded or altered',
  at_named_service: 'at a service that SPF names',
  undecided: 'not decided',
  not_ours: 'not yours',
};

export function classText(senderClass: SenderClass): string {
  return CLASS_WORDS[senderClass];
}

/** What identifies a sender in a reason. */
type SenderFact = {
  id: string;
  service: string;
  /** The part of the sender that is meant; empty for all of it. */
  account: string;
  /** The name in From, if all of the mail has the same. */
  name: string;
  messages: number;
  last_failed: string;
  /** Empty if nothing passed. */
  last_passed: string;
};
type RefusedMail = SenderFact & {
  basis: LossBasis;
  class: SenderClass;
  percent: number;
  setup: string;
  /** What a person can decide to settle it. */
  decision: SenderDecision;
};
type Messages = { messages: number };
type Term = { service: string; term: string };
type Reports = { reports: number };

const whose = ({ service, account }: Pick<SenderFact, 'service' | 'account'>) =>
  account === '' ? service : `${service} (${account})`;

function seenText({ last_failed, last_passed }: SenderFact): string {
  const passed = last_passed === '' ? 'never passed' : `last passed on ${last_passed}`;
  return `it last failed on ${last_failed} and ${passed}`;
}

const BASIS_TEXTS: Readonly<Record<LossBasis, (loss: RefusedMail) => string>> = {
  share: ({ percent }) => `, ${percent}% of yours`,
  recent: ({ percent }) => ` in the last two weeks, ${percent}% of yours`,
  unit: () => ', more than a quarter of what this sender sends',
  last_seen: () => ' in its last active week',
};

/** By code: the sentence, and with it what the reason has. `verb` is `refused` or `quarantined`. */
export const REASONS = {
  mail_refused: (loss: RefusedMail, verb: string) => {
    const { class: senderClass, setup, name, basis } = loss;
    const repair =
      senderClass === 'at_named_service'
        ? `let it sign as the domain${setup === '' ? '' : ` (${setup})`}`
        : basis === 'last_seen'
          ? 'repair its SPF or DKIM, remove its term from SPF'
          : 'repair its SPF or DKIM';
    const from = name === '' ? '' : ` as ${name}`;
    return `${count(loss.messages)} at ${whose(loss)}${from} would be ${verb}${BASIS_TEXTS[basis](loss)}: ${repair}, or decide that it is not yours; ${seenText(loss)}`;
  },
  other_reporters_only: (
    loss: SenderFact & { class: SenderClass; decision: SenderDecision; reporters: string },
    verb: string,
  ) =>
    `${count(loss.messages)} at ${whose(loss)} would be ${verb} by what only ${loss.reporters || 'other receivers'} reports, and no large receiver: wait for their reports, or decide whose it is; ${seenText(loss)}`,
  sender_undecided: (loss: SenderFact & { decision: SenderDecision }) =>
    `is this yours? ${count(loss.messages)} at ${whose(loss)} failed, and may be: decide whose it is; ${seenText(loss)}`,
  repaired: (loss: SenderFact) =>
    `${whose(loss)} is repaired: ${count(loss.messages)} failed until ${loss.last_failed}, and all of its mail has passed since`,
  left_spf: (loss: SenderFact) =>
    `not counted: ${count(loss.messages)} at ${whose(loss)}, which sent until ${loss.last_failed} and has left SPF`,
  names_left_out: ({ names }: { names: number }) =>
    `${names} names in From were not looked up in DNS, because mail names too many`,
  summed_by_network: ({ messages, addresses }: Messages & { addresses: number }) =>
    `${count(messages)} from ${groupDigits(addresses)} addresses, none of which passed, are added up by network`,
  nonexistent_sends: ({ name, messages }: Messages & { name: string }) =>
    `${count(messages)} came from ${name}, which does not exist in DNS: give the name a record, or stop using it`,
  no_reports: () => 'no proven report has arrived for this time',
  no_large_receiver: () =>
    'none of the large receivers (Google, Microsoft, Yahoo and others) has reported',
  spf_unverified: () => 'DNS did not answer for SPF or MX, so that senders cannot be told apart',
  too_few_days: ({ days, needed, known_on }: { days: number; needed: number; known_on: string }) =>
    `reports cover ${days} of ${needed} days; if they go on, the answer is known on ${known_on}`,
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
  unproven_reports: ({ reports, why }: Reports & { why: string }) =>
    `not used: ${countOf(reports, 'report')} by mail, without proof of the reporter (${why}); if you trust them, save the files and import them`,
  unusable_reports: ({ reports }: Reports) =>
    `not used: ${countOf(reports, 'report')} for a period over 48 hours or in the future`,
  conflicting_reports: ({ reports }: Reports) =>
    `contradicting another one with the same id: ${countOf(reports, 'report')}`,
};

export type Refused = {
  readonly service: string;
  readonly class: SenderClass;
  readonly messages: number;
};

/** `no` and `not_enough` decide the answer; a `note` does not. */
export const REASON_WEIGHTS = ['no', 'not_enough', 'note'] as const;
export type VerdictReason = { readonly weight: (typeof REASON_WEIGHTS)[number] } & VerdictFact;
export type VerdictFact = Fact<typeof REASONS>;

/** Messages of the period under the records in question. */
export type VerdictTotals = {
  readonly passing: number;
  /** Mail of the domain that would be refused. */
  readonly lost: number;
  readonly undecided: number;
  readonly forwarded: number;
  readonly not_ours: number;
  /** Would have been refused, from senders that pass by now. */
  readonly repaired: number;
};

export type Verdict = {
  readonly policy: AskedPolicy;
  readonly answer: VerdictAnswer;
  readonly reasons: readonly VerdictReason[];
  /** The most messages first. */
  readonly refused: readonly Refused[];
  readonly totals: VerdictTotals;
  /**
   * Messages of the domain that the policy is about: those that pass, and those that count as lost.
   */
  readonly ownMessages: number;
};

export const REASON_CODES = Object.keys(REASONS) as (keyof typeof REASONS)[];

const verbOf = (policy: AskedPolicy) => (policy.endsWith('reject') ? 'refused' : 'quarantined');

export function explainReason(reason: VerdictFact, policy: AskedPolicy): string {
  // The entry of a code takes reasons of that code.
  return (REASONS[reason.code] as (reason: VerdictFact, verb: string) => string)(
    reason,
    verbOf(policy),
  );
}

const MAX_SERVICES = 4;

/**
 * "p=reject would have refused 214 messages in 35 days: 209 at Zendesk, 5 forwarded or altered".
 */
export function verdictText(
  { policy, answer, refused, ownMessages, reasons, totals }: Verdict,
  days: number,
): string {
  const tag = policy.includes('=') ? policy : `p=${policy}`;
  const total = totals.lost + totals.undecided + totals.forwarded;
  const what =
    total === 0
      ? `it would have ${verbOf(policy)} none of ${count(ownMessages)} of yours in ${days} days`
      : `it would have ${verbOf(policy)} ${count(total)} in ${days} days: ${lostParts(refused, totals)}`;
  if (answer === 'yes') return `${tag} is safe: ${what}`;
  const first = reasons.find(({ weight }) => weight === answer);
  if (answer === 'no' && (totals.lost > 0 || first === undefined))
    return `${tag} is not safe: ${what}`;
  const why = first === undefined ? what : explainReason(first, policy);
  return answer === 'no'
    ? `${tag} is not safe: ${why}`
    : `Not enough is known to say whether ${tag} is safe: ${why}`;
}

/** What is forwarded is one price, whatever networks it came from. */
function lostParts(
  refused: readonly Refused[],
  { lost, undecided, forwarded }: VerdictTotals,
): string {
  const services = refused.filter((sender) => isLostClass(sender.class)).slice(0, MAX_SERVICES);
  const more = services.reduce((left, { messages }) => left - messages, lost);
  return [
    ...services.map(({ service, messages }) => `${groupDigits(messages)} at ${service}`),
    ...(more > 0 ? [`${groupDigits(more)} elsewhere`] : []),
    ...(undecided > 0 ? [`${groupDigits(undecided)} of which it is not known whose they are`] : []),
    ...(forwarded > 0 ? [`${groupDigits(forwarded)} forwarded or altered`] : []),
  ].join(', ');
}
