/** `whence serve`: the composition root. Start, first key and first dataset, workers, metrics, and an orderly end. */
import cluster from 'node:cluster';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readManifest } from '@whence/dataset/publish';
import type { Config } from '../config.ts';
import { type Log, type Logger, openLog } from '../log.ts';
import { type MetricsSnapshot, withCounters } from '../metrics/metrics.ts';
import { startMetricsServer } from '../metrics/metrics-server.ts';
import { type RunningServer, startServer } from '../server.ts';
import { StopSignals } from '../stop-signals.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { withDataDirErrors } from '../terminal/data-dir-errors.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { failureOf } from '../terminal/failure.ts';
import { listenError } from '../terminal/listen-errors.ts';
import type { Output } from '../terminal/output.ts';
import type { DatasetPuller } from '../updates/dataset-puller.ts';
import { Updater, updateCommand } from '../updates/updater.ts';
import { followOrders, leave, leaveWithFailure, reportMetrics } from '../worker-link.ts';
import { Workers } from '../workers.ts';
import { checkFeedsFile } from './feeds-file.ts';
import { buildFirstDataset } from './first-dataset.ts';
import { makeFirstKey } from './first-key.ts';
import { makeFirstSetupLink } from './first-setup-link.ts';
import { checkSettingFile } from './setting-file.ts';
import { type FlagKnowledge, unknownFlagsText } from './unknown-flags.ts';

const READY_POLL_MS = 100;
const PULL_SECONDS = 60;

const now = () => Date.now();
const bin = fileURLToPath(new URL('../bin.js', import.meta.url));

export async function serve(config: Config, stdout: Output, stderr: Output): Promise<ExitCode> {
  const isTerminal = stderr.isTTY === true;
  const log = openLog(config.logLevel, isTerminal);
  process.on('exit', () => log.flush());
  process.on('uncaughtException', (error) => {
    log.logger.fatal({ err: error }, 'unexpected error: the process ends');
    process.exit(1);
  });
  const signals = new StopSignals();
  if (cluster.isWorker) return serveAsWorker(config, log, signals);
  // What was started is stopped again in reverse order, whether the server is told to stop or cannot start.
  const started: (() => unknown)[] = [];
  try {
    return await serveUntilStopped(config, { log, signals, stdout, isTerminal }, (stop) => started.push(stop));
  } finally {
    for (const stop of started.reverse()) {
      try {
        await stop();
      } catch (error) {
        log.logger.error({ err: error }, 'a part of the server could not be stopped');
      }
    }
  }
}

type World = {
  readonly log: Log;
  readonly signals: StopSignals;
  readonly stdout: Output;
  readonly isTerminal: boolean;
};

async function serveUntilStopped(
  config: Config,
  { log: { logger: log, counters, forward }, signals, stdout, isTerminal }: World,
  onStop: (stop: () => unknown) => void,
): Promise<ExitCode> {
  mentionMissingFiles(config, log);
  const storage = await openWritableStorage(config);
  onStop(() => storage.close());
  // One that cannot be read ends the start: without it no version can be served and none be built.
  withDataDirErrors(config.dataDir, () => readManifest(config.dataDir));

  // The server answers while the first dataset is being built or pulled: 503, and /readyz says why.
  const isAlone = config.workers === 1;
  const server = isAlone ? await startAlone(config, log, storage) : await startWorkers(config, log, forward);
  let signalsUsed = 0;
  onStop(() => stopServer(server, signals, signalsUsed));
  const metrics = async () => withCounters(await server.metrics(), counters());
  const metricsPort = await startMetrics(config, log, metrics, onStop);
  const { url } = server;
  log.info({ url, workers: config.workers, ...metricsPort }, 'listening');
  stdout.write(`Whence listens on ${url} (documentation: ${url}/docs)\n`);
  if (signals.count === 0) stdout.write(await makeFirstKey(storage.keys, { ...config, url }));
  stdout.write(await tellSetupLink(storage, { ...config, url: config.publicUrl ?? url }, log));
  // A server that is alone uses it.
  if (!isAlone) await storage.close();

  const hasDataset = await isServingDataset(server, signals);
  const puller = await startPuller(config, log);
  onStop(() => puller?.stop());
  if (!hasDataset && puller !== undefined)
    stdout.write('The first dataset is being pulled; until it is here, lookups are answered with 503.\n');
  if (!hasDataset && puller === undefined && signals.count === 0) {
    stdout.write(
      'The first dataset is being built, which takes about 10 s; until then lookups are answered with 503.\n',
    );
    const build = buildFirstDataset(bin, log, isTerminal);
    onStop(() => build.cancel());
    const outcome = await Promise.race([build.finished, signals.nth(1)]);
    if (outcome === 'failed') return 1;
    await untilReady(url, signals);
    if (signals.count === 0) stdout.write('The dataset is ready.\n');
  }
  if (signals.count === 0) stdout.write(await tellUnknownFlags(url));
  const updater = startUpdater(config, log);
  onStop(() => updater?.stop());

  const signal = await signals.nth(1);
  log.info({ signal, delay_seconds: config.shutdownDelaySeconds }, 'stopping');
  server.announceStop();
  signalsUsed = (await delayStop(config, signals)) ? 2 : 1;
  return 0;
}

