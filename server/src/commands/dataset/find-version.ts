/** A version by its number. One of which only the changes are kept cannot be opened, and the error says so. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { historyOnly } from '@whence/dataset/internal/history/history-index';
import { readManifest, type VersionEntry } from '@whence/dataset/internal/versions/publish';
import { MAX_WHOLE_VERSIONS } from '@whence/dataset/internal/versions/retention';
import { PROGRAM } from '../../terminal/program-name.ts';

export function findVersion(dataDir: string, version: number): VersionEntry {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  if (entry === undefined) throw noVersionError(dataDir, version);
  return entry;
}

export function noVersionError(dataDir: string, version: number): DatasetError {
  if (historyOnly(dataDir).some((entry) => entry.version === version))
    return new DatasetError(
      `version ${version} is kept for history only: its file was removed, because only the newest ${MAX_WHOLE_VERSIONS} at most stay whole files; ${PROGRAM} ip --dataset-version ${version} ADDRESS answers from it`,
    );
  return new DatasetError(`there is no version ${version}; list versions with: ${PROGRAM} dataset list`);
}
