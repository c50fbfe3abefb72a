/** One process that answers requests: its parts, built in order and closed in reverse order. */
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { dashboardSettings } from './dashboard-settings.ts';
import { Overload } from './http/overload.ts';
import { serverUrl } from './http/server-url.ts';
import { KnownKeys } from './keys/known-keys.ts';
import type { StorageState } from './keys/vouching.ts';
import type { Logger } from './log.ts';
import { DatasetDiffs } from './lookup/dataset-diffs.ts';
import { EmailChecks } from './lookup/email-checks.ts';
import { LiveDataset } from './lookup/live-dataset.ts';
import { ReplicaVersions } from './lookup/replica-versions.ts';
import { Metrics, type MetricsSnapshot } from './metrics/metrics.ts';
import { Quota } from './quota/quota.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/storage.ts';
import { WriteProbe } from './storage/write-probe.ts';
import { readUpdateReport, stateOf, type UpdateReport } from './updates/update-report.ts';
import { NetworkCounts } from './usage/networks.ts';
import { pruneOldRows } from './usage/pruning.ts';
import { Usage } from './usage/usage.ts';

const HOUSEKEEPING_MS = 1_000;
/** How often a process checks whether another one has recalled leases. */
const RECALLS_MS = 100;
/** How often a process says that its leases live, and looks for those of processes that do not. */
const RENEWAL_MS = 10_000;
/** How often a process looks at what the others serve. */
const REPLICAS_MS = 10_000;
/** How often a process checks whether old rows are due to be removed; one process an hour does it. */
const PRUNING_MS = 600_000;
/** How long requests in flight may take to finish when the server is told to stop. */
const DRAIN_MS = 10_000;

export type RunningServer = {
  readonly url: string;
  metrics(): MetricsSnapshot;
  /** The same without gauges: reading them costs more. */
  counters(): MetricsSnapshot;
  /** From now on `/readyz` says that the server stops; requests are answered as before. */
  announceStop(): void;
  /** Ends connections that still have requests in flight. */
  cut(): void;
  close(): Promise<void>;
};

