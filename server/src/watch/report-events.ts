/**
 * The events of a domain that its reports lead to. Reports of a day are judged on the days after
 * it, once a day; what needs two days to agree has its confirmation here.
 */
import type { FailingUnit } from '@whence/email/reports/sender-history';
import type { TlsVerdict } from '@whence/email/reports/tls-verdict';
import { daysBetween } from '@whence/email/reports/verdict';
import { type ReportedHistory, SILENT_DAYS } from '../email-reports/senders.ts';
import type { Condition } from './settle.ts';

/** The part of conditions that reports show. */
export const REPORTS = 'reports';

export type ReportFacts = ReportedHistory & {
  readonly today: string;
  /** Undefined without TLS reports. */
  readonly tls?: TlsVerdict | undefined;
};

/** What is remembered of a domain's reports. */
export type ReportState = {
  /** The last day on which its reports were judged. */
  readonly day: string;
  /** Those that are known to send, by their id, and the selectors of its mail. */
  readonly senders: readonly string[];
  readonly selectors: readonly string[];
  /** Names of those that were new and are not accepted yet, by their id. */
  readonly newSenders: Readonly<Record<string, string>>;
  /**
   * The last day of reporters that were regular and are silent; and those whose end is accepted.
   */
  readonly silent: Readonly<Record<string, string>>;
  readonly ended: readonly string[];
  readonly verdicts: Readonly<Partial<Record<VerdictName, VerdictState>>>;
};

type VerdictName = 'DMARC' | 'TLS';
/** The answer that is expected, the last one that two days agreed on, and that of the last day. */
type VerdictState = {
  readonly expected: string;
  readonly confirmed: string;
  readonly last: string;
  /** What the last day's verdict says. */
  readonly text?: string;
  /** A sender failed when it was confirmed: the event of that sender says more. */
  readonly isExplained: boolean;
};

type ReportCondition = Condition & { readonly part: typeof REPORTS };
export type ReportedEvents = {
  readonly state: ReportState;
  readonly conditions: readonly ReportCondition[];
};

const REGULAR_DAYS = 20;
/** A reporter is silent for itself if others have gone on for longer. */
const ALONE_DAYS = 3;
/** The name of all reporters together. */
const ALL = '';
const MIN_LOST = 5;
const MIN_LOST_SHARE = 0.25;
const FAILING_DAYS = 2;
/** Days that fail count together if they are as close as that: a newsletter is sent once a week. */
const FAILING_PERIOD_DAYS = 14;
const REPAIRED_DAYS = 7;
/** Bound of what is remembered. */
const MAX_KNOWN = 1_000;

const COMMON = { part: REPORTS, source: 'reports', opensAfterMs: 0 } as const;

export function judgeReports(before: ReportState | undefined, facts: ReportFacts): ReportedEvents {
  const failing = failingSenders(facts);
  const state = {
    day: facts.today,
    ...knownSenders(before, facts),
    ...silentReporters(before, facts),
    verdicts: knownVerdicts(before?.verdicts ?? {}, facts, failing.length > 0),
  };
  const conditions = [
    ...failing,
    ...newSenderConditions(state),
    ...silentConditions(state),
    ...verdictConditions(state),
  ];
  return {
    state,
    // What was there when the domain was first looked at is no news.
    conditions:
      before === undefined
        ? conditions.map((condition) => ({ ...condition, quiet: 'first_check' }))
        : conditions,
  };
}

export function acceptReported(state: ReportState, code: string, subject: string): ReportState {
  switch (code) {
    case 'verdict_changed': {
      const name = subject as VerdictName;
      const verdict = state.verdicts[name];
      if (verdict === undefined) return state;
      const accepted = { ...verdict, expected: verdict.confirmed };
      return { ...state, verdicts: { ...state.verdicts, [name]: accepted } };
    }
    case 'new_sender': {
      const { [subject]: _, ...newSenders } = state.newSenders;
      return { ...state, newSenders, senders: [...state.senders, subject] };
    }
    case 'reporter_silent': {
      const { [subject]: _, ...silent } = state.silent;
      return { ...state, silent, ended: [...state.ended, subject] };
    }
    default:
      return state;
  }
}

