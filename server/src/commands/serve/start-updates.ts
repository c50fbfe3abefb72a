/** Starts the source of new dataset versions: pulls from a static host, or builds from feeds. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log/log.ts';
import { repeat } from '../../process/housekeeping.ts';
import type { Config } from '../../settings/config.ts';
import { CommandError } from '../../terminal/exit.ts';
import type { DatasetPuller } from '../../versions/dataset-puller.ts';
import type { UpdateReport } from '../../versions/update-report.ts';
import { DAILY_SECONDS } from '../../versions/update-schedule.ts';
import { Updater, updateCommand } from '../../versions/updater.ts';
import { publishEmbedded } from '../embedded-data.ts';

const PULL_SECONDS = 60;
/** How often the answer of an administrator is read. */
const CHOICE_MS = 15_000;
/** A host that drops packets is given up after much longer. */
const FIRST_PULL_MS = 10_000;

/**
 * With WHENCE_DATASET_URL all versions, including the first, come from a static host, and none is
 * built here.
 */
export async function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds, proxies, mask }: Config,
  log: Logger,
  onUnwritten: (report: UpdateReport) => void,
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
    onUnwritten,
  });
  puller.start();
  return puller;
}

/**
 * A new replica whose host does not answer serves the dataset of the package meanwhile, if the
 * package has one.
 */
export async function serveEmbeddedMeanwhile(
  puller: DatasetPuller,
  { dataDir }: Config,
  log: Logger,
): Promise<void> {
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

/**
 * Updates as WHENCE_UPDATE says, or else from the moment in which an administrator agrees, on
 * whichever machine, until one disagrees.
 */
export function startUpdater(
  { dataDir, datasetUrl, isUpdateSet, updateSeconds }: Config,
  bin: string,
  log: Logger,
  onUnwritten: (report: UpdateReport) => void,
  isDailyChosen: () => Promise<boolean | undefined>,
): { stop(): Promise<void> } | undefined {
  if (datasetUrl !== undefined) return undefined;
  const start = (seconds: number) => {
    const updater = new Updater({
      dataDir,
      intervalMs: seconds * 1000,
      command: updateCommand(bin, dataDir),
      log,
      nowMs: () => Date.now(),
      random: Math.random,
      onUnwritten,
    });
    updater.start();
    return updater;
  };
  if (isUpdateSet) return updateSeconds === undefined ? undefined : start(updateSeconds);
  return followChoice(isDailyChosen, () => start(DAILY_SECONDS), log);
}

function followChoice(
  isDailyChosen: () => Promise<boolean | undefined>,
  start: () => Updater,
  log: Logger,
): { stop(): Promise<void> } {
  const started: Updater[] = [];
  let current: Updater | undefined;
  const follow = async () => {
    const isDaily = (await isDailyChosen()) === true;
    if (isDaily && current === undefined) {
      current = start();
      started.push(current);
    }
    if (!isDaily) {
      current?.retire();
      current = undefined;
    }
  };
  const stopFollowing = repeat(follow, CHOICE_MS, (error) =>
    log.debug({ err: error }, 'storage could not be asked whether to update every day'),
  );
  return {
    async stop() {
      stopFollowing();
      await Promise.all(started.map((updater) => updater.stop()));
    },
  };
}

/**
 * The first dataset, compiled in a process of its own: it takes 0.9 GB and two cores while the
 * server answers 503.
 */
type FirstBuild = {
  /** Rejects with the reason of a failure, unless the build itself has printed it. */
  readonly finished: Promise<'built' | 'failed'>;
  cancel(): void;
};

/** On a terminal the build draws its own progress bar; elsewhere each step is a line of the log. */
export function buildFirstDataset(
  bin: string,
  dataDir: string,
  log: Logger,
  isTerminal: boolean,
): FirstBuild {
  const child = spawn(process.execPath, [bin, 'dataset', 'build', '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', isTerminal ? 'inherit' : 'pipe'],
  });
  const errors: string[] = [];
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      // A message of several lines is the last thing that a command prints.
      if (errors.length > 0 || line.startsWith('error: '))
        errors.push(line.replace(/^error: /, ''));
      else log.info({ step: line }, 'building the dataset');
    });
  }
  const finish = async () => {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return 'built';
    if (isTerminal && code !== null) return 'failed';
    const killed = `its process was killed by ${signal}; it needs 0.9 GB of memory`;
    const ending = signal === null ? `exit code ${code}` : killed;
    const reason = errors.length > 0 ? errors.join('\n') : ending;
    throw new CommandError(`the first dataset could not be built: ${reason}`);
  };
  return { finished: finish(), cancel: () => child.kill() };
}
