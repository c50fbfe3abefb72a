/**
 * May this policy be published? Each row is replayed under the changed records; what would be refused is counted by class
 * and service. Mail that is not the domain's own is in none of the numbers that decide: a flood of forgeries makes no "no",
 * and dilutes none. Reasons are data; verdict-text.ts has their sentences.
 */
import { POLICY_LEVELS } from '../dmarc/dmarc.ts';
import type { DmarcPolicy } from '../report.ts';
import type { JudgedSource, SenderClass } from './classify.ts';
import { isLargeReceiver } from './large-receivers.ts';
import type { DailySource, ReportWindow, SeenSource } from './report.ts';
import type { NamedService } from './sender-places.ts';
import { count, groupDigits, REASONS } from './verdict-text.ts';

export const VERDICT_ANSWERS = ['yes', 'no', 'not_enough'] as const;
export type VerdictAnswer = (typeof VERDICT_ANSWERS)[number];

/** What is asked: the tag that becomes stricter, and its value. Without a tag it is `p`. */
export const ASKED_POLICIES = [
  'reject',
  'quarantine',
  'sp=reject',
  'sp=quarantine',
  'np=reject',
  'np=quarantine',
] as const;
export type AskedPolicy = (typeof ASKED_POLICIES)[number];

/** What the policy is for mail of the domain, of names below it, and of names below it that do not exist. */
export type Policies = { readonly p: DmarcPolicy; readonly sp: DmarcPolicy; readonly np: DmarcPolicy };

export type VerdictQuestion = {
  readonly domain: string;
  readonly asked: AskedPolicy;
  readonly policies: Policies;
  /** The last day of the window. */
  readonly to: string;
  readonly window: Omit<ReportWindow, 'sources' | 'generation'>;
  readonly judged: readonly JudgedSource[];
  readonly passes: (source: SeenSource) => boolean;
  /** Whether a name below the domain exists; undefined if that is not known. */
  readonly exists: (name: string) => boolean | undefined;
  readonly named: readonly NamedService[];
  /** DNS did not answer for the SPF record, so that senders cannot be told apart. */
  readonly isSpfUnverified: boolean;
};

export type Refused = {
  readonly id: string;
  readonly service: string;
  readonly class: SenderClass;
  readonly messages: number;
};

/** `no` and `not_enough` decide the answer; a `note` does not. */
export const REASON_WEIGHTS = ['no', 'not_enough', 'note'] as const;
export type VerdictReason = { readonly weight: (typeof REASON_WEIGHTS)[number] } & VerdictFact;
type VerdictFact = {
  readonly [Code in keyof typeof REASONS]: { readonly code: Code } & Readonly<
    Parameters<(typeof REASONS)[Code]> extends [infer Fact, ...unknown[]] ? Fact : object
  >;
}[keyof typeof REASONS];
export const REASON_CODES = Object.keys(REASONS) as (keyof typeof REASONS)[];

const verbOf = (policy: AskedPolicy) => (policy.endsWith('reject') ? 'refused' : 'quarantined');

export function explainReason(reason: VerdictFact, policy: AskedPolicy): string {
  // The entry of a code takes reasons of that code.
  return (REASONS[reason.code] as (reason: VerdictFact, verb: string) => string)(reason, verbOf(policy));
}

export type Verdict = {
  readonly policy: AskedPolicy;
  readonly answer: VerdictAnswer;
  readonly reasons: readonly VerdictReason[];
  /** The most messages first. */
  readonly refused: readonly Refused[];
  /** Messages of the domain that the policy is about: those that pass, and those that count as lost. */
  readonly ownMessages: number;
};

const MAX_SHARE = 0.005;
/** In a week, beside the share. */
const MIN_RECENT = 5;
const NEEDED_DAYS = { reject: 28, quarantine: 14, none: 14 } as const;
const MAX_GAP_DAYS = 7;
/** No loss among n messages bounds its rate by 3/n, with 95 % confidence. */
const MAX_BOUND = 0.01;
const LONG_PERIOD_DAYS = 90;
const SILENT_DAYS = 7;
const MIN_REGULAR_REPORTS = 3;
const MAX_NAMED = 5;

export function judge(question: VerdictQuestion): Verdict {
  const { asked, judged, window } = question;
  const isNonexistent = asked.startsWith('np=');
  const replayed = judged.flatMap((one) => replayOne(one, question));
  const lost = replayed.filter(({ isLost }) => isLost);
  const own = replayed.filter(({ isLost, isPassing }) => isLost || isPassing);
  const refused = bySender(replayed.filter(({ isPassing }) => !isPassing));
  const no = isNonexistent ? nonexistentSenders(own) : lostMail(own, lost, question);
  const missing = isNonexistent ? (window.reports === 0 ? [NO_REPORTS] : []) : missingFacts(messagesOf(own), question);
  const unverified = question.isSpfUnverified ? [{ weight: 'not_enough', code: 'spf_unverified' } as const] : [];
  const reasons = [...no, ...missing, ...unverified, ...notes(question, refused)];
  const answer =
    (['no', 'not_enough'] as const).find((weight) => reasons.some((one) => one.weight === weight)) ?? 'yes';
  return { policy: asked, answer, reasons, refused, ownMessages: messagesOf(own) };
}