function failingSenders({ history, lastDay }: ReportFacts): ReportCondition[] {
  return history.failing.flatMap((unit): ReportCondition[] => {
    if (!isFailing(unit, lastDay)) return [];
    const week = (days: readonly number[]) =>
      days.slice(Math.max(0, lastDay - 6), lastDay + 1).reduce((sum, more) => sum + more, 0);
    const lost = week(unit.lost);
    const total = lost + week(unit.passed);
    return [
      {
        ...COMMON,
        code: 'sender_failing',
        subject: unit.id,
        severity: 'high',
        sentence: `Mail from ${unit.name} fails DMARC: ${lost} of ${total} messages in the last week of reports`,
        act: 'See its rows on the page of senders: repair its SPF or DKIM, or decide there that it is not yours.',
      },
    ];
  });
}

/** As it is after the last day: it begins to fail by two days, and ends after a week of passes. */
export function isFailing({ lost, passed }: Pick<FailingUnit, 'lost' | 'passed'>, last: number) {
  let failing = false;
  let lastLost = Number.NEGATIVE_INFINITY;
  let badDays: number[] = [];
  let passedSince = 0;
  for (let day = 0; day <= last; day++) {
    const failed = lost[day] ?? 0;
    const passes = passed[day] ?? 0;
    passedSince = failed > 0 ? 0 : passedSince + passes;
    if (failed > 0) lastLost = day;
    if (failed >= MIN_LOST && failed >= MIN_LOST_SHARE * (failed + passes))
      badDays = [...badDays.filter((bad) => day - bad < FAILING_PERIOD_DAYS), day];
    if (badDays.at(-1) === day && badDays.length >= FAILING_DAYS) failing = true;
    if (day - lastLost >= REPAIRED_DAYS && passedSince > 0) {
      failing = false;
      badDays = [];
    }
  }
  return failing;
}

type SenderState = Pick<ReportState, 'senders' | 'selectors' | 'newSenders'>;

function knownSenders(
  before: ReportState | undefined,
  { history: { bySpf, bySelector }, decided }: ReportFacts,
): SenderState {
  const seen = new Map(
    [...bySelector.flatMap(({ senders }) => senders), ...bySpf].map(({ id, name }) => [id, name]),
  );
  if (before === undefined)
    return {
      // Forwarders too: what they send was signed by others.
      senders: [...seen.keys()].slice(0, MAX_KNOWN),
      selectors: bySelector.map(({ selector }) => selector),
      newSenders: {},
    };
  const known = new Set([...before.senders, ...decided]);
  const found = new Map(
    Object.entries(before.newSenders).filter(([id]) => seen.has(id) && !known.has(id)),
  );
  for (const { id, name } of bySpf) if (!known.has(id)) found.set(id, name);
  for (const { selector, senders } of bySelector) {
    const isExplained = senders.some(({ id }) => known.has(id) || found.has(id));
    const [most] = senders;
    // Other senders of a known selector forward mail.
    if (most !== undefined && !before.selectors.includes(selector) && !isExplained)
      found.set(most.id, most.name);
  }
  const selectors = [...before.selectors, ...bySelector.map(({ selector }) => selector)];
  return {
    senders: [...known].slice(-MAX_KNOWN),
    selectors: [...new Set(selectors)].slice(-MAX_KNOWN),
    newSenders: Object.fromEntries([...found].slice(0, MAX_KNOWN)),
  };
}

function newSenderConditions({ newSenders }: SenderState): ReportCondition[] {
  return Object.entries(newSenders).map(([id, name]) => ({
    ...COMMON,
    code: 'new_sender',
    subject: id,
    severity: 'medium',
    sentence: `${name} sends mail that passes as this domain, and has not done so before`,
    act: 'Accept it if it is yours; otherwise take its term out of the SPF record, or its DKIM key out of DNS.',
  }));
}

type Silence = Pick<ReportState, 'silent' | 'ended'>;

