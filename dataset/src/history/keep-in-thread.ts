/** `keepVersions` without stopping the event loop: a thread compares versions, which takes seconds. */
import { Worker } from 'node:worker_threads';
import { prune } from '../versions/publish.ts';
import type { Retention } from '../versions/retention.ts';
import { lockHistory } from './record-history.ts';
import type { RecordTask } from './record-worker.ts';

/** A catch-up over seven versions of 40 MB on a busy machine takes a minute. */
const TIMEOUT_MS = 600_000;

/** `signal` ends it early; what is missing is recorded the next time. */
export async function keepVersionsInThread(
  dataDir: string,
  retention: Retention,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await lockHistory(dataDir, () => recordInThread({ dataDir, retention, nowMs: now.getTime() }, signal));
  if (!signal.aborted) prune(dataDir, retention, now);
}

function recordInThread(workerData: RecordTask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./record-worker.js', import.meta.url), { workerData });
    const end = () => void worker.terminate();
    const timer = setTimeout(() => {
      reject(new Error(`the history of the dataset was not recorded within ${TIMEOUT_MS / 1000} s`));
      end();
    }, TIMEOUT_MS);
    signal.addEventListener('abort', end, { once: true });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (code === 0 || signal.aborted) resolve();
      // After an error this changes nothing.
      else reject(new Error(`the thread that records the history ended with code ${code}`));
    });
    if (signal.aborted) end();
  });
}