type Replayed = {
  readonly one: JudgedSource;
  readonly class: SenderClass;
  readonly isPassing: boolean;
  /** Mail of the domain that the policy would refuse. */
  readonly isLost: boolean;
  readonly messages: number;
};

/** None if the policy for its name lets everything pass. */
function replayOne(one: JudgedSource, question: VerdictQuestion): Replayed[] {
  const { source } = one;
  if (POLICY_LEVELS[policyFor(source.headerFrom, question)] === 0) return [];
  const isPassing = question.passes(source);
  // What passed when it was sent, and would no longer, was authorized by the domain.
  const sourceClass = one.class === 'passes' && !isPassing ? 'ours_broken' : one.class;
  const isLost = !isPassing && (sourceClass === 'ours_broken' || sourceClass === 'at_named_service');
  return [{ one, class: sourceClass, isPassing, isLost, messages: source.messages }];
}

function policyFor(name: string, { domain, asked, policies, exists }: VerdictQuestion): DmarcPolicy {
  const tag = name === domain ? 'p' : exists(name) === false ? 'np' : 'sp';
  // Only names that do not exist are asked about.
  return asked.startsWith('np=') && tag !== 'np' ? 'none' : policies[tag];
}

const messagesOf = (all: readonly Replayed[]) => all.reduce((sum, { messages }) => sum + messages, 0);

function messagesBetween({ start, daily }: DailySource, from: string, days: number): number {
  const first = daysBetween(start, from);
  let sum = 0;
  for (let i = Math.max(0, first); i < first + days; i++) sum += daily[i] ?? 0;
  return sum;
}

/** More than 0.5 % of the domain's own mail, over the window, or in each of the last two weeks with five messages. */
function lostMail(
  own: readonly Replayed[],
  lost: readonly Replayed[],
  { to, named }: VerdictQuestion,
): VerdictReason[] {
  const share = (from: readonly Replayed[], all: readonly Replayed[]) =>
    messagesOf(from) / Math.max(1, messagesOf(all));
  const isOverall = share(lost, own) > MAX_SHARE;
  const weeks = [0, 1].map((week) => {
    const inWeek = (all: readonly Replayed[]) =>
      all.map((one) => ({ ...one, messages: messagesBetween(one.one.source, dayAfter(to, -7 * week - 6), 7) }));
    return { lost: inWeek(lost), own: inWeek(own) };
  });
  const isRecent = weeks.every((week) => messagesOf(week.lost) >= MIN_RECENT && share(week.lost, week.own) > MAX_SHARE);
  if (!isOverall && !isRecent) return [];
  const counted = isOverall ? lost : weeks.flatMap((week) => week.lost);
  const total = messagesOf(isOverall ? own : weeks.flatMap((week) => week.own));
  return bySender(counted)
    .slice(0, MAX_NAMED)
    .map(({ id, service, class: senderClass, messages }) => ({
      weight: 'no',
      code: 'mail_refused',
      ...{ id, service, class: senderClass, messages, is_recent: !isOverall, decision: 'not_ours' },
      percent: Math.round((messages / total) * 1_000) / 10,
      setup: named.find(({ name }) => name === service)?.setup ?? '',
    }));
}

function nonexistentSenders(own: readonly Replayed[]): VerdictReason[] {
  const names = new Map<string, number>();
  for (const { one } of own)
    names.set(one.source.headerFrom, (names.get(one.source.headerFrom) ?? 0) + one.source.messages);
  return [...names]
    .slice(0, MAX_NAMED)
    .map(([name, messages]) => ({ weight: 'no', code: 'nonexistent_sends', name, messages }));
}

const NO_REPORTS = { weight: 'not_enough', code: 'no_reports' } as const;

