/**
 * What a soak run promises, checked against the record of a run. Times are milliseconds since 1970.
 */
import { formatCount } from '@whence/testing/console-report';
import { median, percentile } from '@whence/testing/statistics';
import type { Decrease } from '../metrics-watch.ts';
import type { PromiseRow } from '../promise-table.ts';
import type { Ending } from '../server-under-test.ts';
import { formatIncrease, type KernelCounters } from './kernel-counters.ts';
import type { Fault } from './load/protocol.ts';
import type { LoadTotals } from './load/start-load.ts';
import { FREE_LIMIT, type FreeKeyEnd, type ProcessSample } from './server-state.ts';
import type { TimelineEvent } from './time-line.ts';

export type SoakRecord = {
  /** When the load began and ended. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly kills: readonly number[];
  readonly lock: { readonly fromMs: number; readonly toMs: number };
  /** `atMs`: when the version was selected. Processes may see it from `beganMs` on. */
  readonly swaps: readonly {
    readonly beganMs: number;
    readonly atMs: number;
    readonly version: number;
  }[];
  readonly load: LoadTotals;
  readonly samples: readonly ProcessSample[];
  /** Processes of the server while no worker is being replaced. */
  readonly processes: number;
  /** Without load: before it, and some time after it. */
  readonly descriptors: { readonly before: number; readonly after: number };
  readonly metrics: {
    readonly scrapes: number;
    readonly failures: number;
    readonly decreases: readonly Decrease[];
  };
  readonly freeKeys: readonly FreeKeyEnd[];
  /** Before the load, and after it. */
  readonly kernel: { readonly before: KernelCounters; readonly after: KernelCounters };
  /** Questions to the DNS zone. */
  readonly zone: { readonly answered: number; readonly faults: readonly string[] };
  readonly ending: Ending;
};

/**
 * docs/api.md, "Limits": what a killed process loses of a Free key, a lease and the quarter at
 * which it asks ahead.
 */
const FREE_OPEN = 7;
/** While a worker is replaced, the other one has all of the traffic. */
const KILL_WINDOW_MS = 3_000;
/** So long a key that may be a guess waits at most. */
const GUESS_WAIT_MS = 2_000;
/**
 * The kernel closes the connections of a killed process at once; what we were sending at that
 * moment fails as well.
 */
const CUT_WINDOW_MS = 1_000;
/** A statement waits so long for a lock before the request is refused. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** docs/api.md: a selected version is served within a second. */
const SWAP_MS = 1_000;
/** What happened so long before a slow lookup may have caused it. */
const CAUSE_WINDOW_MS = 1_000;
const WARM_UP_MS = 5_000;
const GOALS = { lookupMs: 50, memoryGrowth: 0.1, descriptorGrowth: 0.1, spareDescriptors: 5 };

export function checkPromises(record: SoakRecord): PromiseRow[] {
  const { load, kills } = record;
  const latencies = latenciesOf(record, () => true);
  const undisturbed = latenciesOf(record, (atMs) => !isAfter(kills, atMs, KILL_WINDOW_MS));
  return [
    serverErrors(record),
    faultRow(
      'every other answer has the status of the contract',
      load.faults.filter(isWrongStatus),
    ),
    cutRow(record),
    faultRow(
      'every request is answered within 20 s',
      load.faults.filter(({ outcome }) => outcome.kind === 'unanswered'),
    ),
    latencyRow('99th percentile of lookups below 50 ms', latencies),
    latencyRow(`the same without ${KILL_WINDOW_MS / 1000} s after each kill`, undisturbed),
    memoryRow(record),
    descriptorRow(record),
    limitRow(record),
    counterRow(record),
    swapRow(record),
    zoneRow(record),
    {
      promise: 'stops when told to, with exit code 0',
      seen: `ended with ${record.ending}`,
      isKept: record.ending === 0,
    },
  ];
}

/** Whether the text of the documentation allows this 5xx answer at this moment. */
export function isAllowed(
  { kills, lock }: Pick<SoakRecord, 'kills' | 'lock'>,
  fault: Fault,
): boolean {
  const { outcome, endedAtMs, request, tier, isSilentZone } = fault;
  if (outcome.kind !== 'refused') return false;
  switch (outcome.code) {
    case 'OVERLOADED':
      // Guesses are slowed down, and so are keys that a new worker has not seen, from the same
      // address.
      return request === 'unknown key' || isAfter(kills, endedAtMs, KILL_WINDOW_MS + GUESS_WAIT_MS);
    case 'DNS_UNAVAILABLE':
      return isSilentZone;
    case 'STORAGE_UNAVAILABLE':
      // An Enterprise key has no limit, so it needs no lease.
      return (
        tier !== 'enterprise' &&
        endedAtMs >= lock.fromMs &&
        endedAtMs <= lock.toMs + STATEMENT_TIMEOUT_MS
      );
    default:
      return false;
  }
}

function outcomeText(outcome: Fault['outcome']): string {
  if (outcome.kind === 'refused') return `${outcome.status} ${outcome.code}`;
  return outcome.kind === 'cut' ? `cut off (${outcome.reason})` : 'unanswered';
}

