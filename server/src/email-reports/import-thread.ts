/** Reads a posted body in a thread: 10 MiB can unpack to 200, which takes seconds. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadItem, readVerified } from './read-input.ts';

export type ImportTask = {
  readonly bytes: Uint8Array;
  readonly dnsServers: readonly string[];
  readonly nowMs: number;
  readonly keepDays: number;
  readonly keyId: string;
};

/** Processor time: about ten times what 200,000 rows take. */
const MAX_MS = 60_000;

parentPort?.postMessage(MAX_MS);
// Passed by ReportImports, the only caller.
const { bytes, dnsServers, ...options } = workerData as ImportTask;
const items: ReadItem[] = [];
for await (const item of readVerified('', Buffer.from(bytes), dnsServers, options)) items.push(item);
parentPort?.postMessage(items);
