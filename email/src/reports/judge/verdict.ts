/**
 * May this policy be published? Each row is replayed under the changed records; what would be
 * refused is counted by class and service. Mail that is not the domain's own is in none of the
 * numbers that decide: a flood of forgeries makes no "no", and dilutes none. Reasons are data;
 * verdict-text.ts has their sentences.
 */
import { POLICY_LEVELS } from '../../dmarc/dmarc.ts';
import { isWithin } from '../../providers.ts';
import type { DmarcPolicy } from '../../report.ts';
import { isLargeReceiver } from '../large-receivers.ts';
import {
  type ReportWindow,
  type SeenSource,
  type SeenWindow,
  UNPROVEN_REASONS,
} from '../report.ts';
import type { AskedPolicy } from './asked-policy.ts';
import type { JudgedSource } from './classify.ts';
import { findLosses, type Loss, type Losses, type LossQuestion, messagesOf } from './losses.ts';
import type { NameState } from './named-records.ts';
import { isLostClass, type SenderClass } from './sender-class.ts';
import type { NamedService } from './sender-places.ts';
import { type DayRange, messagesIn, type ReplayedSource, unitOfSource } from './units.ts';
import type { Refused, Verdict, VerdictFact, VerdictReason } from './verdict-text.ts';

/**
 * What the policy is for mail of the domain, of names below it, and of names below it that do not
 * exist.
 */
export type Policies = {
  readonly p: DmarcPolicy;
  readonly sp: DmarcPolicy;
  readonly np: DmarcPolicy;
};

export type VerdictQuestion = {
  readonly domain: string;
  readonly asked: AskedPolicy;
  readonly policies: Policies;
  /** The period shown, both days included. */
  readonly from: string;
  readonly to: string;
  readonly window: Omit<ReportWindow, 'sources' | 'generation'>;
  /** Rows of the period, and of the 90 days up to its end. */
  readonly judged: readonly JudgedSource[];
  readonly passes: (source: SeenSource) => boolean;
  /** Under the records as they are now. */
  readonly passesNow: (source: SeenSource) => boolean;
  /** The SPF record says that no server sends for the domain. */
  readonly sendsNothing: boolean;
  /** The state of a name below the domain; undefined if it is not known. */
  readonly stateOf: (name: string) => NameState | undefined;
  /** Whether an address is in the domain's own terms under the records in question. */
  readonly isOwn: (address: string) => boolean;
  readonly named: readonly NamedService[];
  /** DNS did not answer for SPF or MX, so that senders cannot be told apart. */
  readonly isSpfUnverified: boolean;
  /** Names in From whose SPF records were not read, because there are too many. */
  readonly namesLeftOut: number;
  /** There are reports from 90 days ago, so that a sender without mail since then is idle. */
  readonly hasOlderReports: boolean;
};

const NEEDED_DAYS = { reject: 28, quarantine: 14, none: 14 } as const;
const MAX_GAP_DAYS = 7;
/** No loss among n messages bounds its rate by 3/n, with 95% confidence. */
const MAX_BOUND = 0.01;
const LONG_PERIOD_DAYS = 90;
const SILENT_DAYS = 7;
const MIN_REGULAR_REPORTS = 3;
const MAX_NAMED = 5;

/** What the records in question would do with the mail that was reported. */
export type ReplayedMail = {
  readonly rows: readonly ReplayedSource[];
  readonly all: Losses;
  /** By the reports of large receivers alone. */
  readonly byLarge: Losses;
  readonly undecided: readonly VerdictReason[];
  readonly calendar: Calendar;
};

export function replayMail(question: VerdictQuestion): ReplayedMail {
  const calendar = new Calendar(question);
  const { rows, rowsByLarge } = replayAll(question, calendar);
  const lossesOf = (some: readonly ReplayedSource[]) =>
    findLosses({ ...calendar.lossDays, rows: some, isOwn: question.isOwn });
  const all = lossesOf(rows);
  const byLarge = lossesOf(rowsByLarge);
  const undecided = undecidedMail(
    question.domain,
    [rows, rowsByLarge],
    [all.losses, byLarge.losses],
    lossesOf,
  );
  return { rows, all, byLarge, undecided, calendar };
}

