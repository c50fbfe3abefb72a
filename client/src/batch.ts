/**
 * Many addresses: as many requests as the tier's limit asks for, one after another, and one answer. A failed request
 * fails the batch; what was answered before it is not handed out.
 */
import { type Answer, isObject } from './envelope.ts';
import { WhenceError } from './whence-error.ts';
import type { BatchAnswer, BatchEntry, BatchMeta } from './wire.ts';

/** Over all requests of the batch. */
export type MergedBatchMeta = { requestIds: string[]; processing_time_ms: number };
/** A Map, since its keys are whatever was submitted: `__proto__` and `constructor` are no different from an address. */
export type MergedBatch = Answer<Map<string, BatchEntry>, MergedBatchMeta>;

export async function lookUpBatch(
  addresses: readonly string[],
  batchSize: number,
  ask: (ips: string[]) => Promise<Answer<BatchAnswer, BatchMeta>>,
): Promise<MergedBatch> {
  // The server collapses duplicates too, but counts them against the limit first.
  const distinct = [...new Set(addresses)];
  const merged: MergedBatch = { data: new Map(), meta: { requestIds: [], processing_time_ms: 0 }, requestId: '' };
  for (let start = 0; start < distinct.length; start += batchSize) {
    const ips = distinct.slice(start, start + batchSize);
    const { data, meta, rateLimit, requestId } = await ask(ips);
    for (const ip of ips) merged.data.set(ip, entryOf(data, ip, requestId));
    merged.meta.requestIds.push(requestId);
    merged.meta.processing_time_ms += meta.processing_time_ms;
    // The last request knows best what is left.
    merged.requestId = requestId;
    if (rateLimit !== undefined) merged.rateLimit = rateLimit;
  }
  return merged;
}

function entryOf(data: BatchAnswer, ip: string, requestId: string): BatchEntry {
  const entry = Object.hasOwn(data, ip) ? data[ip] : undefined;
  if (isObject(entry)) return entry;
  throw new WhenceError('the answer leaves out a submitted address', { status: 200, code: 'BAD_RESPONSE', requestId });
}
