/**
 * What a process keeps in storage: keys, quotas, statistics, accounts and the audit log, with the
 * clock that decides to which day a request counts.
 */
import { Accounts } from '../accounts/accounts.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { KnownKeys } from '../keys/known-keys.ts';
import { LimitAlerts } from '../keys/limit-alerts.ts';
import { clientAddress } from '../limits/client.ts';
import type { Logger } from '../log/log.ts';
import { Metrics } from '../metrics/metrics.ts';
import { Quota } from '../quota/quota.ts';
import type { Config } from '../settings/config.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { WriteProbe } from '../storage/write-probe.ts';
import { StatisticsWriter } from '../usage/statistics-writer.ts';
import { TrafficRecorder } from '../usage/traffic.ts';
import { Usage } from '../usage/usage.ts';
import { ClockCheck } from './clock-check.ts';

type StoredStateOptions = {
  /** Storage to use, which is closed with the rest. */
  readonly opened?: Storage | undefined;
  /** Whether the process starts although storage does not answer. */
  readonly mayBeAway: boolean;
  readonly machineMs: () => number;
  readonly statisticsMs?: number | undefined;
  readonly steadyMs?: number | undefined;
};

export async function openStoredState(
  config: Config,
  log: Logger,
  { opened, mayBeAway, machineMs, statisticsMs, steadyMs }: StoredStateOptions,
) {
  const storage = opened ?? (await openStorage(config.storageLocation, { mayBeAway }));
  const writes = new WriteProbe(() => storage.maintenance.probe(), {
    failed: (error) => log.error({ err: error }, 'storage cannot be written'),
    recovered: () => log.info('storage can be written again'),
  });
  const clock = new ClockCheck({
    storage,
    machineMs,
    steadyMs,
    changed: (differenceMs) => logClock(log, differenceMs),
  });
  const nowMs = () => clock.nowMs;
  const audit = new AuditLog(storage.audit);
  const accounts = new Accounts(storage, audit);
  const metrics = new Metrics();
  const usage = new Usage(storage.usage, (reason) => metrics.countKeyRefusal(reason));
  const traffic = new TrafficRecorder(metrics, storage.traffic);
  const statistics = new StatisticsWriter({ usage, traffic }, { everyMs: statisticsMs });
  const keys = new KnownKeys(storage.keys, {
    graceMs: config.storageGraceSeconds * 1000,
    nowMs,
    onRefused: (keyId, reason, address) =>
      usage.countUnauthorized(keyId, reason, clientAddress(address), nowMs()),
    onOutage: () => {
      metrics.storageOutages++;
    },
    onReplaced: () => {
      log.warn(
        'another database, or an older copy of it, has taken its place: known keys and leases are dropped',
      );
      quota.leaveReplacedDatabase();
    },
  });
  const alerts = new LimitAlerts(storage.keys, audit);
  const quota: Quota = new Quota(storage.leases, {
    isStorageDown: () => keys.storageState !== 'ok',
    onTaken: (...taken) => alerts.taken(...taken),
  });
  return {
    storage,
    writes,
    clock,
    nowMs,
    audit,
    accounts,
    metrics,
    usage,
    statistics,
    keys,
    alerts,
    quota,
    /** Counts and unspent leases must not be lost with the process: they are written first. */
    close: async (removeReport: () => Promise<void>) => {
      const lastWrites = [() => quota.close(), () => statistics.writeAll(nowMs()), removeReport];
      for (const write of lastWrites) await write().catch((error) => writes.failed(error));
      keys.close();
      await storage.close();
    },
  };
}

function logClock(log: Logger, differenceMs: number): void {
  if (differenceMs === 0) {
    log.info('the clock can be used again');
    return;
  }
  log.error(
    { difference_seconds: Math.round(differenceMs / 1000) },
    'a clock is wrong: no rows are removed and no keys are revoked as scheduled until it is right',
  );
}
