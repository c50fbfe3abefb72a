/** Files that appear whole or not at all: written under another name, synced, and renamed. */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Suffix of a file while it is written. What a killed process left under such a name is discarded. */
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

/**
 * The same for a file written in pieces: `write` gets it open and empty. If it throws, the file at the path is
 * unchanged.
 */
export async function writeWholeInPieces<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
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

/** Some file systems cannot sync a folder; their renames are as durable as they make them. */
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
