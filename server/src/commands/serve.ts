/** `whence serve`: the composition root. First start, workers, metrics, and an orderly end. */
import { spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { hasCurrent } from '@whence/dataset/publish';
import type { Config } from '../config.ts';
import { DatasetPuller } from '../dataset-puller.ts';
import { Keys } from '../keys/keys.ts';
import { PERMISSIONS } from '../keys/tiers.ts';
import { createLogger, type Logger } from '../log.ts';
import { startMetricsServer } from '../metrics-server.ts';
import { type RunningServer, sqlitePath, startServer } from '../server.ts';
import { openSqlite, sqliteStorage } from '../storage/sqlite.ts';
import type { ExitCode, Output } from '../terminal.ts';
import { Updater, updateCommand } from '../updater.ts';
import { answerMetrics, Workers } from '../workers.ts';

const READY_POLL_MS = 100;
const PULL_SECONDS = 60;

const now = () => Date.now();

export async function serve(config: Config, stdout: Output, stderr: Output): Promise<ExitCode> {
  const log = createLogger(config.logLevel, stderr.isTTY === true);
  if (cluster.isWorker) return serveAsWorker(config, log);

  mkdirSync(config.dataDir, { recursive: true });
  const secret = await prepareStorage(config.dataDir);
  // The server answers while the first dataset is being built: 503, and /readyz says why.
  const { url, server, stop } = config.workers === 1 ? await startAlone(config, log) : await startWorkers(config, log);
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : await startMetricsServer(config.host, config.metricsPort, server.metrics);
  const stopped = untilToldToStop();
  log.info(
    { url, workers: config.workers, ...(metrics && { metrics_port: (metrics.address() as AddressInfo).port }) },
    'listening',
  );

  // A version in the format of an older program is as good as none.
  const isFirst = !hasCurrent(config.dataDir);
  const puller = startPuller(config, log);
  const build = isFirst && puller === undefined ? buildFirstDataset() : undefined;
  const buildCode = await Promise.race([build?.exitCode ?? 0, stopped]);
  if (buildCode !== 0) {
    // The build has said what is wrong; or somebody lost patience with it.
    build?.cancel();
    metrics?.close();
    await stop();
    return 1;
  }
  // A replica may have to wait for its host; what there is to say, a key above all, is said now.
  const isWaiting = isFirst && puller !== undefined;
  if (!isWaiting) await Promise.race([untilReady(url), stopped]);
  const waiting = 'The first dataset is being pulled; until it is here, lookups are answered with 503.\n';
  stdout.write(`Whence listens on ${url} (documentation: ${url}/docs)\n${isWaiting ? waiting : ''}`);
  if (secret !== undefined) stdout.write(welcome(url, secret));

  const updater = startUpdater(config, log);
  const signal = await stopped;
  log.info({ signal }, 'stopping');
  await puller?.stop();
  await updater?.stop();
  metrics?.close();
  await stop();
  return 0;
}

/** Brings the schema up to date before any worker opens the file. On the very first start, makes a key to begin with. */
async function prepareStorage(dataDir: string): Promise<string | undefined> {
  const storage = sqliteStorage(openSqlite(sqlitePath(dataDir)));
  try {
    const keys = new Keys(storage);
    if ((await keys.list()).length > 0) return undefined;
    const { secret } = await keys.create({ name: 'quickstart', tier: 'free', permissions: PERMISSIONS }, new Date());
    return secret;
  } finally {
    await storage.close();
  }
}

type Started = {
  url: string;
  server: { metrics: RunningServer['metrics'] | Workers['metrics'] };
  stop: () => Promise<void>;
};

async function startAlone(config: Config, log: Logger): Promise<Started> {
  const server = await startServer(config, log, now);
  return { url: server.url, server, stop: () => server.close() };
}

async function startWorkers(config: Config, log: Logger): Promise<Started> {
  const workers = new Workers(log);
  const { port } = await workers.start(config.workers);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return { url: `http://${host}:${port}`, server: { metrics: () => workers.metrics() }, stop: () => workers.stop() };
}

async function serveAsWorker(config: Config, log: Logger): Promise<ExitCode> {
  const server = await startServer(config, log, now);
  answerMetrics(() => server.metrics());
  await untilToldToStop();
  await server.close();
  cluster.worker?.disconnect();
  return 0;
}

async function untilToldToStop(): Promise<string> {
  const signals = ['SIGTERM', 'SIGINT'].map(async (signal) => {
    await once(process, signal);
    return signal;
  });
  return Promise.race(signals);
}

/** With WHENCE_DATASET_URL nothing is built here: versions come from a static host, from the first one on. */
function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds }: Config,
  log: Logger,
): DatasetPuller | undefined {
  if (datasetUrl === undefined) return undefined;
  const puller = new DatasetPuller({
    url: datasetUrl,
    dataDir,
    keepVersions,
    intervalSeconds: updateSeconds ?? PULL_SECONDS,
    log,
    now: () => new Date(),
    random: Math.random,
  });
  puller.start();
  return puller;
}

const bin = fileURLToPath(new URL('../bin.js', import.meta.url));

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

/** In a process of its own: compiling takes 0.7 GB and all of a core, and the server has better things to do. */
function buildFirstDataset(): { exitCode: Promise<number>; cancel: () => void } {
  const child = spawn(process.execPath, [bin, 'dataset', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { exitCode: once(child, 'exit').then(([code]) => code ?? 1), cancel: () => child.kill() };
}

/** Workers see a new version a moment after it is published; the first request should not come before. */
async function untilReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/readyz`);
    await response.arrayBuffer();
    if (response.status === 200) return;
    await sleep(READY_POLL_MS);
  }
}

function welcome(url: string, secret: string): string {
  return `
A first key, tier Free, was made for you. It is shown only this once:

  ${secret}

Try it:

  curl -H 'X-API-Key: ${secret}' ${url}/v1/ip/8.8.8.8

`;
}
