/** `whence serve`: the composition root. Start, first key and first dataset, workers, metrics, and an orderly end. */
import cluster from 'node:cluster';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readManifest } from '@whence/dataset/publish';
import type { Config } from '../../config.ts';
import { type Log, type Logger, openLog } from '../../log.ts';
import { withCounters } from '../../metrics/metrics.ts';
import { StopSignals } from '../../stop-signals.ts';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { withDataDirErrors } from '../../terminal/data-dir-errors.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { checkFeedsFile } from '../dataset/feeds-file.ts';
import { checkSettingFile } from '../setting-file.ts';
import { delayStop } from './delay-stop.ts';
import { buildFirstDataset } from './first-dataset.ts';
import { makeFirstKey } from './first-key.ts';
import { makeFirstSetupLink } from './first-setup-link.ts';
import { startMetrics } from './listen.ts';
import { isServingDataset, untilReady } from './readiness.ts';
import { serveAsWorker } from './serve-as-worker.ts';
import { type Started, startAlone, startWorkers } from './start-processes.ts';
import { startPuller, startUpdater } from './start-updates.ts';
import { tellUnknownFlags } from './unknown-flags.ts';

const bin = fileURLToPath(new URL('../../bin.js', import.meta.url));

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

type ServeContext = {
  readonly log: Log;
  readonly signals: StopSignals;
  readonly stdout: Output;
  readonly isTerminal: boolean;
};

async function serveUntilStopped(
  config: Config,
  { log: { logger: log, counters, forward }, signals, stdout, isTerminal }: ServeContext,
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
  const updater = startUpdater(config, bin, log);
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
