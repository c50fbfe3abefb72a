/** `keepVersions` without stopping the event loop: a thread compares versions, which takes seconds. */
import { runInThread } from '../io/run-thread.ts';
import { prune } from '../versions/publish.ts';
import type { Retention } from '../versions/retention.ts';
import { lockHistory } from './record-history.ts';

/** `signal` ends it early; what is missing is recorded the next time. */
export async function keepVersionsInThread(
  dataDir: string,
  retention: Retention,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const module = new URL('./record-history.js', import.meta.url);
  const call = { module, name: 'recordHistory', args: [dataDir, retention, now], stepMs: RECORD_MS };
  try {
    await lockHistory(dataDir, () => runInThread(call, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted) prune(dataDir, retention, now);
}

/** A catch-up over seven versions of 40 MB on a busy machine takes a minute. */
const RECORD_MS = 600_000;
