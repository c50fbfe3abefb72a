/**
 * May MTA-STS be set to enforce, or DANE be kept? What failed at an MX host of today would be
 * refused. As for DMARC, anyone can send proven reports: what only reporters outside the table of
 * large receivers say makes no "no", and hides none.
 */
import type { VerdictAnswer } from '../judge/asked-policy.ts';
import { dayAfter, daysBetween, unusedReports } from '../judge/verdict.ts';
import { isLargeReceiver } from '../large-receivers.ts';
import type { UnprovenReason } from '../report.ts';
import { HOST_FAILURES, type HostFailure, POLICY_FAILURES, type TlsSum } from '../tls-report.ts';
import {
  type TlsFact,
  type TlsQuestion,
  type TlsReason,
  tlsVerdictText,
} from './tls-verdict-text.ts';

/** `reporter` is the domain of its address, `day` like 2026-11-15. */
export type SeenTlsSum = TlsSum & { readonly day: string; readonly reporter: string };

/** What proven and usable reports say from one day to another. */
export type SeenTls = {
  readonly reports: number;
  /** Proven, and with a period of more than 48 hours, or in the future. */
  readonly unusable: number;
  readonly unproven: readonly { readonly reason: UnprovenReason; readonly reports: number }[];
  readonly sums: readonly SeenTlsSum[];
};

/** What DNS and the policy's web server say today. */
export type TlsZone = {
  /** Where mail is delivered, in lower case; undefined if DNS did not answer. */
  readonly hosts: readonly string[] | undefined;
  /** That of the MTA-STS policy; empty without a usable one. */
  readonly mode: 'enforce' | 'testing' | 'none' | '';
  /** Those that the policy does not name. */
  readonly unnamedHosts: readonly string[];
  /** All hosts have authenticated TLSA records. */
  readonly hasDane: boolean;
};

export type TlsVerdict = {
  readonly question: TlsQuestion;
  readonly answer: VerdictAnswer;
  readonly text: string;
  readonly reasons: readonly TlsReason[];
};

const RECENT_DAYS = 14;
const NEEDED_DAYS = 14;
const NEEDED_FAILING_DAYS = 2;
const MAX_SHARE = 0.001;
const MAX_SESSIONS = 5;
const MAX_NAMED = 5;

export function judgeTls(zone: TlsZone, seen: SeenTls, to: string): TlsVerdict {
  const question = questionOf(zone);
  const judgedPolicy = question === 'keep_dane' ? 'tlsa' : 'sts';
  // Senders that still have an MTA-STS policy say nothing about DANE.
  const sums =
    question === 'keep_dane' ? seen.sums.filter(({ policy }) => policy !== 'sts') : seen.sums;
  const listed = sums.filter(isListed);
  const all = failuresIn(sums, zone, to);
  const byListed = failuresIn(listed, zone, to);
  const reasons: TlsReason[] = [
    ...unnamedHosts(zone, question),
    ...hostReasons(all, byListed, to),
    ...missingFacts(zone, seen, judgedPolicy, to),
    ...otherReasons(all, byListed),
    ...notes(all, seen),
  ];
  const answer =
    (['no', 'not_enough'] as const).find((weight) =>
      reasons.some((reason) => reason.weight === weight),
    ) ?? 'yes';
  const judged = seen.sums.filter(({ policy }) => policy === judgedPolicy);
  const failed = judged.filter(({ result }) => result !== 'success');
  const totals = { sessions: sessionsOf(judged), failed: sessionsOf(failed), days: spanOf(judged) };
  return { question, answer, text: tlsVerdictText(question, answer, reasons, totals), reasons };
}

function questionOf({ mode, hasDane }: TlsZone): TlsQuestion {
  if (mode === 'enforce') return 'keep_enforce';
  return mode !== 'testing' && hasDane ? 'keep_dane' : 'enforce';
}

/** Where the policy is enforced, mail does not go to other hosts. */
function unnamedHosts({ unnamedHosts: hosts }: TlsZone, question: TlsQuestion): TlsReason[] {
  if (question === 'keep_dane') return [];
  return hosts
    .slice(0, MAX_NAMED)
    .map((host): TlsReason => ({ weight: 'no', code: 'host_not_named', host }));
}

