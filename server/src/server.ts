/** One process that answers: everything a worker is made of, built by hand, in order, and taken down in the reverse order. */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { DatasetDiffs } from './dataset-diffs.ts';
import { EmailChecks } from './email-checks.ts';
import { Keys } from './keys/keys.ts';
import { LiveDataset } from './live-dataset.ts';
import type { Logger } from './log.ts';
import { Metrics, type MetricsSnapshot } from './metrics.ts';
import { Overload } from './overload.ts';
import { Quota } from './quota/quota.ts';
import { sqliteLeases } from './quota/sqlite-leases.ts';
import { openSqlite, sqliteStorage } from './storage/sqlite.ts';
import { readUpdateReport, type UpdateReport } from './update-report.ts';
import { Usage } from './usage.ts';

const HOUSEKEEPING_MS = 1_000;
/** How often a worker looks whether another one wants leases back. */
const RECALLS_MS = 50;
/** Requests in flight get so long to finish when the server is told to stop. */
const DRAIN_MS = 10_000;

export type RunningServer = {
  readonly url: string;
  metrics(): MetricsSnapshot;
  close(): Promise<void>;
};

export const sqlitePath = (dataDir: string): string => join(dataDir, 'whence.sqlite');

export async function startServer(config: Config, log: Logger, nowMs: () => number): Promise<RunningServer> {
  const database = openSqlite(sqlitePath(config.dataDir));
  const storage = sqliteStorage(database);
  const quota = new Quota(sqliteLeases(database), config.workers > 1);
  const usage = new Usage(storage);
  const metrics = new Metrics();
  const overload = new Overload();
  const live = new LiveDataset(config.dataDir, {
    loaded: (version) => log.info({ version }, 'dataset loaded'),
    failed: (error) => log.error({ err: error }, 'dataset could not be loaded'),
  });
  const emailChecks = new EmailChecks(config.dnsServers);
  const lastUpdate = () => readUpdateReport(config.dataDir);
  const datasetDiffs = new DatasetDiffs(config.dataDir, {
    failed: (error, from, to) => log.error({ err: error, from, to }, 'datasets could not be compared'),
    tookTooLong: (from, to) => log.warn({ from, to }, 'comparing datasets took too long and was ended'),
  });
  const keys = new Keys(storage);
  const parts = {
    keys,
    quota,
    usage,
    metrics,
    overload,
    live,
    storage,
    emailChecks,
    datasetDiffs,
    log,
    lastUpdate,
    nowMs,
  };
  const app = await createApp({ ...parts, trustProxy: config.trustProxy });

  live.start();
  overload.start();
  const cannotWrite = (error: unknown) => log.error({ err: error }, 'statistics or leases could not be written');
  const write = async (giveBack: () => Promise<void>) => {
    try {
      await usage.flush();
      await giveBack();
    } catch (error) {
      cannotWrite(error);
    }
  };
  const housekeeping = setInterval(() => write(() => quota.giveBackIdle(nowMs())), HOUSEKEEPING_MS).unref();
  const recalls = setInterval(() => quota.giveBackRecalled().catch(cannotWrite), RECALLS_MS).unref();

  await app.listen({ host: config.host, port: config.port });
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;

  return {
    url: `http://${host}:${port}`,
    metrics() {
      const { current } = live;
      return metrics.snapshot({
        whence_dataset_version: current?.version ?? 0,
        whence_dataset_age_seconds: current === undefined ? 0 : Math.floor((nowMs() - current.builtAtMs) / 1000),
        whence_leased_requests: quota.unspent,
        whence_email_checks: emailChecks.inFlight,
        whence_event_loop_lag_seconds: overload.lagSeconds,
        whence_resident_memory_bytes: process.memoryUsage.rss(),
        whence_workers: 1,
        ...updateGauges(lastUpdate()),
      });
    },
    async close() {
      // First: a row of comparisons would take longer than those who wait for one have.
      await datasetDiffs.close();
      const force = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref();
      await app.close();
      clearTimeout(force);
      clearInterval(housekeeping);
      clearInterval(recalls);
      live.stop();
      overload.stop();
      emailChecks.close();
      // What was counted and what was not spent outlives the process.
      await write(() => quota.close());
      await storage.close();
    },
  };
}

function updateGauges(update: UpdateReport | undefined): Record<string, number> {
  if (update === undefined) return {};
  const { outcome, succeeded_at, refused = [] } = update;
  return {
    whence_update_running: outcome === 'running' ? 1 : 0,
    whence_update_failed: outcome === 'failed' ? 1 : 0,
    whence_update_last_success_timestamp_seconds: Date.parse(succeeded_at ?? '') / 1000 || 0,
    whence_update_feeds_refused: refused.length,
  };
}
