/** A thread that answers from earlier versions, one task after another. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseAddress } from '@whence/dataset/address';
import {
  type InUse,
  type PastRecord,
  PastVersions,
  type RecordSpan,
  type WantedVersion,
} from '@whence/dataset/versions/past';

export type PastTask = { readonly ip: string; readonly inUse: InUse } & (
  | {
      readonly kind: 'record';
      readonly wanted: WantedVersion;
      readonly explained: boolean;
      readonly nowMs: number;
    }
  | { readonly kind: 'history' }
);

export type PastReply =
  | { readonly kind: 'record'; readonly record: PastRecord }
  | { readonly kind: 'history'; readonly changes: RecordSpan[] }
  /** A file is damaged or cannot be read. */
  | { readonly kind: 'failed'; readonly reason: string };

// Passed by PastLookups, the only caller.
const versions = new PastVersions(workerData as string);

function answer(task: PastTask): PastReply {
  const { ip, inUse } = task;
  const address = parseAddress(ip);
  if (address === undefined) throw new Error(`${ip} is not an address`);
  if (task.kind === 'history')
    return { kind: 'history', changes: versions.history(address, inUse) };
  const { wanted, explained, nowMs } = task;
  return {
    kind: 'record',
    record: versions.record(wanted, address, inUse, { explained, now: new Date(nowMs) }),
  };
}

parentPort?.on('message', (task: PastTask) => {
  let reply: PastReply;
  try {
    reply = answer(task);
  } catch (error) {
    reply = { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
