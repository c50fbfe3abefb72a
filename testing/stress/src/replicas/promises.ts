/**
 * What the replica soak promises, checked against the record of a run. Times are milliseconds since
 * 1970.
 */
import { formatCount } from '@whence/testing/console-report';
import { percentile } from '@whence/testing/statistics';
import type { PromiseRow } from '../promise-table.ts';
import type { Ending } from '../server-under-test.ts';
import type { Acceptance } from './revocations.ts';
import type { Lookup } from './traffic.ts';

export type Fault = {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * Whether another copy of the database takes its place: known keys are dropped and looked up
   * again.
   */
  readonly isCopy?: boolean;
};

export type ReplicaRecord = {
  readonly fromMs: number;
  readonly faults: readonly Fault[];
  readonly lookups: readonly Lookup[];
  readonly revocations: {
    readonly revoked: number;
    readonly accepted: readonly Acceptance[];
    readonly failures: number;
  };
  readonly endings: readonly Ending[];
};

export const FREE_LIMIT = 1_000;
const WARM_UP_MS = 5_000;
/**
 * docs/failures.md: within a second everything works as before; requests sent before wait a second
 * at most.
 */
const RECOVERY_MS = 3_000;
const LOOKUP_MS = 50;
/** Requests that meet a closed connection when their key is looked up again. */
const COPY_REFUSALS = 20;

export function checkReplicas(record: ReplicaRecord): PromiseRow[] {
  const calm = record.lookups.filter(({ sentAtMs }) => isCalm(record, sentAtMs));
  return [
    latencyRow(calm),
    statusRow('outside the faults every lookup is answered', calm),
    ...record.faults.map((fault) => faultRow(fault, record.lookups)),
    limitRow(record),
    revocationRow(record),
    {
      promise: 'both replicas run to the end and stop with exit code 0',
      seen: `ended with ${record.endings.join(' and ')}`,
      isKept: record.endings.every((ending) => ending === 0),
    },
  ];
}

function isCalm({ fromMs, faults }: ReplicaRecord, atMs: number): boolean {
  return atMs > fromMs + WARM_UP_MS && faults.every((fault) => !isDuring(fault, atMs));
}

const isDuring = ({ fromMs, toMs }: Fault, atMs: number) =>
  atMs >= fromMs - 50 && atMs <= toMs + RECOVERY_MS;

function latencyRow(calm: readonly Lookup[]): PromiseRow {
  const latencies = calm.map(({ latencyMs }) => latencyMs);
  const [p50 = 0, p99 = 0, slowest = 0] = [50, 99, 100].map((percent) =>
    percentile(latencies, percent),
  );
  return {
    promise: `99th percentile of lookups below ${LOOKUP_MS} ms outside the faults`,
    seen: `${p99.toFixed(1)} ms (50th ${p50.toFixed(1)} ms, slowest ${slowest.toFixed(0)} ms, ${formatCount(calm.length)} lookups)`,
    isKept: p99 < LOOKUP_MS,
  };
}

/** A key whose limit is used up gets 429. */
const isUsual = ({ status, isLimited }: Lookup) => status === 200 || (isLimited && status === 429);

function statusRow(promise: string, lookups: readonly Lookup[]): PromiseRow {
  const wrong = lookups.filter((lookup) => !isUsual(lookup));
  return { promise, seen: statusesOf(wrong), isKept: wrong.length === 0 };
}

/**
 * Keys without a limit are known to both replicas; the default grace is longer than every fault.
 */
function faultRow(fault: Fault, lookups: readonly Lookup[]): PromiseRow {
  const during = lookups.filter(({ sentAtMs }) => isDuring(fault, sentAtMs));
  const unlimited = during.filter(({ isLimited }) => !isLimited);
  const unusual = unlimited.filter((lookup) => !isUsual(lookup));
  const isAllowed = ({ status }: Lookup) => fault.isCopy === true && status === 503;
  const wrong = unusual.filter((lookup) => !isAllowed(lookup));
  const limited = during.filter((lookup) => lookup.isLimited && !isUsual(lookup));
  const seconds = ((fault.toMs - fault.fromMs) / 1000).toFixed(1);
  const slowest = Math.max(0, ...unlimited.map(({ latencyMs }) => latencyMs)).toFixed(0);
  return {
    promise: `${fault.name}: keys without a limit are served${fault.isCopy === true ? `, at most ${COPY_REFUSALS} not` : ''}`,
    seen: `${seconds} s; ${formatCount(unlimited.length)} lookups, not served ${statusesOf(unusual)}, slowest ${slowest} ms; with a limit ${statusesOf(limited)}`,
    isKept: wrong.length === 0 && unusual.length - wrong.length <= COPY_REFUSALS,
  };
}

function limitRow({ lookups }: ReplicaRecord): PromiseRow {
  const admitted = new Map<string, number>();
  const exhausted = new Set<string>();
  for (const { key, isLimited, status } of lookups) {
    if (!isLimited) continue;
    if (status === 200) admitted.set(key, (admitted.get(key) ?? 0) + 1);
    if (status === 429) exhausted.add(key);
  }
  const counts = [...admitted];
  const most = Math.max(0, ...counts.map(([, count]) => count));
  const least = Math.min(
    FREE_LIMIT,
    ...counts.filter(([key]) => exhausted.has(key)).map(([, count]) => count),
  );
  return {
    promise: `a Free key has ${formatCount(FREE_LIMIT)} requests over both replicas, never more`,
    seen: `at most ${formatCount(most)}; ${exhausted.size} keys used up, at least ${formatCount(least)} each`,
    isKept: most <= FREE_LIMIT && counts.length > 0,
  };
}

/**
 * A replica that is cut off does not see revocations during its grace, as the documentation says.
 */
function revocationRow({ revocations, faults, fromMs }: ReplicaRecord): PromiseRow {
  const { revoked, failures } = revocations;
  const accepted = revocations.accepted.filter(
    ({ atMs }) => !faults.some((fault) => isDuring(fault, atMs)),
  );
  const inGrace = revocations.accepted.length - accepted.length;
  const [first] = accepted;
  const seen =
    first === undefined
      ? `${revoked} keys, none; ${inGrace} by a replica that was cut off (${failures} commands repeated)`
      : `${accepted.length} times, first at ${((first.atMs - fromMs) / 1000).toFixed(0)} s ${first.when}`;
  return {
    promise: 'no replica with storage accepts a key after its revocation',
    seen,
    isKept: revoked > 0 && accepted.length === 0,
  };
}

function statusesOf(lookups: readonly Lookup[]): string {
  const counts = new Map<number, number>();
  for (const { status } of lookups) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = [...counts].map(
    ([status, count]) => `${formatCount(count)} × ${status === 0 ? 'no answer' : status}`,
  );
  return parts.length === 0 ? '0' : parts.join(', ');
}
