/**
 * Location databases in files, which may be large, slow or damaged: one that a setting names, and
 * DB-IP City Lite where its feed is enabled, `location/DBIP-City-Lite.mmdb` in the data directory,
 * unchanged. Only an update writes that one, so it may be given to others (CC BY 4.0).
 */

import { copyFileSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from '../dataset-error.ts';
import { makeFolder, openRegular, UnusableFile } from '../io/files.ts';
import { formatSize } from '../io/format-size.ts';
import { runInThread } from '../io/thread.ts';
import { checkRecords, LocationDatabase } from './location-database.ts';

export type { LocationDatabase } from './location-database.ts';

/** It is in memory as a whole, in each process. The largest of IPinfo's has about this size. */
const MAX_BYTES = 1_000_000_000;
const CHUNK_BYTES = 1 << 24;
/** Processor time. A database of 125 MB takes about five seconds. */
const CHECK_MS = 60_000;

/** For commands: a sample of the records is checked. */
export async function openLocationFile(path: string): Promise<LocationDatabase> {
  const file = await readFile(path);
  checkRecords(file, true);
  return new LocationDatabase(file);
}

/** All records are checked, in a thread: the process goes on answering. */
export async function openLocationInThread(
  path: string,
  signal?: AbortSignal,
): Promise<LocationDatabase> {
  const { buffer, byteOffset, length } = await runInThread<Uint8Array<ArrayBuffer>>(
    {
      module: new URL('./location-file.js', import.meta.url),
      name: 'readLocationFile',
      args: [path],
      stepMs: CHECK_MS,
    },
    signal,
  );
  return new LocationDatabase(Buffer.from(buffer, byteOffset, length));
}

/** Its records were checked when it was stored. */
export function parseFetchedLocation(file: Buffer): LocationDatabase {
  return new LocationDatabase(file);
}

export async function readLocationFile(path: string): Promise<Buffer> {
  const file = await readFile(path);
  checkRecords(file);
  return file;
}

/** Read into one buffer: joining chunks would take the memory twice. */
async function readFile(path: string): Promise<Buffer> {
  const handle = await openRegular(path);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) throw new UnusableFile(`is larger than ${formatSize(MAX_BYTES)}`);
    const file = Buffer.allocUnsafeSlow(size);
    for (let at = 0; at < size; ) {
      const { bytesRead } = await handle.read(file, at, Math.min(CHUNK_BYTES, size - at), at);
      if (bytesRead === 0) throw new DatasetError('became shorter while it was read');
      at += bytesRead;
    }
    return file;
  } finally {
    await handle.close();
  }
}

export const LOCATION_FEED = 'dbip-city-lite';
/** Also its name among MaxMind's editions, by which update programs ask for it. */
export const LOCATION_EDITION = 'DBIP-City-Lite';

export const fetchedLocationPath = (dataDir: string): string =>
  join(dataDir, 'location', `${LOCATION_EDITION}.mmdb`);

/**
 * `copy`: the last good copy in the cache of feeds; undefined if the feed is not enabled, or
 * nothing was fetched yet. The caller holds the lock of updates.
 */
export function storeFetchedLocation(dataDir: string, copy: string | undefined): void {
  const path = fetchedLocationPath(dataDir);
  if (copy === undefined) {
    rmSync(path, { force: true });
    return;
  }
  const { ino, size, mtimeMs } = statSync(copy);
  const current = statSync(path, { throwIfNoEntry: false });
  if (current?.ino === ino || (current?.size === size && current.mtimeMs >= mtimeMs)) return;
  makeFolder(join(dataDir, 'location'));
  const next = `${path}.next`;
  rmSync(next, { force: true });
  linkOrCopy(copy, next);
  renameSync(next, path);
}

/** A link takes no space; some file systems have none. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
