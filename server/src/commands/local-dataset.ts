/** Opens the local dataset, for commands that work without a server. */

import { DatasetError } from '@whence/dataset/format';
import { openCurrent, readManifest, type VersionEntry, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';

/** The current version unless `version` is given. */
export function openLocalDataset(dataDir: string, version?: number): Dataset {
  if (version !== undefined) return openDataset(versionPath(dataDir, findVersion(dataDir, version)));
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw noDatasetError(dataDir);
  return dataset;
}

export function noDatasetError(dataDir: string): DatasetError {
  return new DatasetError(`there is no dataset in ${dataDir}; build one with: whence dataset build`);
}

export function findVersion(dataDir: string, version: number): VersionEntry {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  if (entry === undefined)
    throw new DatasetError(`there is no version ${version}; list versions with: whence dataset list`);
  return entry;
}