/** A server that listens goes on without the link if the disk is full or the database is locked. */
async function tellSetupLink(
  storage: Storage,
  place: Parameters<typeof makeFirstSetupLink>[1],
  log: Logger,
): Promise<string> {
  try {
    return await makeFirstSetupLink(storage, place);
  } catch (error) {
    log.warn({ err: error }, 'no link to set up the dashboard could be made; whence user setup-link makes one');
    return '';
  }
}

/** Asked of the processes that serve: they have tried every version that is there. */
async function isServingDataset(server: Started, signals: StopSignals): Promise<boolean> {
  while (signals.count === 0) {
    // Absent when no worker has answered in time.
    const { whence_dataset_version: version } = (await server.metrics()).gauges;
    if (version !== undefined) return version > 0;
    await sleep(READY_POLL_MS);
  }
  return false;
}

/**
 * A load balancer sees in /readyz that the server stops, and sends requests elsewhere before the port is closed. Returns
 * whether a second signal ended the delay.
 */
async function delayStop({ shutdownDelaySeconds }: Config, signals: StopSignals): Promise<boolean> {
  if (shutdownDelaySeconds === 0) return false;
  // The timer keeps the process alive: workers that had the signal earlier may be gone before it is over.
  const skipped = new AbortController();
  const delay = sleep(shutdownDelaySeconds * 1000, false, { signal: skipped.signal }).catch(() => true);
  const isSkipped = await Promise.race([delay, signals.nth(2).then(() => true)]);
  skipped.abort();
  return isSkipped;
}

/** A further signal that comes while requests in flight finish ends them. */
async function stopServer(server: Started, signals: StopSignals, signalsUsed: number): Promise<void> {
  void signals.nth(signalsUsed + 1).then(() => server.cut());
  await server.stop();
}

/** The server runs without these files; an update or a build would fail for want of them. */
function mentionMissingFiles(config: Config, log: Logger): void {
  for (const check of [
    () => checkFeedsFile(config),
    () => config.overrides !== undefined && checkSettingFile('WHENCE_OVERRIDES', config.overrides),
  ]) {
    try {
      check();
    } catch (error) {
      log.warn((error as Error).message);
    }
  }
}

/** Brings the schema up to date before any worker opens the database. One that cannot be written ends the start. */
async function openWritableStorage({ dataDir, storageLocation }: Config): Promise<Storage> {
  return withDataDirErrors(
    dataDir,
    async () => {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const storage = await openStorage(storageLocation);
      try {
        await storage.maintenance.probe();
        return storage;
      } catch (error) {
        await storage.close();
        throw error;
      }
    },
    'keys',
  );
}

type Started = {
  readonly url: string;
  metrics(): MetricsSnapshot | Promise<MetricsSnapshot>;
  announceStop(): void;
  cut(): void;
  stop(): Promise<void>;
};

async function startAlone(config: Config, log: Logger, storage: Storage): Promise<Started> {
  const server = await listen(config, log, storage);
  return { ...server, stop: () => server.close() };
}

