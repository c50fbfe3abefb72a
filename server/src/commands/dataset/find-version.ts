import { readManifest, type VersionEntry } from '@whence/dataset/versions';
import { NegativeAnswer } from '../../terminal/exit.ts';
import { PROGRAM } from '../../terminal/program-name.ts';

export function findVersion(dataDir: string, version: number): VersionEntry {
  const entry = readManifest(dataDir)?.versions.find((candidate) => candidate.version === version);
  if (entry === undefined)
    throw new NegativeAnswer(
      `there is no version ${version}; list versions with: ${PROGRAM} dataset list`,
    );
  return entry;
}
