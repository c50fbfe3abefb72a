/** Files that appear whole or not at all: written under another name, synced, and renamed. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Ends the name of a file while it is written. What a killed process left behind under such a name is worth nothing. */
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

/** Gives a synced file its name. A rename is durable only when the folder is. */
export function renameSynced(from: string, to: string): void {
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