/** `reject` and `quarantine` share the replayed mail: both act on the same rows. */
export function judge(
  question: VerdictQuestion,
  { rows, all, byLarge, undecided, calendar }: ReplayedMail,
): Verdict {
  const { asked, window } = question;
  const refused = bySender(
    rows.filter((row) => !row.isPassing && !all.settledRows.has(row)),
    calendar.period,
  );
  const decisive = asked.startsWith('np=')
    ? [...nonexistentSenders(rows, calendar.period), ...(window.reports === 0 ? [NO_REPORTS] : [])]
    : [
        ...lostMail(all.losses, byLarge.losses, question),
        ...undecided,
        ...missingFacts(Math.min(all.ownMessages, byLarge.ownMessages), question),
      ];
  const unverified = question.isSpfUnverified
    ? [{ weight: 'not_enough', code: 'spf_unverified' } as const]
    : [];
  const reasons: VerdictReason[] = [
    ...decisive,
    ...unverified,
    ...settledSenders('repaired', all.repaired, question),
    ...settledSenders('left_spf', all.left, question),
    ...notes(question, refused),
  ];
  const answer =
    (['no', 'not_enough'] as const).find((weight) =>
      reasons.some((reason) => reason.weight === weight),
    ) ?? 'yes';
  const totals = {
    passing: messagesOf(
      rows.filter(({ isPassing }) => isPassing),
      calendar.period,
    ),
    lost: sumOf(refused, 'ours_broken') + sumOf(refused, 'at_named_service'),
    undecided: sumOf(refused, 'undecided'),
    forwarded: sumOf(refused, 'forwarded'),
    not_ours: sumOf(refused, 'not_ours'),
    repaired: [...all.repaired, ...all.left].reduce((total, { messages }) => total + messages, 0),
  };
  return { policy: asked, answer, reasons, refused, totals, ownMessages: all.ownMessages };
}

/** Days as numbers, which count from the first day of all rows. */
class Calendar {
  readonly first: string;
  readonly period: DayRange;
  readonly #offsets = new Map<string, number>();

  constructor({ judged, from, to }: Pick<VerdictQuestion, 'judged' | 'from' | 'to'>) {
    let first = from;
    for (const { source } of judged) if (source.start < first) first = source.start;
    this.first = first;
    this.period = [this.offsetOf(from), this.offsetOf(to)];
  }

  offsetOf(day: string): number {
    const offset = this.#offsets.get(day) ?? daysBetween(this.first, day);
    this.#offsets.set(day, offset);
    return offset;
  }

  get lossDays(): Pick<LossQuestion, 'period' | 'dayOf'> {
    return { period: this.period, dayOf: (day) => dayAfter(this.first, day) };
  }
}

/** Without rows whose name has a policy that lets everything pass. */
function replayAll(
  question: VerdictQuestion,
  calendar: Calendar,
): { rows: ReplayedSource[]; rowsByLarge: ReplayedSource[] } {
  const rows: ReplayedSource[] = [];
  const rowsByLarge: ReplayedSource[] = [];
  for (const judged of question.judged) {
    const { source, classByLarge } = judged;
    if (POLICY_LEVELS[policyFor(source.headerFrom, question)] === 0) continue;
    const isPassing = question.passes(source);
    const offset = calendar.offsetOf(source.start);
    const unit = unitOfSource(judged);
    const rowOf = (judgedClass: SenderClass, isByLarge: boolean): ReplayedSource => {
      const hasPassed = judgedClass === 'passes';
      // What passed when it was sent, and would no longer, was authorized by the domain.
      const rowClass = hasPassed && !isPassing ? 'ours_broken' : judgedClass;
      const isLost = !isPassing && isLostClass(rowClass);
      const hasLeftSpf = isLost && hasPassed && !question.passesNow(source);
      return { judged, unit, class: rowClass, isPassing, isLost, hasLeftSpf, offset, isByLarge };
    };
    rows.push(rowOf(judged.class, false));
    if (classByLarge !== undefined) rowsByLarge.push(rowOf(classByLarge, true));
  }
  return { rows, rowsByLarge };
}

function policyFor(
  name: string,
  { domain, asked, policies, stateOf }: VerdictQuestion,
): DmarcPolicy {
  const state = stateOf(name);
  // The policy of the domain is not that of another domain, or of a name with a policy of its own.
  if (!isWithin(name, domain) || state === 'own_policy') return 'none';
  const subdomainTag = state === 'absent' ? 'np' : 'sp';
  const tag = name === domain ? 'p' : subdomainTag;
  // `np` is asked about names that do not exist alone, and `sp` about all below the domain.
  const isOther =
    (asked.startsWith('np=') && tag !== 'np') || (asked.startsWith('sp=') && tag === 'p');
  if (isOther) return 'none';
  // Receivers that follow RFC 7489 do not know `np`.
  return tag === 'np' && POLICY_LEVELS[policies.sp] > POLICY_LEVELS[policies.np]
    ? policies.sp
    : policies[tag];
}

const sumOf = (refused: readonly Refused[], senderClass: SenderClass) =>
  refused.reduce((sum, sender) => sum + (sender.class === senderClass ? sender.messages : 0), 0);