function missingFacts(messages: number, { asked, window, to }: VerdictQuestion): VerdictReason[] {
  if (window.reports === 0) return [NO_REPORTS];
  const found: VerdictReason[] = [];
  const days = window.days.map(({ day }) => day);
  const period = daysBetween(days[0] ?? to, days.at(-1) ?? to) + 1;
  const needed = NEEDED_DAYS[asked.endsWith('reject') ? 'reject' : 'quarantine'];
  if (period < needed) found.push({ weight: 'not_enough', code: 'too_few_days', days: period, needed });
  if (!window.reporters.some(isLargeReceiver)) found.push({ weight: 'not_enough', code: 'no_large_receiver' });
  for (const [i, day] of days.entries()) {
    // Reports of a day arrive on the next one.
    const missing = daysBetween(day, days[i + 1] ?? to) - 1;
    if (missing >= MAX_GAP_DAYS) found.push({ weight: 'not_enough', code: 'gap', day, days: missing });
  }
  if (3 / Math.max(1, messages) > MAX_BOUND && period < LONG_PERIOD_DAYS)
    found.push({ weight: 'not_enough', code: 'too_few_messages', messages, needed: 3 / MAX_BOUND });
  return found;
}

function notes({ judged, window, named, to }: VerdictQuestion, refused: readonly Refused[]): VerdictReason[] {
  const senders = new Set(judged.map(({ sender }) => sender.name));
  const forwarded = refused.filter((one) => one.class === 'forwarded').reduce((sum, { messages }) => sum + messages, 0);
  const contradictory = judged
    .filter(({ isContradictory }) => isContradictory)
    .flatMap(({ source }) => source.reporters);
  const reporters = [...new Set(contradictory)];
  const silent = window.reporters.filter(
    ({ reports, lastDay }) => reports >= MIN_REGULAR_REPORTS && daysBetween(lastDay, to) > SILENT_DAYS,
  );
  const counts = [
    ['unproven_reports', window.unproven.reports],
    ['unusable_reports', window.unusable],
    ['conflicting_reports', window.conflicting],
  ] as const;
  const found: readonly VerdictFact[] = [
    ...(forwarded > 0 ? [{ code: 'forwarded_lost', messages: forwarded } as const] : []),
    ...named
      .filter(({ name }) => window.reports > 0 && !senders.has(name))
      .map(({ name, term }) => ({ code: 'service_unproven', service: name, term }) as const),
    ...reporters.slice(0, MAX_NAMED).map((reporter) => ({ code: 'reporter_disagrees', reporter }) as const),
    ...silent
      .slice(0, MAX_NAMED)
      .map(({ name, lastDay }) => ({ code: 'reporter_silent', reporter: name, day: lastDay }) as const),
    ...counts.filter(([, reports]) => reports > 0).map(([code, reports]) => ({ code, reports }) as const),
  ];
  return found.map((one) => ({ ...one, weight: 'note' }));
}

function bySender(replayed: readonly Replayed[]): Refused[] {
  const found = new Map<string, Refused>();
  for (const { one, class: senderClass, messages: more } of replayed) {
    const { id, name: service } = one.sender;
    const key = `${senderClass} ${id}`;
    const messages = (found.get(key)?.messages ?? 0) + more;
    if (messages > 0) found.set(key, { id, service, class: senderClass, messages });
  }
  return [...found.values()].sort((a, b) => b.messages - a.messages);
}

const MAX_SERVICES = 4;

/** "p=reject would have refused 214 messages in 35 days: 209 at Zendesk, 5 forwarded or altered". */
export function verdictText({ policy, answer, refused, ownMessages, reasons }: Verdict, days: number): string {
  const tag = policy.includes('=') ? policy : `p=${policy}`;
  const lost = refused.filter((one) => one.class !== 'not_ours');
  const total = lost.reduce((sum, { messages }) => sum + messages, 0);
  const what =
    total === 0
      ? `it would have ${verbOf(policy)} none of ${count(ownMessages)} of yours in ${days} days`
      : `it would have ${verbOf(policy)} ${count(total)} in ${days} days: ${lostParts(lost)}`;
  if (answer === 'yes') return `${tag} is safe: ${what}`;
  if (answer === 'no') return `${tag} is not safe: ${what}`;
  const first = reasons.find(({ weight }) => weight === 'not_enough');
  return `Not enough is known to say whether ${tag} is safe: ${first === undefined ? what : explainReason(first, policy)}`;
}

/** What is forwarded is one price, whatever networks it came from. */
function lostParts(lost: readonly Refused[]): string {
  const services = lost.filter((one) => one.class !== 'forwarded');
  const forwarded = lost.filter((one) => one.class === 'forwarded').reduce((sum, { messages }) => sum + messages, 0);
  const more = services.slice(MAX_SERVICES).reduce((sum, { messages }) => sum + messages, 0);
  return [
    ...services.slice(0, MAX_SERVICES).map(({ service, messages }) => `${groupDigits(messages)} at ${service}`),
    ...(more > 0 ? [`${groupDigits(more)} elsewhere`] : []),
    ...(forwarded > 0 ? [`${groupDigits(forwarded)} forwarded or altered`] : []),
  ].join(', ');
}

const DAY_MS = 86_400_000;

/** `2026-11-15`. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** From one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