/** Groups of equal faults, the most frequent first. */
export function groupFaults(faults: readonly Fault[]): string[] {
  const groups = new Map<string, number>();
  for (const { outcome, request, tier = 'no key', detail } of faults) {
    const what = outcomeText(outcome);
    // A number in a domain or an address makes no new group.
    const group =
      `${what}: ${tier} ${request} ${request === 'lookup' ? '' : detail.replace(/\d+/g, 'N')}`.trim();
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return [...groups]
    .sort((a, b) => b[1] - a[1])
    .map(([group, count]) => `${formatCount(count)} × ${group}`);
}

function serverErrors(record: SoakRecord): PromiseRow {
  const errors = record.load.faults.filter(
    ({ outcome }) => outcome.kind === 'refused' && outcome.status >= 500,
  );
  const broken = errors.filter((fault) => !isAllowed(record, fault));
  const { seen } = faultRow('', broken);
  return {
    promise: 'no 5xx beyond what the documentation allows',
    seen: `${seen}; ${formatCount(errors.length - broken.length)} allowed`,
    isKept: broken.length === 0,
  };
}

function isWrongStatus({ outcome }: Fault): boolean {
  return outcome.kind === 'refused' && outcome.status < 500;
}

function isWronglyCut({ kills }: SoakRecord, { outcome, endedAtMs }: Fault): boolean {
  return outcome.kind === 'cut' && !isAfter(kills, endedAtMs, CUT_WINDOW_MS);
}

function faultRow(promise: string, faults: readonly Fault[]): PromiseRow {
  const [most = ''] = groupFaults(faults);
  return {
    promise,
    seen: faults.length === 0 ? '0' : `${formatCount(faults.length)}, most: ${most}`,
    isKept: faults.length === 0,
  };
}

/** Connections that the kernel has dropped are among them, and no process has seen those. */
function cutRow(record: SoakRecord): PromiseRow {
  const { before, after } = record.kernel;
  const row = faultRow(
    'no request is cut off but by a killed worker',
    record.load.faults.filter((fault) => isWronglyCut(record, fault)),
  );
  return { ...row, seen: `${row.seen}; kernel: ${formatIncrease(before, after)}` };
}

/** A moment of tolerance, because the clocks of two processes differ by a little. */
function isAfter(events: readonly number[], atMs: number, windowMs: number): boolean {
  return events.some((eventMs) => atMs >= eventMs - 50 && atMs <= eventMs + windowMs);
}

/**
 * Keys with a limit wait for storage while the database is locked, as docs/api.md says: those
 * lookups are not counted.
 */
function latenciesOf(
  { load, fromMs, lock }: SoakRecord,
  isCounted: (atMs: number) => boolean,
): number[] {
  const { sentAtMs, latencyMs, hasLimit } = load.lookups;
  return latencyMs.filter((_, i) => {
    const atMs = sentAtMs[i] as number;
    const isLocked =
      atMs > lock.fromMs - STATEMENT_TIMEOUT_MS && atMs < lock.toMs + STATEMENT_TIMEOUT_MS;
    return atMs - fromMs > WARM_UP_MS && !(isLocked && hasLimit[i]) && isCounted(atMs);
  });
}

/** How many slow lookups were sent soon after an event of each kind; one may follow several. */
export function countSlowLookups(record: SoakRecord, timeLine: readonly TimelineEvent[]): string {
  const { sentAtMs, latencyMs, hasLimit } = record.load.lookups;
  const isSlow = (i: number) => (latencyMs[i] as number) >= GOALS.lookupMs;
  const slow = sentAtMs.filter((_, i) => isSlow(i));
  const limited = hasLimit.filter((has, i) => has && isSlow(i)).length;
  const kinds = [...new Set(timeLine.map(({ kind }) => kind))];
  const counts = kinds.map((kind) => {
    const events = timeLine
      .filter((event) => event.kind === kind)
      .map(({ atMs }) => record.fromMs + atMs);
    const near = slow.filter((atMs) => isAfter(events, atMs, CAUSE_WINDOW_MS)).length;
    const coverage = (events.length * CAUSE_WINDOW_MS) / (record.toMs - record.fromMs);
    return `${formatCount(near)} in the second after a ${kind} (${Math.round(100 * coverage)}% of the run)`;
  });
  return `lookups of ${GOALS.lookupMs} ms and more: ${formatCount(slow.length)}, ${formatCount(limited)} with keys that have a limit; ${counts.join(', ')}`;
}

function latencyRow(promise: string, latenciesMs: readonly number[]): PromiseRow {
  const [p50 = 0, p99 = 0, slowest = 0] = [50, 99, 100].map((percent) =>
    percentile(latenciesMs, percent),
  );
  const seen = `${p99.toFixed(1)} ms (50th ${p50.toFixed(1)} ms, slowest ${slowest.toFixed(0)} ms, ${formatCount(latenciesMs.length)} lookups)`;
  return { promise, seen, isKept: p99 < GOALS.lookupMs };
}

/** In a run of ten minutes, the second minute and the last one. */
function memoryRow({ samples, fromMs, toMs, processes }: SoakRecord): PromiseRow {
  const during = (from: number, to: number) => {
    const at = (share: number) => fromMs + share * (toMs - fromMs);
    const inside = samples.filter(
      (s) => s.processes === processes && s.atMs >= at(from) && s.atMs <= at(to),
    );
    return median(inside.map(({ residentBytes }) => residentBytes)) / 1e6;
  };
  const early = during(0.1, 0.2);
  const late = during(0.9, 1);
  const peak = Math.max(...samples.map(({ residentBytes }) => residentBytes)) / 1e6;
  const growth = late / early - 1;
  return {
    promise: 'memory grows by at most 10% from the second minute to the last',
    seen: `${early.toFixed(0)} MB to ${late.toFixed(0)} MB, ${percent(growth)}; peak ${peak.toFixed(0)} MB`,
    isKept: growth <= GOALS.memoryGrowth,
  };
}

function descriptorRow({ descriptors: { before, after }, samples }: SoakRecord): PromiseRow {
  const peak = Math.max(...samples.map(({ descriptors }) => descriptors));
  return {
    promise: 'file descriptors are as before when the load has ended',
    seen: `${before} before, ${after} after; peak ${peak}`,
    isKept: after <= before * (1 + GOALS.descriptorGrowth) + GOALS.spareDescriptors,
  };
}

/**
 * What was counted and what is left must make up the limit, less what kills may have cost: what was
 * open of a lease each, and answers that were counted and cut off.
 */
function limitRow({ freeKeys, kills }: SoakRecord): PromiseRow {
  const problems = freeKeys.flatMap(({ counted, cut, remaining }, i) => {
    if (counted > FREE_LIMIT) return [`key ${i} got ${counted}`];
    if (remaining === undefined) return [];
    const sum = counted + remaining;
    if (sum > FREE_LIMIT) return [`key ${i}: ${counted} counted and ${remaining} left`];
    return sum + cut + kills.length * FREE_OPEN < FREE_LIMIT
      ? [`key ${i}: only ${counted} counted, ${cut} cut off and ${remaining} left`]
      : [];
  });
  const most = Math.max(...freeKeys.map(({ counted }) => counted));
  const usedUp = freeKeys.filter(({ remaining }) => remaining === 0).length;
  return {
    promise: 'a Free key has 1,000 requests, never more, and none is lost',
    seen: problems[0] ?? `at most ${most}; ${usedUp} of ${freeKeys.length} keys used up`,
    isKept: problems.length === 0,
  };
}

function counterRow({
  metrics: { decreases, scrapes, failures },
  fromMs,
  kills,
}: SoakRecord): PromiseRow {
  const [first] = decreases;
  const afterKills = decreases.filter(({ atMs }) => isAfter(kills, atMs, KILL_WINDOW_MS)).length;
  const seen =
    first === undefined
      ? `never in ${scrapes} scrapes (${failures} failed)`
      : `${decreases.length} times (${afterKills} after a kill), first at ${seconds(first.atMs - fromMs)}: ` +
        `${first.series} from ${first.from} to ${first.to}`;
  return { promise: 'counters in /metrics never go backwards', seen, isKept: first === undefined };
}

/** The longest time after a swap at which a request that was sent got the version before it. */
function swapRow({ swaps, load: { lookups } }: SoakRecord): PromiseRow {
  let slowestMs = 0;
  let stale = 0;
  let swap = -1;
  const order = lookups.sentAtMs
    .map((_, i) => i)
    .sort((a, b) => (lookups.sentAtMs[a] as number) - (lookups.sentAtMs[b] as number));
  for (const i of order) {
    const sentAtMs = lookups.sentAtMs[i] as number;
    while ((swaps[swap + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= sentAtMs) swap++;
    const current = swaps[swap];
    if (current === undefined || lookups.datasetVersion[i] === current.version) continue;
    const next = swaps[swap + 1];
    const isAhead =
      next !== undefined && sentAtMs + (lookups.latencyMs[i] as number) >= next.beganMs;
    if (isAhead && lookups.datasetVersion[i] === next.version) continue;
    slowestMs = Math.max(slowestMs, sentAtMs - current.atMs);
    if (sentAtMs - current.atMs > SWAP_MS) stale++;
  }
  return {
    promise: 'a selected dataset is served within 1 s',
    seen: `${swaps.length} swaps, slowest ${slowestMs.toFixed(0)} ms, ${formatCount(stale)} answers too old`,
    isKept: stale === 0,
  };
}

function zoneRow({ zone: { answered, faults } }: SoakRecord): PromiseRow {
  const [first = ''] = faults;
  return {
    promise: 'every question to the DNS zone gets its answer',
    seen: `${formatCount(answered)} answers${faults.length === 0 ? '' : `, ${formatCount(faults.length)} faults, first: ${first}`}`,
    isKept: answered > 0 && faults.length === 0,
  };
}

const percent = (share: number) => `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)}%`;
const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`;
