/**
 * `wh serve`: starts one or several processes, makes the first key and dataset, runs updates, and
 * stops gracefully.
 */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '@whence/dataset/io/files';
import { readManifest } from '@whence/dataset/versions';
import { GeoipFileWriter } from '../../geoip-files/geoip-file-writer.ts';
import { type Log, type Logger, openLog } from '../../log/log.ts';
import { LogOutput } from '../../log/log-output.ts';
import { openAhead } from '../../lookup/live-dataset.ts';
import { withCounters } from '../../metrics/metrics.ts';
import {
  delayStop,
  endSoon,
  killProcess,
  limitStop,
  StopSignals,
} from '../../process/stop-signals.ts';
import type { Config } from '../../settings/config.ts';
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
import { overridesFile, publishEmbedded } from '../embedded-data.ts';
import {
  type FirstKeyTexts,
  FRESH_DATA,
  makeFirstKey,
  makeFirstSetupLink,
  NO_FIRST_KEY,
} from './first-access.ts';
import { loadServer, startMetrics } from './listen.ts';
import { isServingDataset, tellUnknownFlags, untilReady } from './readiness.ts';
import { announceServer, listServer } from './running-server.ts';
import { serveAsWorker } from './serve-as-worker.ts';
import { type Started, startAlone, startWorkers } from './start-processes.ts';
import {
  buildFirstDataset,
  serveEmbeddedMeanwhile,
  startPuller,
  startUpdater,
} from './start-updates.ts';

const bin = fileURLToPath(new URL('../../bin.js', import.meta.url));

/**
 * After the signal and the delay: more than workers have to stop. Whatever hangs does not keep the
 * process longer.
 */
const STOP_LIMIT_MS = 30_000;