async function startWorkers(config: Config, log: Logger, forward: Log['forward']): Promise<Started> {
  const workers = new Workers(log, forward);
  const { port } = await workers.start(config.workers);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    metrics: () => workers.metrics(),
    announceStop: () => workers.announceStop(),
    cut: () => workers.cut(),
    stop: () => workers.stop(),
  };
}

async function listen(config: Config, log: Logger, storage?: Storage): Promise<RunningServer> {
  try {
    return await startServer(config, log, now, storage);
  } catch (error) {
    const { host, port } = config;
    throw listenError(error, { host, port, hostSetting: 'WHENCE_HOST', portSetting: 'WHENCE_PORT' });
  }
}

async function startMetrics(
  { metricsHost: host, metricsPort: port }: Config,
  log: Logger,
  metrics: () => Promise<MetricsSnapshot>,
  onStop: (stop: () => unknown) => void,
): Promise<{ metrics_port?: number }> {
  if (port === undefined) return {};
  try {
    const server = await startMetricsServer({ host, port, log }, metrics);
    onStop(() => {
      server.close();
      server.closeAllConnections();
    });
    return { metrics_port: (server.address() as AddressInfo).port };
  } catch (error) {
    throw listenError(error, {
      host,
      port,
      hostSetting: 'WHENCE_METRICS_HOST',
      portSetting: 'WHENCE_METRICS_PORT',
    });
  }
}

async function serveAsWorker(config: Config, { logger: log, counters }: Log, signals: StopSignals): Promise<ExitCode> {
  let server: RunningServer | undefined;
  let isStopping = false;
  const ordered = new Promise<void>((resolve) => {
    followOrders({
      'announce-stop': () => {
        isStopping = true;
        server?.announceStop();
      },
      stop: resolve,
      cut: () => server?.cut(),
    });
  });
  try {
    server = await listen(config, log);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    await leaveWithFailure(failure);
    return 1;
  }
  if (isStopping) server.announceStop();
  const running = server;
  reportMetrics({
    metrics: () => withCounters(running.metrics(), counters()),
    counters: () => withCounters(running.counters(), counters()),
  });
  // A signal to the whole process group comes here too, and must not end the worker before the delay is over.
  const signalled = signals.nth(1).then(() => {
    running.announceStop();
    return delayStop(config, signals);
  });
  await Promise.race([ordered, signalled]);
  await running.close();
  await leave(withCounters(running.counters(), counters()));
  return 0;
}

/** With WHENCE_DATASET_URL nothing is built here: versions come from a static host, from the first one on. */
async function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds, proxies }: Config,
  log: Logger,
): Promise<DatasetPuller | undefined> {
  if (datasetUrl === undefined) return undefined;
  const { DatasetPuller } = await import('../updates/dataset-puller.ts');
  const puller = new DatasetPuller({
    url: datasetUrl,
    dataDir,
    keepVersions,
    intervalSeconds: updateSeconds ?? PULL_SECONDS,
    proxies,
    log,
    now: () => new Date(),
    random: Math.random,
  });
  puller.start();
  return puller;
}

function startUpdater({ dataDir, datasetUrl, updateSeconds }: Config, log: Logger): Updater | undefined {
  if (updateSeconds === undefined || datasetUrl !== undefined) return undefined;
  const updater = new Updater({
    dataDir,
    intervalMs: updateSeconds * 1000,
    command: updateCommand(bin),
    log,
    nowMs: now,
    random: Math.random,
  });
  updater.start();
  return updater;
}

/** What the dataset cannot know is false in every answer; people who read the first answers should know that. */
async function tellUnknownFlags(url: string): Promise<string> {
  try {
    // Our own answer; without a dataset (a first pull) it has no data.
    const { data } = (await (await fetch(`${url}/readyz`)).json()) as { data?: Partial<FlagKnowledge> };
    return unknownFlagsText({ unknown_flags: data?.unknown_flags ?? [], dated_flags: data?.dated_flags ?? [] });
  } catch {
    return '';
  }
}

/** Processes see a new version a moment after it is published. */
async function untilReady(url: string, signals: StopSignals): Promise<void> {
  while (signals.count === 0) {
    const status = await fetch(`${url}/readyz`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    if (status === 200) return;
    await sleep(READY_POLL_MS);
  }
}
