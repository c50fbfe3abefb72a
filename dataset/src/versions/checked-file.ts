/**
 * A dataset file that another process of this machine has checked. Where several processes serve one file, one of them
 * checks that its sections fit together; the others only read it, which takes a tenth of the time and no thread. They use it
 * if it is still the same file on disk and its bytes have the same checksum, which is computed between turns of the event loop.
 */
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Dataset } from '../file/read.ts';

/** About half a millisecond. */
const SLICE_BYTES = 1 << 20;

/** `day`: its answers are those of this day as they are in the file. */
export type CheckedFile = {
  readonly path: string;
  readonly fileState: string;
  readonly crc32: number;
  readonly day: string;
};

/** Of an open file. The system sets `ctime` with every change. */
export const fileStateOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(' ');

/** Undefined if it is no longer the file that was checked. Rejects if it cannot be read. */
export async function openChecked({
  path,
  fileState,
  crc32: expected,
  day,
}: CheckedFile): Promise<Dataset | undefined> {
  const opened = await open(path);
  try {
    const stats = await opened.stat();
    if (fileStateOf(stats) !== fileState) return undefined;
    // In a buffer of its own: typed arrays need an aligned start.
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, 0);
    let sum = 0;
    for (let at = 0; at < bytesRead; at += SLICE_BYTES) {
      sum = crc32(bytes.subarray(at, at + SLICE_BYTES), sum);
      await nextTurn();
    }
    return sum === expected ? new Dataset(bytes, { isChecked: true, day }) : undefined;
  } finally {
    await opened.close();
  }
}
