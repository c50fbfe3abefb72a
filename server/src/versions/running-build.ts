/** A running build of a data directory, as a file for commands that find no dataset there yet. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@whence/dataset/io/files';
import { isAlive, ownIdentity, type ProcessIdentity } from '@whence/dataset/io/lock';
import { datasetsFolder } from '@whence/dataset/versions';

type RunningBuild = { readonly process: ProcessIdentity; readonly started_at: string };

const buildPath = (dataDir: string) => join(datasetsFolder(dataDir), 'building.json');

export async function announcingBuild<T>(
  dataDir: string,
  now: Date,
  work: () => T | Promise<T>,
): Promise<T> {
  const build: RunningBuild = { process: ownIdentity(), started_at: now.toISOString() };
  makeFolder(datasetsFolder(dataDir));
  writeFileSync(buildPath(dataDir), JSON.stringify(build));
  try {
    return await work();
  } finally {
    rmSync(buildPath(dataDir), { force: true });
  }
}

/** `process 42, since 2026-11-15T08:00:00.000Z`; undefined if no build is running. */
export function describeRunningBuild(dataDir: string, nowMs: number): string | undefined {
  try {
    const { process, started_at } = JSON.parse(
      readFileSync(buildPath(dataDir), 'utf8'),
    ) as RunningBuild;
    const isRunning = isAlive(process, Date.parse(started_at), nowMs);
    return isRunning ? `process ${process.pid}, since ${started_at}` : undefined;
  } catch {
    // No file, or one that is being written.
    return undefined;
  }
}
