// Opens the file of a version without stopping the event loop: a thread reads and checks it, and
// hands over its bytes. One process can check a file for others on the same machine. These read it
// if it is still the same file, and compare its checksum between turns of the event loop: starting
// a thread would take longer.

import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';
import { checkAsWritten, Dataset } from '../file/read.ts';
import { inTime } from '../io/files.ts';
import { runInThread, TookTooLong } from '../io/thread.ts';

/** A file on a network disk that does not answer must not keep later versions from being loaded. */
export const READ_TIMEOUT_MS = 60_000;

export const notReadInTime = (path: string, timeoutMs: number) =>
  new DatasetError(`${path}: not read within ${timeoutMs / 1000} s`);

/**
 * Rejects with a DatasetError if the file is damaged, with the error of the file system if it
 * cannot be read.
 */
export async function openInThread(
  { path, sha256, day }: { readonly path: string; readonly sha256?: string; readonly day?: string },
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Dataset> {
  const call = {
    module: new URL('../file/read.js', import.meta.url),
    name: 'readChecked',
    args: [path, sha256, day],
  };
  return new Dataset(await readInThread(call, path, timeoutMs), { isChecked: true, day });
}

/** 50 to 200 ms, in which the server continues to answer. */
async function readInThread(
  call: Parameters<typeof runInThread>[0],
  path: string,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Buffer> {
  try {
    const { buffer, byteOffset, length } = await runInThread<Uint8Array<ArrayBuffer>>(
      call,
      undefined,
      timeoutMs,
    );
    return Buffer.from(buffer, byteOffset, length);
  } catch (error) {
    throw error instanceof TookTooLong ? notReadInTime(path, timeoutMs) : error;
  }
}

/** About half a millisecond. */
const SLICE_BYTES = 1 << 20;

/** `day`: its answers on this day are those in the file. */
export type CheckedFile = {
  readonly path: string;
  readonly fileState: string;
  readonly crc32: number;
  readonly day: string;
};

/**
 * Blocks for 50 to 150 ms. Undefined if the file cannot be used as it is. Rejects if damaged or
 * unreadable.
 */
export async function checkForOthers(path: string, day: string): Promise<CheckedFile | undefined> {
  const { bytes, fileState } = await read(path);
  return checkAsWritten(bytes, day) ? { path, fileState, crc32: crc32(bytes), day } : undefined;
}

/**
 * Undefined if it is no longer the file that was checked. Rejects if it cannot be read, or not in
 * time.
 */
export async function openChecked(
  checked: CheckedFile,
  timeoutMs: number = READ_TIMEOUT_MS,
): Promise<Dataset | undefined> {
  const { bytes, fileState } = await inTime(read(checked.path), timeoutMs, () =>
    notReadInTime(checked.path, timeoutMs),
  );
  if (fileState !== checked.fileState) return undefined;
  let sum = 0;
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    sum = crc32(bytes.subarray(at, at + SLICE_BYTES), sum);
    await nextTurn();
  }
  return sum === checked.crc32
    ? new Dataset(bytes, { isChecked: true, day: checked.day })
    : undefined;
}

async function read(path: string): Promise<{ bytes: Buffer<ArrayBuffer>; fileState: string }> {
  const opened = await open(path);
  try {
    const stats = await opened.stat();
    // In a buffer of its own: typed arrays need an aligned start.
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), fileState: fileStateOf(stats) };
  } finally {
    await opened.close();
  }
}

/** The system sets `ctime` with every change. */
export const fileStateOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(' ');
