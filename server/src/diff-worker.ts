/** A thread that compares two versions of the dataset and ends: opening them and walking over them takes seconds, which the event loop does not have. */
import { parentPort, workerData } from 'node:worker_threads';
import { diffDatasets } from '@whence/dataset/diff';
import { openDataset } from '@whence/dataset/read';
import type { DiffTask } from './dataset-diffs.ts';

// Handed over by DatasetDiffs and nobody else.
const { fromPath, toPath, limit } = workerData as DiffTask;
const json = new TextEncoder().encode(JSON.stringify(diffDatasets(openDataset(fromPath), openDataset(toPath), limit)));
// As bytes, so that a megabyte of text changes hands without being copied, and is not put into JSON by those who wait for it.
parentPort?.postMessage(json, [json.buffer]);