/** `opened` storage is used where there is one, and closed with the server. */
export async function startServer(
  config: Config,
  log: Logger,
  machineMs: () => number,
  opened?: Storage,
): Promise<RunningServer> {
  const storage = opened ?? (await openStorage(config.storageLocation));
  // Replicas agree on the day a request counts for, whatever the clocks of their machines say.
  const nowMs = () => storage.nowMs() ?? machineMs();
  const usage = new Usage(storage.usage);
  const keys = new KnownKeys(storage.keys, {
    graceMs: config.storageGraceSeconds * 1000,
    onRevoked: (keyId) => usage.countRefused(keyId, nowMs()),
  });
  const quota = new Quota(storage.leases, { isStorageDown: () => keys.storageState !== 'ok' });
  const networks = new NetworkCounts(storage.networks);
  const replicas = new ReplicaVersions(storage.processes, nowMs);
  const metrics = new Metrics();
  const overload = new Overload();
  const live = new LiveDataset(config.dataDir, {
    loaded: (version) => log.info({ version }, 'dataset loaded'),
    failed: (error) => log.error({ err: error }, 'the current dataset could not be loaded and is tried again'),
    fellBack: (version) => log.warn({ version }, 'another version of the dataset is served instead'),
  });
  const writes = new WriteProbe(() => storage.maintenance.probe(), {
    failed: (error) => log.error({ err: error }, 'storage cannot be written'),
    recovered: () => log.info('storage can be written again'),
  });
  const emailChecks = new EmailChecks(config.dnsServers);
  const lastUpdate = () => readUpdateReport(config.dataDir);
  const datasetDiffs = new DatasetDiffs(config.dataDir, {
    failed: (error, from, to) => log.error({ err: error, from, to }, 'datasets could not be compared'),
    tookTooLong: (from, to) => log.warn({ from, to }, 'comparing datasets took too long and was ended'),
  });
  let isStopping = false;
  // A child, whose level can be changed alone.
  const appLog = log.child({});
  const { app, plain } = await createApp({
    keys,
    quota,
    usage,
    networks,
    metrics,
    overload,
    live,
    storage,
    writes,
    emailChecks,
    datasetDiffs,
    log: appLog,
    lastUpdate,
    isStopping: () => isStopping,
    nowMs,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    dashboard: dashboardSettings(config, log),
  });

  live.start();
  overload.start();
  const cannotWrite = (error: unknown) => writes.failed(error);
  const write = async (settle: () => Promise<void>) => {
    try {
      await usage.flush();
      await settle();
    } catch (error) {
      cannotWrite(error);
    }
  };
  const prune = async () => {
    const removed = await pruneOldRows(storage, nowMs());
    if (removed !== undefined) log.info(removed, 'old rows removed');
  };
  let lastState: StorageState = 'ok';
  const keepHouse = async () => {
    const state = await keys.checkStorage();
    if (state !== lastState) logStorageState(log, state);
    lastState = state;
    if (state !== 'ok') return;
    await write(() => quota.settleIdle(nowMs()));
    writes.retry();
  };
  const stopTimers = [
    repeat(keepHouse, HOUSEKEEPING_MS, cannotWrite),
    repeat(() => quota.answerRecalls(), RECALLS_MS, cannotWrite),
    repeat(() => quota.renewLeases(), RENEWAL_MS, cannotWrite),
    repeat(prune, PRUNING_MS, cannotWrite),
    // Shown as they were while storage does not answer.
    repeat(
      () => replicas.refresh(),
      REPLICAS_MS,
      () => {},
    ),
  ];

  const cut = () => {
    plain.destroyAll();
    app.server.closeAllConnections();
  };
  const close = async () => {
    // First: queued comparisons would take longer than requests in flight may.
    await datasetDiffs.close();
    const force = setTimeout(cut, DRAIN_MS).unref();
    await app.close();
    clearTimeout(force);
    for (const stop of stopTimers) stop();
    live.stop();
    overload.stop();
    emailChecks.close();
    // What was counted and what was not spent outlives the process.
    await write(() => quota.close());
    keys.close();
    await storage.close();
  };
  try {
    // Fastify logs a line for every address it listens on; `whence serve` logs one for all processes.
    appLog.level = 'warn';
    await app.listen({ host: config.host, port: config.port });
    appLog.level = log.level;
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;

  return {
    url: serverUrl(config.host, port),
    metrics() {
      const { current } = live;
      return metrics.snapshot({
        whence_dataset_version: current?.version ?? 0,
        whence_dataset_age_seconds: current === undefined ? 0 : Math.floor((nowMs() - current.builtAtMs) / 1000),
        whence_dataset_fallback: live.isFallback ? 1 : 0,
        whence_storage_read_only: keys.storageState === 'ok' && writes.isFailing() ? 1 : 0,
        whence_storage_degraded: keys.storageState === 'ok' ? 0 : 1,
        whence_storage_last_answer_age_seconds: Math.round(keys.storageAgeSeconds * 1000) / 1000,
        whence_leased_requests: quota.unspent,
        whence_email_checks: emailChecks.inFlight,
        whence_event_loop_lag_seconds: overload.lagSeconds,
        whence_resident_memory_bytes: process.memoryUsage.rss(),
        whence_workers: 1,
        ...replicas.gauges(),
        ...updateGauges(lastUpdate(), current?.builtAtMs ?? 0, nowMs()),
      });
    },
    counters: () => metrics.snapshot({}),
    announceStop() {
      isStopping = true;
    },
    cut,
    close,
  };
}

function logStorageState(log: Logger, state: StorageState): void {
  if (state === 'ok') log.info('storage answers again');
  else if (state === 'degraded') log.error('storage does not answer: known keys and open leases are used');
  else log.error('storage does not answer, and the grace is over: requests are refused');
}

/** One at a time: a call that waits for storage is not joined by others. Returns how to stop. */
function repeat(work: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): () => void {
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

function updateGauges(update: UpdateReport | undefined, builtAtMs: number, nowMs: number): Record<string, number> {
  if (update === undefined) return {};
  const { succeeded_at, refused = [] } = update;
  const state = stateOf(update, builtAtMs, nowMs);
  return {
    whence_update_running: state === 'running' ? 1 : 0,
    whence_update_failed: state === 'failing' ? 1 : 0,
    whence_update_last_success_timestamp_seconds: Date.parse(succeeded_at ?? '') / 1000 || 0,
    whence_update_feeds_refused: refused.length,
  };
}
