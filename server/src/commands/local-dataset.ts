/** Opens the local dataset, for commands that work without a server. */

import { resolve } from 'node:path';
import { type Dataset, openPublished } from '@whence/dataset/dataset';
import { DatasetError } from '@whence/dataset/dataset-error';
import {
  currentOf,
  noDatasetError as describeMissing,
  readManifest,
  type VersionEntry,
  versionPath,
} from '@whence/dataset/versions';
import { dayOfMs } from '../day.ts';
import { PROGRAM } from '../terminal/program-name.ts';
import { describeRunningBuild } from '../versions/running-build.ts';
import { type DataSettings, overridesFile } from './embedded-data.ts';

export function openLocalDataset(
  dataDir: string,
  entry: VersionEntry = currentEntry(dataDir),
): Dataset {
  return openPublished(versionPath(dataDir, entry), dayOfMs(Date.now()));
}

/** The same with the operator's overrides. Their code is loaded only where there are some. */
export async function openOverridden(
  settings: DataSettings,
  entry?: VersionEntry,
): Promise<Dataset> {
  const open = () => openLocalDataset(settings.dataDir, entry);
  const file = overridesFile(settings);
  return file === undefined ? open() : (await import('./read-overrides.ts')).openWith(file, open);
}

export function currentEntry(dataDir: string): VersionEntry {
  const entry = currentOf(readManifest(dataDir));
  if (entry === undefined) throw noDatasetError(dataDir);
  return entry;
}

export function noDatasetError(dataDir: string): DatasetError {
  const build = describeRunningBuild(dataDir, Date.now());
  if (build === undefined) return describeMissing(dataDir, PROGRAM);
  return new DatasetError(
    `the first dataset in ${resolve(dataDir)} is being built (${build}); try again when it is done`,
  );
}