const isListed = ({ reporter }: SeenTlsSum) => isLargeReceiver({ name: reporter, email: '' });
const isRecent = (day: string, to: string) => day > dayAfter(to, -RECENT_DAYS);
const sessionsOf = (sums: readonly SeenTlsSum[]) =>
  sums.reduce((total, { sessions }) => total + sessions, 0);

function spanOf(sums: readonly SeenTlsSum[]): number {
  const days = daysOf(sums);
  const [first] = days;
  const last = days.at(-1);
  return first === undefined || last === undefined ? 0 : daysBetween(first, last) + 1;
}

/** What failed in the same way at the same place in the last 14 days. */
type Failure = {
  readonly kind: 'host' | 'former_host' | 'policy' | 'unexplained';
  readonly host: string;
  readonly result: Exclude<TlsSum['result'], 'success'>;
  readonly sums: SeenTlsSum[];
  /** Whether its place failed on enough days and in enough sessions. */
  readonly isCounted: boolean;
};

function failuresIn(sums: readonly SeenTlsSum[], { hosts }: TlsZone, to: string): Failure[] {
  const recent = sums.filter(({ day }) => isRecent(day, to));
  const total = sessionsOf(recent);
  const places = new Map<string, Omit<Failure, 'isCounted'>[]>();
  for (const sum of recent) {
    const { host, result } = sum;
    const kind = kindOf(sum, hosts);
    if (kind === undefined || result === 'success') continue;
    const place = `${kind} ${kind === 'policy' ? result : host}`;
    const failures = places.get(place) ?? [];
    places.set(place, failures);
    const same = failures.find((failure) => failure.result === result);
    if (same === undefined) failures.push({ kind, host, result, sums: [sum] });
    else same.sums.push(sum);
  }
  return [...places.values()].flatMap((failures) => {
    const failed = failures.flatMap((failure) => failure.sums);
    const days = daysOf(failed).length;
    const sessions = sessionsOf(failed);
    const isMuch = sessions > MAX_SESSIONS || sessions > total * MAX_SHARE;
    const isCounted = days >= NEEDED_FAILING_DAYS && isMuch;
    return failures.map((failure) => ({ ...failure, isCounted })).sort(bySessions);
  });
}

/** Undefined for what is no failure, or only the sender's. */
function kindOf(
  { host, result }: SeenTlsSum,
  hosts: readonly string[] | undefined,
): Failure['kind'] | undefined {
  if (isOneOf(POLICY_FAILURES, result)) return 'policy';
  if (result === 'other' || (host === '' && isOneOf(HOST_FAILURES, result))) return 'unexplained';
  if (!isOneOf(HOST_FAILURES, result)) return undefined;
  return hosts === undefined || hosts.includes(host) ? 'host' : 'former_host';
}

const isOneOf = <Known extends string>(known: readonly Known[], text: string): text is Known =>
  known.some((name) => name === text);

/** The most sessions first. */
const bySessions = (a: Failure, b: Failure) => sessionsOf(b.sums) - sessionsOf(a.sums);

const ofKind = (some: readonly Failure[], kind: Failure['kind']) =>
  some.filter((failure) => failure.kind === kind).sort(bySessions);

const daysOf = (sums: readonly SeenTlsSum[]) => [...new Set(sums.map(({ day }) => day))].sort();

function factOf({ sums }: Failure) {
  const days = daysOf(sums);
  return { sessions: sessionsOf(sums), days: days.length, last_failed: days.at(-1) ?? '' };
}

function hostReasons(
  all: readonly Failure[],
  byListed: readonly Failure[],
  to: string,
): TlsReason[] {
  const countedHosts = (failures: readonly Failure[]) =>
    ofKind(
      failures.filter(({ isCounted }) => isCounted),
      'host',
    );
  const confirmed = countedHosts(byListed);
  const isConfirmed = (failure: Failure) => confirmed.some(({ host }) => host === failure.host);
  return [
    ...confirmed.slice(0, MAX_NAMED).map((failure): TlsReason => {
      const { host } = failure;
      const clear_on = clearOn(
        byListed.filter((other) => other.host === host),
        to,
      );
      return { weight: 'no', code: 'host_fails', ...hostFact(failure), clear_on };
    }),
    ...countedHosts(all)
      .filter((failure) => !isConfirmed(failure))
      .slice(0, MAX_NAMED)
      .map((failure): TlsReason => {
        const names = [...new Set(failure.sums.map(({ reporter }) => reporter))];
        const reporters = names.slice(0, MAX_NAMED).join(', ');
        return {
          weight: 'not_enough',
          code: 'other_reporters_only',
          ...hostFact(failure),
          reporters,
        };
      }),
  ];
}

