/** How new versions of the dataset come to a server: pulled from a static host, or built from feeds. */
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import type { DatasetPuller } from '../../updates/dataset-puller.ts';
import { Updater, updateCommand } from '../../updates/updater.ts';

const PULL_SECONDS = 60;

/** With WHENCE_DATASET_URL nothing is built here: versions come from a static host, from the first one on. */
export async function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds, proxies }: Config,
  log: Logger,
): Promise<DatasetPuller | undefined> {
  if (datasetUrl === undefined) return undefined;
  const { DatasetPuller } = await import('../../updates/dataset-puller.ts');
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

export function startUpdater(
  { dataDir, datasetUrl, updateSeconds }: Config,
  bin: string,
  log: Logger,
): Updater | undefined {
  if (updateSeconds === undefined || datasetUrl !== undefined) return undefined;
  const updater = new Updater({
    dataDir,
    intervalMs: updateSeconds * 1000,
    command: updateCommand(bin),
    log,
    nowMs: () => Date.now(),
    random: Math.random,
  });
  updater.start();
  return updater;
}
