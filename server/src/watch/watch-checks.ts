/**
 * Checks watched domains when they are due: once a day, spread by a hash of the name, again when
 * something has to be confirmed, and every hour while something does not answer. Processes claim
 * what is due in storage; a claim of a process that was killed expires.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '../day.ts';
import { isOverloaded } from '../http/errors.ts';
import type { Logger } from '../log/log.ts';
import type { WatchStore } from '../storage/stores/watch-store.ts';
import type { WatchedDomain } from '../storage/stores/watched-domain-store.ts';
import { SEVERITIES } from '../vocabulary.ts';
import { deploymentConditions, judgeDeployment, LATE_MS } from './deployment.ts';
import { judgeCheck, readState, selectorsOf } from './domain-state.ts';
import { observe } from './observation.ts';
import type { CheckedDomain, ReportReview } from './report-review.ts';
import { CONFIRM_MS, REOPEN_MS } from './settle.ts';

/** Checks at a time: they wait behind those that people request. */
const AT_ONCE = 8;
/**
 * While this part of the event loop's time is used, checks are made one by one. After any, there is
 * a pause as long as what was used: 10,000 at once have to leave room for lookups.
 */
const BUSY = 0.5;
const MAX_PAUSE_MS = 10_000;
/** Longer than a check and a judgement may take. */
const CLAIM_MS = 120_000;
/** How often the deployment itself is looked at. */
const REVIEW_MS = 60_000;

type CheckRequest = { readonly moreSelectors: readonly string[]; readonly signal: AbortSignal };
type WatchedBy = {
  readonly store: WatchStore;
  /** Undefined if no slot became free: the check is repeated when its claim has expired. */
  readonly check: (domain: string, request: CheckRequest) => Promise<CheckedDomain | undefined>;
  readonly reports: ReportReview;
  /** False while storage does not answer, or other requests need the process. */
  readonly mayRun: () => boolean;
  readonly nowMs: () => number;
  readonly release: string;
  readonly log: Pick<Logger, 'error'>;
};

export class WatchChecks {
  readonly #parts: WatchedBy;
  readonly #stopped = new AbortController();
  #reviewedAtMs = Number.NEGATIVE_INFINITY;
  #gauges = NOTHING_WATCHED;

  constructor(parts: WatchedBy) {
    this.#parts = parts;
  }

  /** Gauges of the deployment, at most a minute old. */
  gauges(): Readonly<Record<string, number>> {
    return this.#gauges;
  }

