/** Starts the source of new dataset versions: pulls from a static host, or builds from feeds. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../log/log.ts';
import type { Config } from '../../settings/config.ts';
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
