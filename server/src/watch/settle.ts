/**
 * Which events open, end or come back, from what is wrong now: one event per code and subject,
 * which opens and ends only if it is confirmed by a later check. What has one cause is one event:
 * the other conditions wait behind it, and are judged again when it has ended.
 */
import { DAY_MS } from '../day.ts';
import type { EventChanges, NewEvent, WatchEvent } from '../storage/stores/watch-event-store.ts';
import { SEVERITIES } from '../vocabulary.ts';

/** Two checks this far apart must agree. */
export const CONFIRM_MS = 600_000;
/** What comes back within this time is the same event. */
export const REOPEN_MS = 7 * DAY_MS;

export type Condition = Omit<NewEvent, 'firstSeenAt'> & {
  /** What a check has to answer to say that the condition has ended. */
  readonly part: string;
  /** From the first check that has it to the opening of its event. */
  readonly opensAfterMs: number;
  /** A change of what is published, which says less than what is wrong with it. */
  readonly change?: 'policy' | 'record';
  /** The part whose change has this consequence too. */
  readonly follows?: string | undefined;
};

type TrackedCondition = {
  readonly part: string;
  /** Since when a check contradicts the event, or the lack of one. */
  readonly sinceMs?: number;
  /** The event, by `keyOf`, that has the same cause; kept when it has ended. */
  readonly behind?: string;
};
/** By `keyOf`. */
export type Tracked = Readonly<Record<string, TrackedCondition>>;

export type Settled = {
  readonly tracked: Tracked;
  readonly changes: EventChanges;
  /** Parts whose record has changed and repaired something, which is no event. */
  readonly repaired: ReadonlySet<string>;
  /** What waits to be confirmed is to be looked at again after this time. */
  readonly repeatAfterMs: number | undefined;
};

export const keyOf = ({ code, subject }: Pick<WatchEvent, 'code' | 'subject'>): string =>
  `${code} ${subject}`;
export const subjectOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

type Question = {
  readonly conditions: readonly Condition[];
  /** Whether this check says anything about a part. */
  readonly isKnown: (part: string) => boolean;
  readonly tracked: Tracked;
  /** Open ones, and those that were resolved within REOPEN_MS. */
  readonly events: readonly WatchEvent[];
  readonly nowMs: number;
  /** By part. */
  readonly endsAfterMs?: (part: string) => number;
};

/** What `settle` adds up while it goes through events and conditions. */
type Outcome = {
  readonly tracked: Record<string, TrackedCondition>;
  readonly opened: NewEvent[];
  readonly reopened: string[];
  readonly resolved: string[];
  readonly seen: EventChanges['seen'][number][];
  readonly repaired: Set<string>;
  readonly waits: number[];
};

export function settle(question: Question): Settled {
  const { conditions, isKnown, tracked } = question;
  const outcome: Outcome = {
    tracked: {},
    opened: [],
    reopened: [],
    resolved: [],
    seen: [],
    repaired: new Set(),
    waits: [],
  };
  const present = new Map<string, Condition>();
  for (const condition of conditions)
    if (!present.has(keyOf(condition))) present.set(keyOf(condition), condition);
  const { open, ended } = settleOpenEvents(question, present, outcome);
  openEvents(confirmedConditions(question, present, { open, ended }, outcome), question, outcome);
  for (const [key, entry] of Object.entries(tracked))
    if (!present.has(key) && !open.has(key) && !isKnown(entry.part)) outcome.tracked[key] = entry;
  const { opened, reopened, resolved, seen, repaired, waits } = outcome;
  return {
    tracked: outcome.tracked,
    changes: { opened, reopened, resolved, seen },
    repaired,
    repeatAfterMs: waits.length === 0 ? undefined : Math.max(0, Math.min(...waits)),
  };
}

/** Keys of events, by whether they were open before and end now. */
type OpenEvents = { readonly open: ReadonlySet<string>; readonly ended: ReadonlySet<string> };

function settleOpenEvents(
  { isKnown, tracked, events, nowMs, endsAfterMs = () => CONFIRM_MS }: Question,
  present: ReadonlyMap<string, Condition>,
  outcome: Outcome,
): OpenEvents {
  const open = new Set<string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.resolvedAt !== undefined) continue;
    const key = keyOf(event);
    open.add(key);
    const condition = present.get(key);
    if (condition !== undefined) {
      outcome.tracked[key] = { part: condition.part };
      const { severity, sentence, act, newText } = condition;
      outcome.seen.push({ id: event.id, severity, sentence, act, newText });
      continue;
    }
    const { part } = tracked[key] ?? { part: '' };
    const sinceMs = sinceOf(tracked[key], nowMs);
    const endsAtMs = sinceMs + endsAfterMs(part);
    if (!isKnown(part)) {
      outcome.tracked[key] = tracked[key] ?? { part };
    } else if (nowMs < endsAtMs) {
      outcome.tracked[key] = { part, sinceMs };
      outcome.waits.push(endsAtMs - nowMs);
    } else {
      ended.add(key);
      outcome.resolved.push(event.id);
    }
  }
  return { open, ended };
}