/** When fewer than two failing days are left in the last 14. */
function clearOn(failures: readonly Failure[], to: string): string {
  const days = daysOf(failures.flatMap(({ sums }) => sums));
  return dayAfter(days.at(-NEEDED_FAILING_DAYS) ?? to, RECENT_DAYS);
}

function hostFact(failure: Failure) {
  // Only failures of kind `host` or `former_host` come here.
  return { host: failure.host, result: failure.result as HostFailure, ...factOf(failure) };
}

/** What the reports cannot say, and why. */
function missingFacts(
  { hosts, mode }: TlsZone,
  { reports, sums }: SeenTls,
  judgedPolicy: TlsSum['policy'],
  to: string,
): TlsReason[] {
  const missing = (fact: TlsFact): TlsReason => ({ ...fact, weight: 'not_enough' });
  if (hosts?.length === 0) return [missing({ code: 'no_mail' })];
  const unknownHosts = hosts === undefined ? [missing({ code: 'mx_unverified' })] : [];
  if (reports === 0) return [...unknownHosts, missing({ code: 'no_reports' })];
  const judged = sums.filter(({ policy }) => policy === judgedPolicy);
  const isPublished = mode === 'testing' || mode === 'enforce' || judgedPolicy === 'tlsa';
  if (!isPublished) return [...unknownHosts, missing({ code: 'no_policy' })];
  if (judged.length === 0) return [...unknownHosts, missing({ code: 'policy_not_seen' })];
  const listed = judged.filter(isListed);
  const days = daysOf(listed.length > 0 ? listed : judged);
  const [first = to] = days;
  const last = days.at(-1) ?? to;
  const covered = daysBetween(first, last) + 1;
  const found: TlsReason[] = [...unknownHosts];
  if (covered < NEEDED_DAYS) {
    const known_on = dayAfter(first, NEEDED_DAYS - 1);
    found.push(missing({ code: 'too_few_days', days: covered, needed: NEEDED_DAYS, known_on }));
  }
  if (listed.length === 0) found.push(missing({ code: 'no_large_receiver' }));
  else if (!isRecent(last, to)) found.push(missing({ code: 'no_recent_reports', day: last }));
  return found;
}

/**
 * What failed before a host was judged, or at an unknown host. Successes of other reporters do not
 * hide such failures.
 */
function otherReasons(all: readonly Failure[], byListed: readonly Failure[]): TlsReason[] {
  const counted = [...byListed, ...all].filter(
    ({ isCounted, kind }) => isCounted && (kind === 'policy' || kind === 'unexplained'),
  );
  const distinct = new Map(
    counted.map((failure) => [`${failure.kind} ${failure.result}`, failure]),
  );
  return [...distinct.values()]
    .sort(bySessions)
    .slice(0, MAX_NAMED)
    .map((failure): TlsReason => {
      const { result } = failure;
      return isOneOf(POLICY_FAILURES, result)
        ? { weight: 'not_enough', code: 'policy_error', result, ...factOf(failure) }
        : { weight: 'not_enough', code: 'unexplained', result, ...factOf(failure) };
    });
}

function notes(all: readonly Failure[], { unproven, unusable }: SeenTls): TlsReason[] {
  const facts: TlsFact[] = [
    ...ofKind(
      all.filter(({ isCounted }) => !isCounted),
      'host',
    )
      .slice(0, MAX_NAMED)
      .map((failure): TlsFact => ({ code: 'few_failures', ...hostFact(failure) })),
    ...ofKind(all, 'former_host')
      .slice(0, MAX_NAMED)
      .map((failure): TlsFact => ({ code: 'former_host', ...hostFact(failure) })),
    ...unusedReports({ unproven, unusable }),
  ];
  return facts.map((fact) => ({ ...fact, weight: 'note' }));
}
