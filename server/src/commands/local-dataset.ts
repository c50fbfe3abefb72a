/** The dataset that commands without a server answer from. */

import { DatasetError } from '@whence/dataset/format';
import { openCurrent, readManifest, type VersionEntry } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';

export function openLocalDataset(dataDir: string): Dataset {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined)
    throw new DatasetError(`there is no dataset in ${dataDir}; build one with: whence dataset build`);
  return dataset;
}

export function findVersion(dataDir: string, version: number): VersionEntry {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  if (entry === undefined) throw new DatasetError(`there is no version ${version}`);
  return entry;
}