type Ready = {
  readonly key: string;
  readonly condition: Condition;
  readonly sinceMs: number;
  /** The event that it waited behind until it ended. */
  readonly behind: string | undefined;
};

/** Conditions without an event that an earlier check had too, or that need no confirmation. */
function confirmedConditions(
  { tracked, nowMs }: Question,
  present: ReadonlyMap<string, Condition>,
  { open, ended }: OpenEvents,
  outcome: Outcome,
): Ready[] {
  // A record that has returned repairs no other that has gone with it: each is judged for itself.
  const isReturned = (key = '') => ended.has(key) && key.startsWith('record_changed ');
  const better = new Set(
    trackedBehind(tracked, ended).flatMap(([, { part, behind }]) =>
      isReturned(behind) ? [] : part,
    ),
  );
  const ready: Ready[] = [];
  for (const [key, condition] of present) {
    const { part, opensAfterMs, quiet, change } = condition;
    if (open.has(key)) continue;
    if (change === 'record' && better.has(part)) {
      outcome.repaired.add(part);
      continue;
    }
    const waited = tracked[key]?.behind;
    const behind = isReturned(waited) ? undefined : waited;
    const sinceMs = sinceOf(tracked[key], nowMs);
    const opensAtMs = sinceMs + opensAfterMs;
    if (behind !== undefined && open.has(behind) && !ended.has(behind)) {
      outcome.tracked[key] = { part, behind };
    } else if (quiet === undefined && nowMs < opensAtMs) {
      outcome.tracked[key] = { part, sinceMs, ...(behind !== undefined && { behind }) };
      outcome.waits.push(opensAtMs - nowMs);
    } else {
      ready.push({ key, condition, sinceMs, behind });
    }
  }
  return ready;
}

/** A time ahead was written when the clock was wrong. */
const sinceOf = (entry: TrackedCondition | undefined, nowMs: number): number =>
  Math.min(entry?.sinceMs ?? nowMs, nowMs);

/** One event for each cause. */
function openEvents(ready: readonly Ready[], { events, nowMs }: Question, outcome: Outcome): void {
  const causes = causesOf(ready);
  for (const { key, condition, sinceMs } of ready) {
    const { part } = condition;
    const cause = causes.get(key);
    if (cause !== undefined && cause !== key) {
      outcome.tracked[key] = { part, behind: cause };
      continue;
    }
    outcome.tracked[key] = { part };
    const earlier = events.findLast((other) => keyOf(other) === key && mayReopen(other, nowMs));
    if (earlier !== undefined) outcome.reopened.push(earlier.id);
    else outcome.opened.push(newEvent(condition, sinceMs));
  }
}

/** Some events, by `keyOf`, and what waits behind them. */
export function trackedBehind(
  tracked: Tracked,
  keys: ReadonlySet<string>,
): [string, TrackedCondition][] {
  return Object.entries(tracked).filter(
    ([key, { behind = '' }]) => keys.has(key) || keys.has(behind),
  );
}

function newEvent(condition: Condition, sinceMs: number): NewEvent {
  const { code, subject, source, severity, sentence, act, oldText, newText, quiet } = condition;
  const firstSeenAt = new Date(sinceMs);
  return { code, subject, source, severity, sentence, act, oldText, newText, quiet, firstSeenAt };
}

function mayReopen({ resolvedAt, acceptedBy }: WatchEvent, nowMs: number): boolean {
  if (resolvedAt === undefined || acceptedBy !== undefined) return false;
  return nowMs - resolvedAt.getTime() <= REOPEN_MS;
}

/** For each that would be alerted, the key of the event that says most about its cause. */
function causesOf(ready: readonly Ready[]): Map<string, string> {
  const alerted = ready.filter(({ condition }) => condition.quiet === undefined);
  const parts = new Set(alerted.map(({ condition }) => condition.part));
  const groupOf = ({ part, follows }: Condition) =>
    follows !== undefined && parts.has(follows) ? follows : part;
  // Where nothing was changed, hosts and selectors fail each for itself.
  const changed = new Set(
    alerted
      .filter(({ condition }) => condition.change ?? groupOf(condition) !== condition.part)
      .map(({ condition }) => groupOf(condition)),
  );
  const leaders = new Map<string, Ready>();
  const causeOf = ({ condition, behind }: Ready) => {
    if (behind !== undefined) return behind;
    const group = groupOf(condition);
    return changed.has(group) ? group : `${group} ${condition.subject}`;
  };
  for (const candidate of alerted) {
    const leader = leaders.get(causeOf(candidate));
    if (leader === undefined || weightOf(candidate) > weightOf(leader))
      leaders.set(causeOf(candidate), candidate);
  }
  return new Map(
    alerted.map((waiting) => [waiting.key, leaders.get(causeOf(waiting))?.key ?? waiting.key]),
  );
}

const CHANGES = ['record', 'policy', undefined] as const;

/** The more severe first; of the same severity, what is wrong before what has changed. */
function weightOf({ condition: { severity, change } }: Ready): number {
  return SEVERITIES.indexOf(severity) * CHANGES.length + CHANGES.indexOf(change);
}
