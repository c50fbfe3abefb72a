/**
 * A batch of any size: split into requests of at most `batchSize` addresses, sent one after another, merged into one
 * result. If a request fails, the whole batch fails; results of earlier requests are discarded.
 */
import { type ApiResponse, isObject } from './envelope.ts';
import { WhenceError } from './whence-error.ts';
import type { BatchAnswer, BatchEntry, BatchMeta } from './wire.ts';

/** Totals over all requests of the batch. */
type MergedBatchMeta = { requestIds: string[]; processing_time_ms: number };
/** A Map, because any string can be submitted: `__proto__` and `constructor` are ordinary keys of a Map. */
export type MergedBatch = ApiResponse<Map<string, BatchEntry>, MergedBatchMeta>;

export async function lookUpBatch(
  addresses: readonly string[],
  batchSize: number,
  send: (ips: string[]) => Promise<ApiResponse<BatchAnswer, BatchMeta>>,
): Promise<MergedBatch> {
  // A text is iterable too, and would be sent as its characters.
  if (!Array.isArray(addresses) || addresses.some((address) => typeof address !== 'string'))
    throw new TypeError("batch() takes an array of addresses, such as ['8.8.8.8']; for one address use ip()");
  // The server also removes duplicates, but only after counting them against the batch limit.
  const distinct = [...new Set(addresses)];
  const merged: MergedBatch = { data: new Map(), meta: { requestIds: [], processing_time_ms: 0 }, requestId: '' };
  for (let start = 0; start < distinct.length; start += batchSize) {
    const ips = distinct.slice(start, start + batchSize);
    const { data, meta, rateLimit, requestId } = await send(ips);
    for (const ip of ips) merged.data.set(ip, entryOf(data, ip, requestId));
    merged.meta.requestIds.push(requestId);
    merged.meta.processing_time_ms += meta.processing_time_ms;
    // The last response has the current remaining quota.
    merged.requestId = requestId;
    if (rateLimit !== undefined) merged.rateLimit = rateLimit;
  }
  return merged;
}

function entryOf(data: BatchAnswer, ip: string, requestId: string): BatchEntry {
  const entry = Object.hasOwn(data, ip) ? data[ip] : undefined;
  if (isObject(entry)) return entry;
  throw new WhenceError('the response has no entry for a submitted address', {
    status: 200,
    code: 'BAD_RESPONSE',
    requestId,
  });
}
