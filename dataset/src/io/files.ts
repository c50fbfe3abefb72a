/**
 * Files that other processes read and replace: written so that they appear whole or not at all
 * (under another name, synced, and renamed), read with limits where a setting names them (a pipe
 * would wait for a writer, /dev/zero has no end), and compared without reading them.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { formatSize } from './format-size.ts';

/**
 * Suffix of a file while it is written. Files that a killed process left under such a name are
 * removed.
 */
export const UNFINISHED = '.unfinished';

export function writeAtomically(path: string, bytes: Buffer): void {
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
 * The same in chunks: `write` gets the file open and empty. If it throws, the path is unchanged.
 */
export async function writeChunksAtomically<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
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
  for (const name of readdirSync(folder))
    if (name.endsWith(UNFINISHED)) rmSync(join(folder, name), { force: true });
}

/**
 * Some file systems cannot sync a folder; there, the durability of a rename depends on the file
 * system.
 */
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

/**
 * `mkdirSync` with `recursive` never returns in Node 20 where a folder is refused with ENOENT, as
 * in `/proc`.
 */
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
    if (!(error as NodeJS.ErrnoException).code?.startsWith('EEXIST') || !isFolder(folder))
      throw error;
  }
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Thrown with a message that completes "FILE …"; errors of the system are thrown as they are. */
export class UnusableFile extends Error {
  override name = 'UnusableFile';
}

export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (stats.isFile()) return file;
  await file.close();
  throw notRegular(stats);
}

export function notRegular(stats: Stats): UnusableFile {
  return new UnusableFile(stats.isDirectory() ? 'is a folder' : 'is not a file');
}

export type FileLimits = { readonly maxBytes: number; readonly timeoutMs: number };

export async function readRegular(
  path: string,
  { maxBytes, timeoutMs }: FileLimits,
): Promise<Buffer> {
  const tooSlow = () => new UnusableFile(`could not be read within ${timeoutMs / 1000} s`);
  return inTime(readWhole(path, maxBytes), timeoutMs, tooSlow);
}

/**
 * Rejects with the error of `tooSlow` if the work has not ended by then; the work itself goes on.
 */
export async function inTime<T>(
  work: Promise<T>,
  timeoutMs: number,
  tooSlow: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Read up to the limit, whatever `stat` reports: a file may grow, and kernel files report 0.
 */
async function readWhole(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UnusableFile(`is larger than ${formatSize(maxBytes)}`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

/**
 * Modification time, size and inode, which differs if a file was replaced within a tick of the
 * clock.
 */
export function fingerprintOf({
  mtimeMs,
  size,
  ino,
}: Pick<Stats, 'mtimeMs' | 'size' | 'ino'>): string {
  return `${mtimeMs} ${size} ${ino}`;
}

/** Empty if there is no such file. */
export function fileFingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : fingerprintOf(stat);
}
