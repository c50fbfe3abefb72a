/** Reads a file of VRPs in a thread, with limits: the setting may name a pipe, a device, or a file on a disk that hangs. */
import { Worker } from 'node:worker_threads';
import type { FileLimits } from '@whence/dataset/internal/io/regular-file';
import type { ReadVrps } from './rpki-thread.ts';

/** All ROAs are 70 MB of JSON. */
export const MAX_VRP_BYTES = 256_000_000;
/** To read the file, and to read and parse it: on a slow machine half a million ROAs take some seconds. */
const LIMITS: FileLimits = { maxBytes: MAX_VRP_BYTES, timeoutMs: 60_000 };
const THREAD_MS = 120_000;

/** Undefined if it was stopped by `signal`. */
export async function readVrps(path: string, signal: AbortSignal): Promise<ReadVrps | undefined> {
  if (signal.aborted) return undefined;
  const worker = new Worker(new URL('./rpki-thread.js', import.meta.url), { workerData: { path, limits: LIMITS } });
  // Not waited for: a thread that is blocked in a read does not end.
  const stop = () => void worker.terminate();
  let onAbort = () => {};
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve) => {
      onAbort = () => resolve(undefined);
      signal.addEventListener('abort', onAbort);
      timer = setTimeout(() => resolve({ reason: `could not be read within ${THREAD_MS / 1000} s` }), THREAD_MS);
      worker.once('message', resolve);
      // Such as a file that is too large for the memory of the thread.
      worker.once('error', (error) => resolve({ reason: error.message }));
      worker.once('exit', () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    stop();
  }
}
