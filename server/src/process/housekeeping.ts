/**
 * What a process does at intervals beside answering requests: it writes what it has counted, and
 * renews its leases.
 */
import type { Alerts } from '../alerts/alerts.ts';
import type { ReportMailbox } from '../email-reports/mailbox/report-mailbox.ts';
import type { Keys } from '../keys/keys.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import type { LimitAlerts } from '../keys/limit-alerts.ts';
import type { StorageState } from '../keys/vouching.ts';
import type { Logger } from '../log/log.ts';
import type { Quota } from '../quota/quota.ts';
import type { Storage } from '../storage/storage.ts';
import type { WriteProbe } from '../storage/write-probe.ts';
import { pruneOldRows } from '../usage/pruning.ts';
import type { StatisticsWriter } from '../usage/statistics-writer.ts';
import type { WatchChecks } from '../watch/watch-checks.ts';
import type { ClockCheck } from './clock-check.ts';
import type { ProcessReporter, ReplicaVersions } from './process-reports.ts';

const HOUSEKEEPING_MS = 1_000;
const RECALLS_MS = 100;
/** How often a process renews its leases, and looks for leases of processes that no longer run. */
const RENEWAL_MS = 10_000;
const REPORT_MS = 10_000;
/**
 * How often a process looks for keys whose scheduled revocation is due; requests are refused in
 * time without it.
 */
const REVOCATIONS_MS = 10_000;
/** How soon after a change of an event its alerts are sent. */
const ALERTS_MS = 5_000;
/**
 * How often a process checks whether old rows are due for removal; one process per hour removes
 * them.
 */
const PRUNING_MS = 600_000;

/** How often a process looks for watched domains whose check is due. */
const WATCH_MS = 2_000;
/** How often a process looks whether the mailbox of reports is due. */
const MAILBOX_MS = 5_000;

type HousekeepingDependencies = {
  readonly storage: Storage;
  readonly writes: WriteProbe;
  readonly keys: KnownKeys;
  readonly managedKeys: Keys;
  readonly alerts: LimitAlerts;
  readonly quota: Quota;
  readonly statistics: StatisticsWriter;
  readonly eventAlerts: Pick<Alerts, 'work'>;
  readonly reporter: ProcessReporter;
  readonly replicas: ReplicaVersions;
  readonly watchChecks: WatchChecks;
  readonly reportMailbox: Pick<ReportMailbox, 'work'> | undefined;
  readonly reportDays: number;
  readonly nowMs: () => number;
  readonly clock: ClockCheck;
  readonly log: Logger;
};

export function startHousekeeping(dependencies: HousekeepingDependencies): () => void {
  const {
    storage,
    writes,
    keys,
    managedKeys,
    alerts,
    quota,
    statistics,
    eventAlerts,
    reporter,
    replicas,
    watchChecks,
    nowMs,
    clock,
    log,
  } = dependencies;
  const { reportDays, reportMailbox } = dependencies;
  let lastState: StorageState = 'ok';
  const watchStorage = async () => {
    const state = await keys.checkStorage();
    if (state !== lastState) logStorageState(log, state);
    lastState = state;
    if (state === 'ok') writes.retry();
  };
  const writeStatistics = async () => {
    if (keys.storageState === 'ok') await statistics.write(nowMs());
  };
  const prune = async () => {
    if (!clock.isSteady) return;
    const removed = await pruneOldRows(storage, nowMs(), reportDays);
    if (removed !== undefined) log.info(removed, 'old rows removed');
  };
  const revokeDue = async () => {
    if (keys.storageState !== 'ok' || !clock.isSteady) return;
    const revoked = await managedKeys.revokeDue(new Date(nowMs()));
    if (revoked > 0) log.info({ keys: revoked }, 'keys were revoked as scheduled');
  };
  const writeAlerts = async () => {
    if (keys.storageState === 'ok') await alerts.write(new Date(nowMs()));
  };
  const workOnAlerts = async () => {
    if (keys.storageState === 'ok') await eventAlerts.work();
  };
  const cannotWrite = (error: unknown) => writes.failed(error);
  // While storage does not answer, the metrics show what was read last.
  const keepLastRead = () => {};
  const stops = [
    repeat(async () => clock.check(), HOUSEKEEPING_MS, cannotWrite),
    repeat(watchStorage, HOUSEKEEPING_MS, cannotWrite),
    // Apart: leases are returned even while statistics wait for a lock.
    repeat(writeStatistics, HOUSEKEEPING_MS, cannotWrite),
    repeat(() => quota.endIdle(nowMs()), HOUSEKEEPING_MS, cannotWrite),
    repeat(() => quota.answerRecalls(), RECALLS_MS, cannotWrite),
    repeat(() => quota.renewLeases(), RENEWAL_MS, cannotWrite),
    repeat(() => reporter.report(), REPORT_MS, cannotWrite),
    repeat(() => replicas.refresh(), REPORT_MS, keepLastRead),
    repeat(writeAlerts, HOUSEKEEPING_MS, cannotWrite),
    repeat(revokeDue, REVOCATIONS_MS, cannotWrite),
    repeat(workOnAlerts, ALERTS_MS, cannotWrite),
    repeat(prune, PRUNING_MS, cannotWrite),
    repeat(() => watchChecks.run(), WATCH_MS, cannotWrite),
  ];
  if (reportMailbox !== undefined)
    stops.push(repeat(() => reportMailbox.work(), MAILBOX_MS, cannotWrite));
  return () => {
    for (const stop of stops) stop();
  };
}

/** One call at a time: while a call waits for storage, no other starts. Returns how to stop. */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  onError: (error: unknown) => void,
): () => void {
  let isRunning = false;
  const timer = setInterval(async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      isRunning = false;
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

function logStorageState(log: Logger, state: StorageState): void {
  if (state === 'ok') log.info('storage answers again');
  else if (state === 'degraded')
    log.error('storage does not answer: using known keys and open leases');
  else log.error('storage does not answer and the grace period is over: requests are refused');
}
