/** `wh serve`: starts one or several processes, makes the first key and dataset, runs updates, and stops gracefully. */
import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@whence/dataset/internal/io/whole-file';
import { isWrittenBefore, readManifest } from '@whence/dataset/internal/versions/publish';
import { GeoipFileWriter } from '../../geoip-files/geoip-file-writer.ts';
import { type Log, type Logger, openLog } from '../../log/log.ts';
import { LogOutput } from '../../log/log-output.ts';
import { openAhead } from '../../lookup/live-dataset.ts';
import { withCounters } from '../../metrics/metrics.ts';
import { endSoon, killProcess } from '../../process/end-process.ts';
import { delayStop, limitStop, StopSignals } from '../../process/stop-signals.ts';
import type { Config } from '../../settings/config.ts';
import { defaultOverrides } from '../../settings/data-folder.ts';
import type { Environment } from '../../settings/settings.ts';
import { openStorage, requireDriver } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { OutcomeUnknown, StorageUnavailable } from '../../storage/storage-unavailable.ts';
import { onWaiting } from '../../storage/waiting.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { terminalLine } from '../../terminal/log-line.ts';
import type { CommandStreams, Output } from '../../terminal/output.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { styleOf } from '../../terminal/style.ts';
import { checkFeedsFile } from '../dataset/feeds-file.ts';
import { publishEmbedded } from '../embedded-data.ts';
import { makeFirstKey, makeFirstSetupLink } from './first-access.ts';
import { loadServer, startMetrics } from './listen.ts';
import { isServingDataset, tellUnknownFlags, untilReady } from './readiness.ts';
import { announceServer, listServer } from './running-server.ts';
import { serveAsWorker } from './serve-as-worker.ts';
import { type Started, startAlone, startWorkers } from './start-processes.ts';
import { buildFirstDataset, serveEmbeddedMeanwhile, startPuller, startUpdater } from './start-updates.ts';

const bin = fileURLToPath(new URL('../../bin.js', import.meta.url));

/** After the signal and the delay: more than workers have to stop. Whatever hangs does not keep the process longer. */
const STOP_LIMIT_MS = 30_000;

export async function serve(config: Config, { stdout, stderr, environment }: CommandStreams): Promise<ExitCode> {
  const isTerminal = stderr.isTTY === true;
  const style = styleOf(stderr, environment);
  const format = isTerminal ? (line: string) => terminalLine(line, style) : undefined;
  const log = openLog(config.logLevel, format, new LogOutput(), config.mask);
  process.on('exit', () => log.flush());
  process.on('uncaughtException', (error) => killProcess(log, 'unexpected error', error));
  const signals = new StopSignals();
  void limitStop(config.shutdownDelaySeconds * 1000 + STOP_LIMIT_MS, signals, () => {
    killProcess(log, 'the server did not stop in time');
  });
  // Everything that was started is stopped in reverse order, after a signal and after a failed start.
  const started: (() => unknown)[] = [];
  try {
    if (cluster.isWorker) return await serveAsWorker(config, log, signals);
    requireDriver(config.storageLocation);
    return await serveUntilStopped(config, { log, signals, stdout, environment, isTerminal }, (stop) =>
      started.push(stop),
    );
  } finally {
    for (const stop of started.reverse()) {
      try {
        await stop();
      } catch (error) {
        log.logger.error({ err: error }, 'stopping a component failed');
      }
    }
    endSoon(log);
  }
}

type ServeContext = {
  readonly log: Log;
  readonly signals: StopSignals;
  readonly stdout: Output;
  readonly environment: Environment;
  readonly isTerminal: boolean;
};

async function serveUntilStopped(
  config: Config,
  { log: { logger: log, counters, forward }, signals, stdout, environment, isTerminal }: ServeContext,
  onStop: (stop: () => unknown) => void,
): Promise<ExitCode> {
  const isAlone = config.workers === 1;
  publishFirstDataset(config, log);
  // Dataset and storage open in threads, so the rest of the program is loaded meanwhile. `startAlone` reports a failure.
  const dataset = isAlone ? openAhead(config.dataDir) : Promise.resolve(undefined);
  if (isAlone) void loadServer().catch(() => {});
  for (const warning of config.warnings) log.warn(warning);
  mentionMissingFile(config, log);
  const storage = await openWritableStorage(config, log);
  onStop(() => storage.close());
  // An unreadable manifest ends the start: without it no version can be served or built.
  withDataDirErrors(config.dataDir, () => readManifest(config.dataDir));

  // The server answers while the first dataset is being built or pulled: 503, and /readyz says why.
  const server = isAlone
    ? await startAlone(config, log, { opened: storage, dataset })
    : await startWorkers(config, log, forward);
  let signalsUsed = 0;
  onStop(() => stopServer(server, signals, signalsUsed));
  const metrics = async () => withCounters(await server.metrics(), counters());
  const metricsPort = await startMetrics(config, log, metrics, onStop);
  const { url } = server;
  log.info({ url, workers: config.workers, ...metricsPort }, 'listening');
  announce(config.dataDir, url, log, onStop);
  list(config.dataDir, environment, log);
  stdout.write(`Whence listens on ${url} (documentation: ${url}/docs)\n`);
  if (signals.count === 0) stdout.write(await tellFirstKey(storage, { ...config, url }, log));
  stdout.write(await tellSetupLink(storage, { ...config, url: config.publicUrl ?? url }, log));
  // A single process uses the storage that was opened here.
  if (!isAlone) await storage.close();

  const hasDataset = await isServingDataset(server, signals);
  const puller = await startPuller(config, log);
  onStop(() => puller?.stop());
  if (!hasDataset && puller !== undefined) {
    stdout.write('The first dataset is being pulled; until then lookups are answered with 503.\n');
    void serveEmbeddedMeanwhile(puller, config, log);
  }
  if (!hasDataset && puller === undefined && signals.count === 0) {
    stdout.write(
      'The first dataset is being built, which takes about 10 s; until then lookups are answered with 503.\n',
    );
    const build = buildFirstDataset(bin, config.dataDir, log, isTerminal);
    onStop(() => build.cancel());
    const outcome = await Promise.race([build.finished, signals.nth(1)]);
    if (outcome === 'failed') return 1;
    await untilReady(url, signals);
    if (signals.count === 0) stdout.write('The dataset is ready.\n');
  }
  if (signals.count === 0) stdout.write(await tellUnknownFlags(url));
  const updater = startUpdater(config, bin, log);
  onStop(() => updater?.stop());

  const databases = new GeoipFileWriter({
    dataDir: config.dataDir,
    isWanted: () => mayDownload(config, isAlone ? storage : undefined),
    listFiles: () => ({
      rules: config.rules,
      overrides: config.overrides ?? [defaultOverrides(config.dataDir)].find(existsSync),
    }),
    log,
  });
  databases.start();
  onStop(() => databases.stop());

  const signal = await signals.nth(1);
  log.info({ signal, delay_seconds: config.shutdownDelaySeconds }, 'stopping');
  server.announceStop();
  signalsUsed = (await delayStop(config.shutdownDelaySeconds, signals)) ? 2 : 1;
  return 0;
}

