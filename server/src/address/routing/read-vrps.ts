/** Reads a file of VRPs in a thread. */
import { Worker } from 'node:worker_threads';
import type { ReadVrps } from './rpki-thread.ts';

/** Undefined if it was stopped by `signal`. */
export async function readVrps(path: string, signal: AbortSignal): Promise<ReadVrps | undefined> {
  if (signal.aborted) return undefined;
  const worker = new Worker(new URL('./rpki-thread.js', import.meta.url), { workerData: path });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise((resolve) => {
      worker.once('message', resolve);
      // Such as a file that is too large for the memory of the thread.
      worker.once('error', (error) => resolve({ reason: error.message }));
      worker.once('exit', () => resolve(undefined));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
