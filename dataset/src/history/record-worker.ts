/** A thread that records the history and ends. `keepVersionsInThread` holds the lock meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Retention } from '../versions/retention.ts';
import { recordHistory } from './record-history.ts';

export type RecordTask = { readonly dataDir: string; readonly retention: Retention; readonly nowMs: number };

// Passed by keepVersionsInThread, the only caller.
const { dataDir, retention, nowMs } = workerData as RecordTask;
// A catch-up over seven versions of 40 MB on a busy machine takes a minute.
parentPort?.postMessage(600_000);
recordHistory(dataDir, retention, new Date(nowMs));
parentPort?.postMessage('recorded');
