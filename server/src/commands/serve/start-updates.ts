/** Starts the source of new dataset versions: pulls from a static host, or builds from feeds. */
import type { Logger } from '../../log/log.ts';
import type { Config } from '../../settings/config.ts';
import type { DatasetPuller } from '../../versions/dataset-puller.ts';
import { Updater, updateCommand } from '../../versions/updater.ts';

const PULL_SECONDS = 60;

/** With WHENCE_DATASET_URL all versions, including the first, come from a static host, and none is built here. */
export async function startPuller(
  { datasetUrl, dataDir, keepVersions, updateSeconds, proxies }: Config,
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
