// Files that a setting names, read with limits: a pipe would wait for a writer, /dev/zero has no end.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { formatSize } from './format-size.ts';

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

export async function readRegular(path: string, { maxBytes, timeoutMs }: FileLimits): Promise<Buffer> {
  const tooSlow = () => new UnusableFile(`could not be read within ${timeoutMs / 1000} s`);
  return inTime(readWhole(path, maxBytes), timeoutMs, tooSlow);
}

/** Rejects with the error of `tooSlow` if the work has not ended by then; the work itself goes on. */
export async function inTime<T>(work: Promise<T>, timeoutMs: number, tooSlow: () => Error): Promise<T> {
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

/** Read up to the limit whatever its size is said to be: it may grow, and files of the kernel say 0. */
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
