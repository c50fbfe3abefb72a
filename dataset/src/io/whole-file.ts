/** Files that appear whole or not at all (written under another name, synced, and renamed), and the folders for them. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Suffix of a file while it is written. Files that a killed process left under such a name are removed. */
export const UNFINISHED = '.unfinished';

export function writeWhole(path: string, bytes: Buffer): void {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    const file = openSync(unfinished, 'w');
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSynced(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The same in chunks: `write` gets the file open and empty. If it throws, the path is unchanged. */
export async function writeWholeInChunks<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const unfinished = `${path}${UNFINISHED}`;
  try {
    const file = await open(unfinished, 'w');
    let written: T;
    try {
      written = await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    renameSynced(unfinished, path);
    return written;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Gives a synced file its name. A rename is durable only when the folder is synced too. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Removes what a killed writer left behind. The caller holds the folder's lock. */
export function clearUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
}

/** Some file systems cannot sync a folder; there, the durability of a rename depends on the file system. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(file);
  }
}

/** `mkdirSync` with `recursive` never returns in Node 20 where a folder is refused with ENOENT, as in `/proc`. */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !exists(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) make(folder, mode);
  // An existing file at the path itself.
  if (missing.length === 0) make(resolve(path), mode);
}

function make(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process may have created it.
    if (!(error as NodeJS.ErrnoException).code?.startsWith('EEXIST') || !isFolder(folder)) throw error;
  }
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