/** What identifies a sender, and when it last failed and passed. */
function senderOf(loss: Loss, domain: string) {
  const { id, service, account, messages, lastFailed, lastPassed } = loss;
  const name = loss.name === domain ? '' : loss.name;
  const seen = { last_failed: lastFailed, last_passed: lastPassed };
  return { id, service, account, name, messages, ...seen };
}

/**
 * Anyone who owns a domain can send reports: what only such reporters say is no reason for a "no",
 * and what they say passes hides nothing that the large receivers report.
 */
function lostMail(
  losses: readonly Loss[],
  byLarge: readonly Loss[],
  { domain, named, window }: VerdictQuestion,
): VerdictReason[] {
  const large = new Set(window.reporters.filter(isLargeReceiver).map(({ name }) => name));
  const setupOf = (loss: Loss) => named.find(({ name }) => name === loss.service)?.setup ?? '';
  const isConfirmed = byLarge.length > 0;
  return (losses.length > 0 ? losses : byLarge).slice(0, MAX_NAMED).map((loss): VerdictReason => {
    const { basis, class: senderClass, percent } = loss;
    const fact = { ...senderOf(loss, domain), class: senderClass, decision: 'not_ours' } as const;
    if (isConfirmed)
      return {
        weight: 'no',
        code: 'mail_refused',
        ...fact,
        basis,
        percent,
        setup: setupOf(loss),
      };
    const others = loss.reporters.filter((name) => !large.has(name));
    const reporters = others.slice(0, MAX_NAMED).join(', ');
    return { weight: 'not_enough', code: 'other_reporters_only', ...fact, reporters };
  });
}

/** What would be refused of their mail does not count. */
function settledSenders(
  code: 'repaired' | 'left_spf',
  settled: readonly Loss[],
  { domain }: VerdictQuestion,
): VerdictReason[] {
  return settled
    .slice(0, MAX_NAMED)
    .map((loss) => ({ weight: 'note', code, ...senderOf(loss, domain) }));
}

/** Mail of which it is not known whose it is, if it would be too much as mail of the domain. */
function undecidedMail(
  domain: string,
  both: readonly (readonly ReplayedSource[])[],
  known: readonly (readonly Loss[])[],
  lossesOf: (rows: readonly ReplayedSource[]) => { readonly losses: readonly Loss[] },
): VerdictReason[] {
  const found = both.flatMap((rows, i): Loss[] => {
    if (!rows.some(isUndecided)) return [];
    const counted = rows.map((row) => (isUndecided(row) ? { ...row, isLost: true } : row));
    const isNew = (loss: Loss) => loss.class === 'undecided' && loss.basis !== 'last_seen';
    const { losses } = lossesOf(counted);
    // Where mail of the domain is lost already, the smallest rest would be above the limits.
    const isOver = (known[i] ?? []).every(({ basis }) => basis !== 'share' && basis !== 'recent');
    return losses.filter((loss) => isNew(loss) && (isOver || loss.basis === 'unit'));
  });
  const distinct = [...new Map(found.toReversed().map((loss) => [loss.id, loss])).values()];
  return distinct
    .sort((a, b) => b.messages - a.messages)
    .slice(0, MAX_NAMED)
    .map((loss) => ({
      weight: 'not_enough',
      code: 'sender_undecided',
      ...senderOf(loss, domain),
      decision: 'ours',
    }));
}

const isUndecided = ({ judged, isPassing }: ReplayedSource) =>
  !isPassing && judged.class === 'undecided';

function nonexistentSenders(rows: readonly ReplayedSource[], period: DayRange): VerdictReason[] {
  const names = new Map<string, number>();
  for (const row of rows) {
    const { headerFrom } = row.judged.source;
    const messages = row.isLost || row.isPassing ? messagesIn(row, period) : 0;
    if (messages > 0) names.set(headerFrom, (names.get(headerFrom) ?? 0) + messages);
  }
  return [...names]
    .slice(0, MAX_NAMED)
    .map(([name, messages]) => ({ weight: 'no', code: 'nonexistent_sends', name, messages }));
}

const NO_REPORTS = { weight: 'not_enough', code: 'no_reports' } as const;

