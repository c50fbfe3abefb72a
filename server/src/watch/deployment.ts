/** Events of the deployment itself: it reaches no name servers, or its checks are late. */
import { DAY_MS, HOUR_MS } from '../day.ts';
import type { EventChanges, WatchEvent } from '../storage/stores/watch-event-store.ts';
import type { WatchStore } from '../storage/stores/watch-store.ts';
import { type Condition, settle } from './settle.ts';

/** So few checks say something even if they are older than an hour. */
const MIN_CHECKS = 5;
/** One domain that does not answer is its own problem. */
const MIN_FAILED = 2;
/** Enough for an hour of the largest list. */
const MAX_CHECKS = 5_000;
/** How late a check may be. */
export const LATE_MS = DAY_MS;

type LastCheck = { readonly at: Date; readonly isAnswered: boolean };

export async function deploymentConditions(
  store: Pick<WatchStore, 'lastChecks' | 'counts'>,
  nowMs: number,
): Promise<Condition[]> {
  const checks = await store.lastChecks(MAX_CHECKS);
  const { late } = await store.counts(new Date(nowMs - LATE_MS));
  return [...unreachable(checks, nowMs), ...lateChecks(late)];
}

/** `checks` are the last of each domain, the latest first. */
export function unreachable(checks: readonly LastCheck[], nowMs: number): Condition[] {
  const recent = checks.filter(({ at }, i) => i < MIN_CHECKS || at.getTime() > nowMs - HOUR_MS);
  const failed = recent.filter(({ isAnswered }) => !isAnswered).length;
  if (failed < MIN_FAILED || failed * 5 <= recent.length) return [];
  return [
    {
      ...OF_DEPLOYMENT,
      code: 'checker_unreachable',
      sentence: `${failed} of the last ${recent.length} checks of domains got no answer: no event of a domain opens until they do`,
      act: 'See whether the server reaches its name servers (WHENCE_DNS_SERVERS) and the internet.',
    },
  ];
}

function lateChecks(late: number): Condition[] {
  if (late === 0) return [];
  return [
    {
      ...OF_DEPLOYMENT,
      code: 'check_late',
      sentence: `${late} watched ${late === 1 ? 'domain has' : 'domains have'} not been checked for more than a day`,
      act: 'See whether the server is overloaded, and what its log says about checks.',
    },
  ];
}

const OF_DEPLOYMENT = {
  part: 'deployment',
  subject: '',
  source: 'check',
  severity: 'high',
  opensAfterMs: 0,
} as const;

/** They open and end at once. */
export function judgeDeployment(
  conditions: readonly Condition[],
  events: readonly WatchEvent[],
  nowMs: number,
): EventChanges {
  const isKnown = () => true;
  const endsAfterMs = () => 0;
  return settle({ conditions, isKnown, tracked: {}, events, nowMs, endsAfterMs }).changes;
}