export async function serve(
  config: Config,
  { stdout, stderr, environment }: CommandStreams,
): Promise<ExitCode> {
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
  // Everything that was started is stopped in reverse order, after a signal and after a failed
  // start.
  const started: (() => unknown)[] = [];
  try {
    if (cluster.isWorker) return await serveAsWorker(config, log, signals, environment);
    requireDriver(config.storageLocation);
    return await serveUntilStopped(
      config,
      { log, signals, stdout, environment, isTerminal },
      (stop) => started.push(stop),
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

type OnStop = (stop: () => unknown) => void;

async function serveUntilStopped(
  config: Config,
  context: ServeContext,
  onStop: OnStop,
): Promise<ExitCode> {
  const { signals, stdout, environment } = context;
  const { logger: log, counters, forward } = context.log;
  const isAlone = config.workers === 1;
  publishFirstDataset(config, log);
  // Dataset and storage open in threads, so the rest of the program is loaded meanwhile.
  // `startAlone` reports a failure.
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
    : await startWorkers(bin, config, log, forward);
  let signalsUsed = 0;
  onStop(() => stopServer(server, signals, signalsUsed));
  const metrics = async () => withCounters(await server.metrics(), counters());
  const metricsPort = await startMetrics(config, log, metrics, onStop);
  const { url } = server;
  log.info({ url, workers: config.workers, ...metricsPort }, 'listening');
  announce(config.dataDir, url, log, onStop);
  list(config.dataDir, environment, log);
  stdout.write(`Whence listens on ${url} (documentation: ${url}/docs)\n`);
  const { example, isUndecided } = await tellFirstAccess(storage, { ...config, url }, context);
  // A single process uses the storage that was opened here.
  if (!isAlone) await storage.close();
  const readStorage: ReadStorage = (read) =>
    withStorage(config, isAlone ? storage : undefined, read);

  const hasDataset = await isServingDataset(server, signals);
  const tellExample = () => {
    if (signals.count > 0 || example === '') return;
    stdout.write(isUndecided ? `${example}${FRESH_DATA}` : example);
  };
  const puller = await startPuller(config, log, server.updated);
  onStop(() => puller?.stop());
  if (!hasDataset && puller !== undefined) {
    stdout.write('The first dataset is being pulled; until then lookups are answered with 503.\n');
    void serveEmbeddedMeanwhile(puller, config, log);
    void untilReady(url, signals).then(tellExample);
  }
  if (!hasDataset && puller === undefined && signals.count === 0) {
    const isBuilt = await buildBeforeUse(config, url, context, onStop);
    if (!isBuilt) return 3;
  }
  if (hasDataset || puller === undefined) tellExample();
  // `FRESH_DATA` has the same command.
  if (signals.count === 0 && !isUndecided) stdout.write(await tellUnknownFlags(url));
  const updater = startUpdater(config, bin, log, server.updated, () =>
    readStorage((opened) => opened.updateChoice.isDaily()),
  );
  onStop(() => updater?.stop());
  onStop(startGeoipFiles(config, readStorage, log));

  const signal = await Promise.race([signals.nth(1), ...(server.gone ? [server.gone] : [])]);
  if (signal === undefined) return 1;
  log.info({ signal, delay_seconds: config.shutdownDelaySeconds }, 'stopping');
  server.announceStop();
  signalsUsed = (await delayStop(config.shutdownDelaySeconds, signals)) ? 2 : 1;
  return 0;
}

/**
 * Prints the first key and the set-up link. `example` is a request to show once lookups are
 * answered; `isUndecided` if the server should also tell how its data is updated.
 */
async function tellFirstAccess(
  storage: Storage,
  config: Config & { readonly url: string },
  { log: { logger: log }, signals, stdout }: ServeContext,
): Promise<{ example: string; isUndecided: boolean }> {
  const { key, example } =
    signals.count === 0 ? await tellFirstKey(storage, config, log) : NO_FIRST_KEY;
  stdout.write(key);
  const linkUrl = config.publicUrl ?? config.url;
  stdout.write(await tellSetupLink(storage, { ...config, url: linkUrl }, log));
  const isUndecided =
    example !== '' &&
    !config.isUpdateSet &&
    config.datasetUrl === undefined &&
    (await storage.updateChoice.isDaily()) === undefined;
  return { example, isUndecided };
}

/** Returns whether the server can go on: the build succeeded, or a signal came first. */
async function buildBeforeUse(
  { dataDir }: Config,
  url: string,
  { log: { logger: log }, signals, stdout, isTerminal }: ServeContext,
  onStop: OnStop,
): Promise<boolean> {
  stdout.write(
    'The first dataset is being built, which takes about 15 s; until then lookups are answered with 503.\n',
  );
  const build = buildFirstDataset(bin, dataDir, log, isTerminal);
  onStop(() => build.cancel());
  const outcome = await Promise.race([build.finished, signals.nth(1)]);
  if (outcome === 'failed') return false;
  await untilReady(url, signals);
  if (signals.count === 0) stdout.write('The dataset is ready.\n');
  return true;
}

/** Writes databases once a key may download them. Returns how to stop. */
function startGeoipFiles(config: Config, readStorage: ReadStorage, log: Logger): () => unknown {
  const files = new GeoipFileWriter({
    dataDir: config.dataDir,
    isWanted: () => readStorage((opened) => opened.keys.hasPermission('database:read')),
    listFiles: () => ({ rules: config.rules, overrides: overridesFile(config) }),
    log,
  });
  files.start();
  return () => files.stop();
}

type ReadStorage = <T>(read: (storage: Storage) => Promise<T>) => Promise<T>;

/** With workers, this process has closed its storage. */
async function withStorage<T>(
  { storageLocation }: Config,
  opened: Storage | undefined,
  read: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = opened ?? (await openStorage(storageLocation));
  try {
    return await read(storage);
  } finally {
    if (opened === undefined) await storage.close();
  }
}

/**
 * PostgreSQL that is read-only, or that stopped answering meanwhile, is not a reason to end a
 * server that listens.
 */
async function tellFirstKey(
  storage: Storage,
  place: Parameters<typeof makeFirstKey>[1],
  log: Logger,
): Promise<FirstKeyTexts> {
  try {
    return await makeFirstKey(storage, place);
  } catch (error) {
    if (storage.engine !== 'PostgreSQL' || !(error instanceof StorageUnavailable)) throw error;
    const outcome =
      error instanceof OutcomeUnknown
        ? 'may have been created, and its secret is lost'
        : 'was not created';
    log.warn({ err: error }, `the first key ${outcome}; ${PROGRAM} key create creates one`);
    return NO_FIRST_KEY;
  }
}

/** `read_only_sql_transaction`. */
const isReadOnly = (error: unknown) =>
  ((error as Error).cause as { code?: string } | undefined)?.code === '25006';

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
async function stopServer(
  server: Started,
  signals: StopSignals,
  signalsUsed: number,
): Promise<void> {
  void signals.nth(signalsUsed + 1).then(() => server.cut());
  await server.stop();
}

/**
 * A packed server has a compiled dataset. If it cannot be published, it is built later, which
 * reports the reason.
 */
function publishFirstDataset(config: Config, log: Logger): void {
  // A replica tries its static host first.
  if (config.datasetUrl !== undefined) return;
  try {
    makeFolder(config.dataDir, 0o700);
    if (publishEmbedded(config.dataDir))
      log.info('the dataset of the package is published as version 1');
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

// Migrates before any worker opens the database. Storage that cannot be written ends the start,
// except PostgreSQL that is read-only or whose synchronous standby is unreachable: `/readyz` says
// so.
async function openWritableStorage(
  { dataDir, storageLocation }: Config,
  log: Logger,
): Promise<Storage> {
  return withDataDirErrors(
    dataDir,
    async () => {
      makeFolder(dataDir, 0o700);
      const stopListening = onWaiting((reason) => log.warn(reason));
      const storage = await openStorage(storageLocation).finally(stopListening);
      try {
        await storage.maintenance.probe();
        return storage;
      } catch (error) {
        if (isReadOnly(error) || error instanceof OutcomeUnknown) {
          log.warn(
            { err: error },
            'PostgreSQL is read-only, or does not confirm writes: starting without it',
          );
          return storage;
        }
        await storage.close();
        throw error;
      }
    },
    'keys',
  );
}

/**
 * A data directory that cannot be written to is no reason not to serve: links then have the address
 * of the settings.
 */
function announce(dataDir: string, url: string, log: Logger, onStop: OnStop): void {
  try {
    onStop(announceServer(dataDir, url));
  } catch (error) {
    log.warn(
      { err: error },
      'the address of the server could not be written to the data directory',
    );
  }
}

/**
 * A user without a writable home has no list: commands in other folders then cannot name this
 * server.
 */
function list(dataDir: string, environment: Environment, log: Logger): void {
  try {
    listServer(dataDir, environment);
  } catch (error) {
    log.debug({ err: error }, "the server could not be entered in the user's list of servers");
  }
}
