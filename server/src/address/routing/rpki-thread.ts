/** A thread that reads a file of VRPs, hands over its rows and ends: half a million take a second to parse. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FileLimits, readRegular, UnusableFile } from '@whence/dataset/internal/io/regular-file';
import { parseVrps } from './parse-vrps.ts';
import { encodeVrps } from './vrps.ts';

export type ReadVrps =
  | { readonly rows: Uint32Array<ArrayBuffer>; readonly builtAtMs: number | undefined }
  | { readonly reason: string };

/** To read and parse the file: on a slow machine half a million ROAs take some seconds. */
const THREAD_MS = 120_000;

// Passed by `readVrps`, the only caller.
const { path, limits } = workerData as { path: string; limits: FileLimits };
parentPort?.postMessage(THREAD_MS);
try {
  const { vrps, builtAtMs } = parseVrps((await readRegular(path, limits)).toString('utf8'));
  const rows = encodeVrps(vrps);
  parentPort?.postMessage({ rows, builtAtMs } satisfies ReadVrps, [rows.buffer]);
} catch (error) {
  const { message } = error as Error;
  const reason = error instanceof UnusableFile ? `what it names ${message}` : message;
  parentPort?.postMessage({ reason } satisfies ReadVrps);
}
