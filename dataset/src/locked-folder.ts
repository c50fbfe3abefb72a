/**
 * A folder with one writer at a time, in which a file appears whole or not at all: written under another name, synced, renamed. What a
 * killed writer left behind, its lock and its unfinished files, is cleared away by the next one.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from './format.ts';

const UNFINISHED = '.unfinished';

/** One writer at a time. The lock names its process, so that one left behind by a killed process is recognised and taken over. */
export function withLock<T>(folder: string, work: () => T): T {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'lock');
  acquire(lock);
  try {
    for (const name of readdirSync(folder)) if (name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

export function writeWhole(folder: string, name: string, bytes: Buffer): void {
  const unfinished = join(folder, `${name}${UNFINISHED}`);
  try {
    const file = openSync(unfinished, 'w');
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, join(folder, name));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** A rename is durable only when the folder is. Some mounted file systems cannot sync a folder; there, it is as durable as it gets. */
export function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(file);
  }
}

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function acquire(lock: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    // Work under the lock never waits, so a lock with our own number is not ours: in a container, whoever was killed had the same number.
    if (owner !== process.pid && isRunning(owner))
      throw new DatasetError(`process ${owner} is publishing a dataset just now; try again when it is done`);
    rmSync(lock, { force: true });
  }
  throw new DatasetError('another process is publishing a dataset just now; try again when it is done');
}

/** 0 when the lock was given back in the meantime. */
function ownerOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
