/**
 * A folder with one writer at a time. The lock is a file that names its process, so that one left behind by a killed process is recognised and
 * taken over.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetError } from './format.ts';

/** Works under the lock of the folder, until a promise it gives is settled. `doing` completes "process 42 is … just now". */
export function withLock<T>(folder: string, doing: string, work: () => T): T {
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'lock');
  acquire(lock, doing);
  const release = () => {
    held.delete(lock);
    rmSync(lock, { force: true });
  };
  let result: T;
  try {
    result = work();
  } catch (error) {
    release();
    throw error;
  }
  if (result instanceof Promise) return result.finally(release) as T;
  release();
  return result;
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

/**
 * The locks of this process. A lock file with our own number that is not among them is not ours: in a container, whoever was killed had
 * the same number.
 */
const held = new Set<string>();

function acquire(lock: string, doing: string): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      held.add(lock);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner === process.pid ? held.has(lock) : isRunning(owner))
      throw new DatasetError(`process ${owner} is ${doing} just now; try again when it is done`);
    rmSync(lock, { force: true });
  }
  throw new DatasetError(`another process is ${doing} just now; try again when it is done`);
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