  /** What is in progress is left to another process. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Everything that is due. */
  async run(): Promise<void> {
    const { store, nowMs, mayRun } = this.#parts;
    if (!mayRun()) return;
    const isDue = await store.isDue(new Date(nowMs()));
    if (isDue === undefined) {
      this.#gauges = NOTHING_WATCHED;
      return;
    }
    await this.#reviewDeployment();
    for (let atOnce = AT_ONCE; isDue && mayRun() && !this.#stopped.signal.aborted; ) {
      const usedBefore = performance.eventLoopUtilization();
      const now = new Date(nowMs());
      const claim = randomUUID();
      const due = await store.claimDue(now, claim, now.getTime() + CLAIM_MS, atOnce);
      if (due.length === 0) return;
      const deployment = await store.eventsOf('', now);
      const isHeld = deployment.some(
        ({ code, resolvedAt }) => code === 'checker_unreachable' && resolvedAt === undefined,
      );
      await Promise.all(due.map((watched) => this.#check(watched, claim, isHeld)));
      if (this.#stopped.signal.aborted) await store.release(claim);
      if (due.length < atOnce) return;
      const { active, utilization } = performance.eventLoopUtilization(usedBefore);
      atOnce = utilization > BUSY ? 1 : AT_ONCE;
      const { signal } = this.#stopped;
      await sleep(Math.min(active, MAX_PAUSE_MS), undefined, { signal }).catch(() => {});
    }
  }

  /** One that fails is logged and repeated when its claim has expired. */
  async #check(watched: WatchedDomain, claim: string, isHeld: boolean): Promise<void> {
    try {
      await this.#checkDomain(watched, claim, isHeld);
    } catch (error) {
      if (this.#stopped.signal.aborted || isOverloaded(error)) return;
      this.#parts.log.error(
        { err: error, domain: watched.domain },
        'a watched domain was not checked',
      );
    }
  }

  async #checkDomain(watched: WatchedDomain, claim: string, isHeld: boolean): Promise<void> {
    const { store, check, reports: review, release } = this.#parts;
    const { domain } = watched;
    const { signal } = this.#stopped;
    const state = readState(watched.state);
    const nowMs = this.#parts.nowMs();
    const now = new Date(nowMs);
    const reportedSelectors = await review.selectors(domain);
    const moreSelectors = [...new Set([...selectorsOf(state), ...reportedSelectors])];
    const examination = await check(domain, { moreSelectors, signal });
    if (examination === undefined) return;
    const observation = observe(examination);
    const isAnswered = observation.unanswered.size === 0;
    const tried = {
      triedAt: now,
      unansweredSinceAt: isAnswered ? undefined : (watched.unansweredSinceAt ?? now),
      ...(isAnswered && { answeredAt: now }),
    };
    if (isHeld) {
      // Nothing opens or ends. The answers tell whether it is over.
      const dueAt = new Date(nowMs + (isAnswered ? CONFIRM_MS : HOUR_MS));
      await store.record(domain, claim, { ...tried, dueAt, state: watched.state }, NONE, now);
      return;
    }
    const reports = await review.review(domain, state.reports, examination, nowMs, signal);
    const events = await store.eventsOf(domain, new Date(nowMs - REOPEN_MS));
    const judged = judgeCheck(state, observation, events, {
      nowMs,
      release,
      reportedSelectors,
      reports,
    });
    const nextMs = Math.min(
      nextCheckMs(domain, nowMs),
      nowMs + (judged.repeatAfterMs ?? DAY_MS),
      isAnswered ? Number.POSITIVE_INFINITY : nowMs + HOUR_MS,
    );
    const { score, grade, policy } = observation;
    const verdict = judged.state.reports?.verdicts.DMARC?.last;
    await store.record(
      domain,
      claim,
      {
        ...tried,
        dueAt: new Date(nextMs),
        state: JSON.stringify(judged.state),
        ...(isAnswered && { score, grade, policy }),
        ...(verdict && { verdict }),
      },
      judged.changes,
      now,
    );
  }

  /** By one process of the deployment each time; its numbers are read by all. */
  async #reviewDeployment(): Promise<void> {
    const { store, nowMs } = this.#parts;
    const now = new Date(nowMs());
    if (Math.abs(now.getTime() - this.#reviewedAtMs) < REVIEW_MS) return;
    this.#reviewedAtMs = now.getTime();
    const conditions = await deploymentConditions(store, now.getTime());
    await store.reviewDeployment(
      now,
      REVIEW_MS,
      (events) => judgeDeployment(conditions, events, now.getTime()),
      new Date(now.getTime() - REOPEN_MS),
    );
    const counts = await store.counts(new Date(now.getTime() - LATE_MS));
    this.#gauges = gaugesOf(counts);
  }
}

type Counts = Awaited<ReturnType<WatchStore['counts']>>;

const gaugesOf = ({ domains, late, openEvents }: Counts): Readonly<Record<string, number>> => ({
  whence_watched_domains: domains,
  whence_watch_late_checks: late,
  ...Object.fromEntries(
    SEVERITIES.map((severity) => [
      `whence_watch_open_events{severity="${severity}"}`,
      openEvents.get(severity) ?? 0,
    ]),
  ),
});

const NOTHING_WATCHED = gaugesOf({ domains: 0, late: 0, openEvents: new Map() });
const NONE = { opened: [], reopened: [], resolved: [], seen: [] };

/** The next time of day that belongs to the name. */
export function nextCheckMs(domain: string, nowMs: number): number {
  const offset = createHash('sha256').update(domain).digest().readUInt32BE() % DAY_MS;
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS + offset;
  return today > nowMs ? today : today + DAY_MS;
}
