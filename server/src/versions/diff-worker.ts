/** Compares two dataset versions in a thread: it takes seconds, too long for the event loop. */
import { parentPort, workerData } from 'node:worker_threads';
import { diffDatasets } from '@whence/dataset/internal/diff/diff';
import { openDataset } from '@whence/dataset/internal/file/read';
import type { DiffTask } from './dataset-diffs.ts';

// Passed by DatasetDiffs, the only caller.
const { fromPath, toPath, limit } = workerData as DiffTask;
const json = new TextEncoder().encode(JSON.stringify(diffDatasets(openDataset(fromPath), openDataset(toPath), limit)));
// As bytes: transferred without a copy, and already serialized for every request that waits.
parentPort?.postMessage(json, [json.buffer]);
