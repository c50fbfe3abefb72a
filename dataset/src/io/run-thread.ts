/** Work on a file that is not trusted to be small or harmless, in a thread with limits of time and memory. */
import { Worker } from 'node:worker_threads';
import { DatasetError } from '../dataset-error.ts';
import type { ThreadCall, ThreadResult } from './thread-entry.ts';

const START_MS = 20_000;
/** How many times longer a step may take by the clock. */
const MAX_WAIT = 10;
const MAX_HEAP_MB = 2_048;

/** It may be fast enough later. */
export class TookTooLong extends Error {
  override name = 'TookTooLong';
}

const ENTRY = new URL('./thread-entry.js', import.meta.url);

/** What an exported function returns, or its DatasetError or error of the system. */
export async function runInThread<T>(
  { module, ...call }: Omit<ThreadCall, 'module'> & { readonly module: URL },
  signal?: AbortSignal,
  startMs?: number,
): Promise<T> {
  const result = await runThread<ThreadResult<T>>(ENTRY, { ...call, module: module.href }, signal, startMs);
  if ('value' in result) return result.value;
  const { name, message } = result.error;
  throw Object.assign(name === 'DatasetError' ? new DatasetError(message) : new Error(message), result.error);
}

/** The message of the module. A number that it posts before is the processor time that its next step may take. */
export function runThread<T>(module: URL, workerData: unknown, signal?: AbortSignal, startMs = START_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(module, { workerData, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } });
    let timer: NodeJS.Timeout | undefined;
    const end = (error: unknown) => {
      reject(error);
      // Not waited for: a thread that is blocked in a read does not end.
      void worker.terminate();
    };
    const tooLong = (ms: number) => end(new TookTooLong(`could not be read within ${ms / 1000} s`));
    const allow = (ms: number) => {
      const [sinceMs, before] = [performance.now(), process.cpuUsage()];
      const look = () => {
        const { user, system } = process.cpuUsage(before);
        const leftMs = ms - (user + system) / 1000;
        // On a busy machine neither the thread nor the rest of the process has had that much.
        if (leftMs > 1 && performance.now() - sinceMs < ms * MAX_WAIT) timer = setTimeout(look, leftMs);
        else tooLong(ms);
      };
      clearTimeout(timer);
      timer = setTimeout(look, ms);
    };
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    timer = setTimeout(tooLong, startMs, startMs);
    worker.on('message', (message: number | T) => (typeof message === 'number' ? allow(message) : resolve(message)));
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // After a message or an error this changes nothing.
      reject(new Error(`the thread ended with code ${code}`));
    });
  });
}