function missingFacts(
  messages: number,
  { asked, window, to, sendsNothing }: VerdictQuestion,
): VerdictReason[] {
  if (window.reports === 0) return [NO_REPORTS];
  const found: VerdictReason[] = [];
  const days = coveredDays(window);
  const period = daysBetween(days[0] ?? to, days.at(-1) ?? to) + 1;
  const needed = NEEDED_DAYS[asked.endsWith('reject') ? 'reject' : 'quarantine'];
  if (period < needed)
    found.push({
      weight: 'not_enough',
      code: 'too_few_days',
      days: period,
      needed,
      known_on: dayAfter(days[0] ?? to, needed - 1),
    });
  const hasLarge = window.reporters.some(isLargeReceiver);
  if (!hasLarge) found.push({ weight: 'not_enough', code: 'no_large_receiver' });
  for (const [i, day] of days.entries()) {
    // Reports of a day arrive on the next one.
    const missing = daysBetween(day, days[i + 1] ?? to) - 1;
    if (missing >= MAX_GAP_DAYS)
      found.push({ weight: 'not_enough', code: 'gap', day, days: missing });
  }
  const isExpected = messages > 0 || !sendsNothing;
  const isTooLittle = 3 / Math.max(1, messages) > MAX_BOUND && period < LONG_PERIOD_DAYS;
  if (hasLarge && isExpected && isTooLittle)
    found.push({ weight: 'not_enough', code: 'too_few_messages', messages, needed: 3 / MAX_BOUND });
  return found;
}

/**
 * From the first to the last report of a large receiver: what others report makes the time no
 * longer.
 */
function coveredDays({ days, reporters }: VerdictQuestion['window']): string[] {
  const large = reporters.filter(isLargeReceiver);
  const isCovered = (day: string) =>
    large.some(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
  return days.map(({ day }) => day).filter((day) => large.length === 0 || isCovered(day));
}

function notes(
  { judged, window, named, domain, to, namesLeftOut, hasOlderReports }: VerdictQuestion,
  refused: readonly Refused[],
): VerdictReason[] {
  const senders = new Set<string>();
  const contradictory = new Set<string>();
  let summed = { messages: 0, addresses: 0 };
  for (const { sender, source, isContradictory } of judged) {
    senders.add(sender.name);
    if (isContradictory && contradictory.size < MAX_NAMED)
      for (const reporter of source.reporters) contradictory.add(reporter);
    if (source.isSummed)
      summed = {
        messages: summed.messages + source.messages,
        addresses: summed.addresses + source.addresses,
      };
  }
  const forwarded = sumOf(refused, 'forwarded');
  const silent = window.reporters.filter(
    ({ reports, lastDay }) =>
      reports >= MIN_REGULAR_REPORTS && daysBetween(lastDay, to) > SILENT_DAYS,
  );
  const found: readonly VerdictFact[] = [
    ...(forwarded > 0 ? [{ code: 'forwarded_lost', messages: forwarded } as const] : []),
    ...named
      .filter(({ name, record }) => window.reports > 0 && record === domain && !senders.has(name))
      .map(({ name: service, term, lookups }) =>
        hasOlderReports && lookups > 0
          ? ({ code: 'include_idle', service, term, lookups } as const)
          : ({ code: 'service_unproven', service, term } as const),
      ),
    ...[...contradictory]
      .slice(0, MAX_NAMED)
      .map((reporter) => ({ code: 'reporter_disagrees', reporter }) as const),
    ...silent
      .slice(0, MAX_NAMED)
      .map(
        ({ name, lastDay }) => ({ code: 'reporter_silent', reporter: name, day: lastDay }) as const,
      ),
    ...(namesLeftOut > 0 ? [{ code: 'names_left_out', names: namesLeftOut } as const] : []),
    ...(summed.addresses > 0 ? [{ code: 'summed_by_network', ...summed } as const] : []),
    ...unusedReports(window),
    ...(window.conflicting > 0
      ? [{ code: 'conflicting_reports', reports: window.conflicting } as const]
      : []),
  ];
  return found.map((fact) => ({ ...fact, weight: 'note' }));
}

/** Reports that a verdict on DMARC or TLS does not use. */
export function unusedReports({ unproven, unusable }: Pick<SeenWindow, 'unproven' | 'unusable'>) {
  return [
    ...unproven.map(
      ({ reason, reports }) =>
        ({ code: 'unproven_reports', reports, why: UNPROVEN_REASONS[reason] }) as const,
    ),
    ...(unusable > 0 ? [{ code: 'unusable_reports', reports: unusable } as const] : []),
  ];
}

function bySender(rows: readonly ReplayedSource[], period: DayRange): Refused[] {
  const found: Refused[] = [];
  const known = new Map<
    string,
    Map<SenderClass, { -readonly [Field in keyof Refused]: Refused[Field] }>
  >();
  for (const row of rows) {
    const messages = messagesIn(row, period);
    if (messages === 0) continue;
    const { id, name: service } = row.judged.sender;
    const classes = known.get(id) ?? new Map();
    known.set(id, classes);
    const refused = classes.get(row.class);
    if (refused !== undefined) refused.messages += messages;
    else {
      const first = { service, class: row.class, messages };
      classes.set(row.class, first);
      found.push(first);
    }
  }
  return found.sort((a, b) => b.messages - a.messages);
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