/** If all have stopped, that is one silence. */
function silentReporters(before: ReportState | undefined, { today, reporters }: ReportFacts) {
  const lastDays = new Map(reporters.map(({ name, lastDay }) => [name, lastDay]));
  const newest = [...lastDays.values()].sort().at(-1);
  if (newest !== undefined) lastDays.set(ALL, newest);
  const isSilent = (lastDay: string) => daysBetween(lastDay, today) > SILENT_DAYS;
  const hasReturned = (name: string) => {
    const lastDay = lastDays.get(name);
    return lastDay !== undefined && !isSilent(lastDay);
  };
  const ended = (before?.ended ?? []).filter((name) => !hasReturned(name));
  const silent = Object.entries(before?.silent ?? {}).filter(([name]) => !hasReturned(name));
  const regular = reporters.filter(({ regularDays }) => regularDays >= REGULAR_DAYS);
  for (const { name, lastDay } of regular) {
    if (newest === undefined || !isSilent(lastDay)) continue;
    const subject = isSilent(newest) ? ALL : name;
    const isAlone = daysBetween(lastDay, newest) > ALONE_DAYS;
    if ((subject === ALL || isAlone) && !ended.includes(subject))
      silent.push([subject, lastDays.get(subject) ?? lastDay]);
  }
  return { silent: Object.fromEntries(silent), ended: ended.slice(-MAX_KNOWN) } satisfies Silence;
}

function silentConditions({ silent }: Silence): ReportCondition[] {
  return Object.entries(silent).map(([name, lastDay]) => ({
    ...COMMON,
    code: 'reporter_silent',
    subject: name,
    severity: name === ALL ? 'medium' : 'low',
    sentence:
      name === ALL
        ? `No reports arrive any more: the last ones are of ${lastDay}`
        : `${name} sent reports on most days, and none for days after ${lastDay}`,
    act: 'See that rua in the DMARC record names your address and that its mailbox is imported; accept it if the reporter has stopped.',
  }));
}

function knownVerdicts(
  before: ReportState['verdicts'],
  { verdict, tls }: ReportFacts,
  isSenderFailing: boolean,
): ReportState['verdicts'] {
  const dmarc = knownVerdict(before.DMARC, verdict, isSenderFailing);
  if (tls === undefined) return { ...before, DMARC: dmarc };
  const known = knownVerdict(before.TLS, tlsAnswer(tls), false);
  return { DMARC: dmarc, TLS: { ...known, text: tls.text } };
}

/** Not enough is no answer: what was confirmed before it stays. */
function knownVerdict(
  before: VerdictState | undefined,
  answer: string,
  isSenderFailing: boolean,
): VerdictState {
  const isAnswer = answer === 'yes' || answer === 'no';
  const isConfirmed = isAnswer && (before === undefined || before.last === answer);
  const confirmed = isConfirmed ? answer : (before?.confirmed ?? '');
  const isSame = confirmed === before?.confirmed;
  return {
    expected: before?.expected || confirmed,
    confirmed,
    last: answer,
    isExplained: isSame ? before.isExplained : isSenderFailing,
  };
}

/** A host that the policy does not name is a finding of the check. */
function tlsAnswer({ answer, reasons }: TlsVerdict): string {
  const isReported = answer !== 'no' || reasons.some(({ code }) => code === 'host_fails');
  return isReported ? answer : 'not_enough';
}

function verdictConditions({ verdicts: { DMARC, TLS } }: ReportState): ReportCondition[] {
  return [
    ...verdictCondition('DMARC', DMARC, {
      yes: 'Reports allow a stricter policy now: before, mail would have been lost',
      no: 'Reports no longer allow a stricter policy: mail would be lost',
    }),
    ...verdictCondition('TLS', TLS, { yes: TLS?.text ?? '', no: TLS?.text ?? '' }),
  ];
}

function verdictCondition(
  name: VerdictName,
  verdict: VerdictState | undefined,
  sentences: Readonly<Record<'yes' | 'no', string>>,
): ReportCondition[] {
  if (verdict === undefined || verdict.isExplained) return [];
  const { expected, confirmed } = verdict;
  if (confirmed === expected) return [];
  const isYes = confirmed === 'yes';
  return [
    {
      ...COMMON,
      code: 'verdict_changed',
      subject: name,
      severity: isYes ? 'low' : 'high',
      sentence: isYes ? sentences.yes : sentences.no,
      act: isYes
        ? 'Publish what the page of senders recommends, or accept this.'
        : 'See on the page of senders which mail that is, and repair what fails.',
      oldText: expected,
      newText: confirmed,
    },
  ];
}
