/** Opens the local dataset, for commands that work without a server. */

import { DatasetError } from '@whence/dataset/dataset-error';
import { readManifest, type VersionEntry, versionPath } from '@whence/dataset/publish';
import { type Dataset, openDataset } from '@whence/dataset/read';

/** The current version unless `version` is given. */
export function openLocalDataset(dataDir: string, version?: number): Dataset {
  if (version !== undefined) return openDataset(versionPath(dataDir, findVersion(dataDir, version)));
  return openDataset(currentPath(dataDir));
}

/** The file of the current version. */
export function currentPath(dataDir: string): string {
  const manifest = readManifest(dataDir);
  const entry = manifest?.versions.find(({ version }) => version === manifest.current);
  if (entry === undefined) throw noDatasetError(dataDir);
  return versionPath(dataDir, entry);
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
