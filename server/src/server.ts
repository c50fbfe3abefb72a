/** One process that answers requests: its parts, built in order and closed in reverse order. */
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { dashboardSettings } from './dashboard-settings.ts';
import { Overload } from './http/overload.ts';
import { KnownKeys } from './keys/known-keys.ts';
import type { Logger } from './log.ts';
import { DatasetDiffs } from './lookup/dataset-diffs.ts';
import { EmailChecks } from './lookup/email-checks.ts';
import { LiveDataset } from './lookup/live-dataset.ts';
import { Metrics, type MetricsSnapshot } from './metrics/metrics.ts';
import { Quota } from './quota/quota.ts';
import { openStorage } from './storage/open-storage.ts';
import type { Storage } from './storage/storage.ts';
import { WriteProbe } from './storage/write-probe.ts';
import { readUpdateReport, stateOf, type UpdateReport } from './updates/update-report.ts';
import { pruneOldRows } from './usage/pruning.ts';
import { Usage } from './usage/usage.ts';

const HOUSEKEEPING_MS = 1_000;
/** How often a process checks whether another one has recalled leases. */
const RECALLS_MS = 50;
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
  nowMs: () => number,
  opened?: Storage,
): Promise<RunningServer> {
  const storage = opened ?? (await openStorage(config.dataDir));
  const quota = new Quota(storage.leases);
  const usage = new Usage(storage.usage);
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
  const keys = new KnownKeys(storage.keys);
  let isStopping = false;
  // A child, whose level can be changed alone.
  const appLog = log.child({});
  const { app, plain } = await createApp({
    keys,
    quota,
    usage,
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
    try {
      const removed = await pruneOldRows(storage, nowMs());
      if (removed !== undefined) log.info(removed, 'old rows removed');
    } catch (error) {
      cannotWrite(error);
    }
  };
  const keepHouse = async () => {
    await write(() => quota.settleIdle(nowMs()));
    writes.retry();
  };
  const timers = [
    setInterval(keepHouse, HOUSEKEEPING_MS).unref(),
    setInterval(() => quota.answerRecalls().catch(cannotWrite), RECALLS_MS).unref(),
    setInterval(prune, PRUNING_MS).unref(),
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
    for (const timer of timers) clearInterval(timer);
    live.stop();
    overload.stop();
    emailChecks.close();
    // What was counted and what was not spent outlives the process.
    await write(() => quota.close());
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
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;

  return {
    url: `http://${host}:${port}`,
    metrics() {
      const { current } = live;
      return metrics.snapshot({
        whence_dataset_version: current?.version ?? 0,
        whence_dataset_age_seconds: current === undefined ? 0 : Math.floor((nowMs() - current.builtAtMs) / 1000),
        whence_dataset_fallback: live.isFallback ? 1 : 0,
        whence_storage_read_only: writes.isFailing() ? 1 : 0,
        whence_leased_requests: quota.unspent,
        whence_email_checks: emailChecks.inFlight,
        whence_event_loop_lag_seconds: overload.lagSeconds,
        whence_resident_memory_bytes: process.memoryUsage.rss(),
        whence_workers: 1,
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
