/** Starts the source of new dataset versions: pulls from a static host, or builds from feeds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log/log.ts';
import type { Config } from '../../settings/config.ts';
import { CommandError } from '../../terminal/exit.ts';
import type { DatasetPuller } from '../../versions/dataset-puller.ts';
import { Updater, updateCommand } from '../../versions/updater.ts';
import { publishEmbedded } from '../embedded-data.ts';

const PULL_SECONDS = 60;
/** A host that drops packets is given up after much longer. */
const FIRST_PULL_MS = 10_000;

/** With WHENCE_DATASET_URL all versions, including the first, come from a static host, and none is built here. */
export async function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds, proxies, mask }: Config,
  log: Logger,
): Promise<DatasetPuller | undefined> {
  if (datasetUrl === undefined) return undefined;
  const { DatasetPuller } = await import('../../versions/dataset-puller.ts');
  const puller = new DatasetPuller({
    url: datasetUrl,
    dataDir,
    keepVersions,
    intervalSeconds: updateSeconds ?? PULL_SECONDS,
    proxies,
    mask,
    log,
    now: () => new Date(),
    random: Math.random,
  });
  puller.start();
  return puller;
}

/** A new replica whose host does not answer serves the dataset of the package meanwhile, if the package has one. */
export async function serveEmbeddedMeanwhile(puller: DatasetPuller, { dataDir }: Config, log: Logger): Promise<void> {
  const ended = new AbortController();
  await Promise.race([puller.firstAttempt, sleep(FIRST_PULL_MS, undefined, ended).catch(() => {})]);
  ended.abort();
  try {
    if (publishEmbedded(dataDir))
      log.warn('no dataset could be pulled: the dataset of the package is served until one is');
  } catch (error) {
    log.warn({ err: error }, 'the dataset of the package could not be published');
  }
}

export function startUpdater(
  { dataDir, datasetUrl, updateSeconds }: Config,
  bin: string,
  log: Logger,
): Updater | undefined {
  if (updateSeconds === undefined || datasetUrl !== undefined) return undefined;
  const updater = new Updater({
    dataDir,
    intervalMs: updateSeconds * 1000,
    command: updateCommand(bin, dataDir),
    log,
    nowMs: () => Date.now(),
    random: Math.random,
  });
  updater.start();
  return updater;
}

/** The first dataset, compiled in a process of its own: it takes 0.9 GB and a core while the server answers 503. */
type FirstBuild = {
  /** Rejects with the reason of a failure, unless the build itself has printed it. */
  readonly finished: Promise<'built' | 'failed'>;
  cancel(): void;
};

/** On a terminal the build draws its own progress bar; elsewhere each step is a line of the log. */
export function buildFirstDataset(bin: string, dataDir: string, log: Logger, isTerminal: boolean): FirstBuild {
  const child = spawn(process.execPath, [bin, 'dataset', 'build', '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', isTerminal ? 'inherit' : 'pipe'],
  });
  const errors: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      // A message of several lines is the last thing that a command prints.
      if (errors.length > 0 || line.startsWith('error: ')) errors.push(line.replace(/^error: /, ''));
      else log.info({ step: line }, 'building the dataset');
    });
  }
  const finish = async () => {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return 'built';
    if (isTerminal && code !== null) return 'failed';
    const killed = `its process was killed by ${signal}; it needs 0.9 GB of memory`;
    const reason = errors.length > 0 ? errors.join('\n') : signal === null ? `exit code ${code}` : killed;
    throw new CommandError(`the first dataset could not be built: ${reason}`);
  };
  return { finished: finish(), cancel: () => child.kill() };
}