/** Whether a key may download databases. With workers, this process has closed its storage. */
async function mayDownload({ storageLocations }: Config, opened: Storage | undefined): Promise<boolean> {
  const storage = opened ?? (await openStorage(storageLocations));
  try {
    return await storage.keys.hasPermission('database:read');
  } finally {
    if (opened === undefined) await storage.close();
  }
}

/** PostgreSQL that is read-only, or that stopped answering meanwhile, is not a reason to end a server that listens. */
async function tellFirstKey(storage: Storage, place: Parameters<typeof makeFirstKey>[1], log: Logger): Promise<string> {
  try {
    return await makeFirstKey(storage, place);
  } catch (error) {
    if (storage.engine !== 'PostgreSQL' || !(error instanceof StorageUnavailable)) throw error;
    const outcome =
      error instanceof OutcomeUnknown ? 'may have been created, and its secret is lost' : 'was not created';
    log.warn({ err: error }, `the first key ${outcome}; ${PROGRAM} key create creates one`);
    return '';
  }
}

/** `read_only_sql_transaction`. */
const isReadOnly = (error: unknown) => ((error as Error).cause as { code?: string } | undefined)?.code === '25006';

/** The server continues without the link if the disk is full or the database is locked. */
async function tellSetupLink(
  storage: Storage,
  place: Parameters<typeof makeFirstSetupLink>[1],
  log: Logger,
): Promise<string> {
  try {
    return await makeFirstSetupLink(storage, place);
  } catch (error) {
    log.warn(
      { err: error },
      `the setup link for the dashboard could not be created; ${PROGRAM} user setup-link creates one`,
    );
    return '';
  }
}

/** A further signal while requests in flight finish ends them. */
async function stopServer(server: Started, signals: StopSignals, signalsUsed: number): Promise<void> {
  void signals.nth(signalsUsed + 1).then(() => server.cut());
  await server.stop();
}

/** A packed server has a compiled dataset. If it cannot be published, it is built later, which reports the reason. */
function publishFirstDataset(config: Config, log: Logger): void {
  // A replica tries its static host first.
  if (config.datasetUrl !== undefined) return;
  try {
    makeFolder(config.dataDir, 0o700);
    if (isWrittenBefore(config.dataDir))
      log.warn(
        { data_dir: config.dataDir },
        'the dataset was written before 1.0.0 and is replaced by the embedded one',
      );
    if (publishEmbedded(config.dataDir)) log.info('the dataset of the package is published as version 1');
  } catch (error) {
    log.debug({ err: error }, 'the dataset of the package could not be published');
  }
}

/** The server runs without this file, but an update would fail. */
function mentionMissingFile(config: Config, log: Logger): void {
  try {
    checkFeedsFile(config);
  } catch (error) {
    log.warn((error as Error).message);
  }
}

// Migrates before any worker opens the database. Storage that cannot be written ends the start, except PostgreSQL that
// is read-only or whose synchronous standby is away: `/readyz` tells.
async function openWritableStorage({ dataDir, storageLocations }: Config, log: Logger): Promise<Storage> {
  return withDataDirErrors(
    dataDir,
    async () => {
      makeFolder(dataDir, 0o700);
      const stopListening = onWaiting((reason) => log.warn(reason));
      const storage = await openStorage(storageLocations).finally(stopListening);
      try {
        await storage.maintenance.probe();
        return storage;
      } catch (error) {
        if (isReadOnly(error) || error instanceof OutcomeUnknown) {
          log.warn({ err: error }, 'PostgreSQL is read-only, or does not confirm writes: starting without it');
          return storage;
        }
        await storage.close();
        throw error;
      }
    },
    'keys',
  );
}

/** A data directory that cannot be written to is no reason not to serve: links then have the address of the settings. */
function announce(dataDir: string, url: string, log: Logger, onStop: (stop: () => unknown) => void): void {
  try {
    onStop(announceServer(dataDir, url));
  } catch (error) {
    log.warn({ err: error }, 'the address of the server could not be written to the data directory');
  }
}

/** A user without a writable home has no list: commands in other folders then cannot name this server. */
function list(dataDir: string, environment: Environment, log: Logger): void {
  try {
    listServer(dataDir, environment);
  } catch (error) {
    log.debug({ err: error }, "the server could not be entered in the user's list of servers");
  }
}
