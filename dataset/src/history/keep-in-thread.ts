/** `keepVersions` without stopping the event loop: a thread compares versions, which takes seconds. */
import { runThread } from '../io/run-thread.ts';
import { prune } from '../versions/publish.ts';
import type { Retention } from '../versions/retention.ts';
import { lockHistory } from './record-history.ts';
import type { RecordTask } from './record-worker.ts';

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

async function recordInThread(task: RecordTask, signal: AbortSignal): Promise<void> {
  try {
    await runThread(new URL('./record-worker.js', import.meta.url), task, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
