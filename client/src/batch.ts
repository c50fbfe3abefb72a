// A batch of any size, in requests of as many addresses as the key may send. If one fails, the
// whole batch fails.
import { type ApiResponse, isObject } from './envelope.ts';
import { WhenceError } from './whence-error.ts';
import type { BatchAnswer, BatchEntry, BatchMeta } from './wire.ts';

/** Totals over all requests of the batch. */
type MergedBatchMeta = { requestIds: string[]; processing_time_ms: number };
/**
 * A Map, because any string can be submitted: `__proto__` and `constructor` are ordinary keys of a
 * Map.
 */
export type MergedBatch = ApiResponse<Map<string, BatchEntry>, MergedBatchMeta>;

type SendBatch = (ips: string[]) => Promise<ApiResponse<BatchAnswer, BatchMeta>>;

export class BatchSender {
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  async lookUp(addresses: readonly string[], send: SendBatch): Promise<MergedBatch> {
    // A text is iterable too, and would be sent as its characters.
    if (!Array.isArray(addresses) || addresses.some((address) => typeof address !== 'string'))
      throw new TypeError(
        "batch() takes an array of addresses, such as ['8.8.8.8']; for one address use ip()",
      );
    // The server also removes duplicates, but only after counting them against the batch limit.
    const distinct = [...new Set(addresses)];
    const merged: MergedBatch = {
      data: new Map(),
      meta: { requestIds: [], processing_time_ms: 0 },
      requestId: '',
    };
    while (merged.data.size < distinct.length) {
      const ips = distinct.slice(merged.data.size, merged.data.size + this.#size);
      const response = await send(ips).catch((error) => this.#learnSize(error, ips.length));
      if (response === undefined) continue;
      const { data, meta, rateLimit, requestId } = response;
      for (const ip of ips) merged.data.set(ip, entryOf(data, ip, requestId));
      merged.meta.requestIds.push(requestId);
      merged.meta.processing_time_ms += meta.processing_time_ms;
      // The last response has the current remaining quota.
      merged.requestId = requestId;
      if (rateLimit !== undefined) merged.rateLimit = rateLimit;
    }
    return merged;
  }

  /**
   * The server refused a request of `sent` addresses: if it says how many the key may send, the
   * next ones are smaller.
   */
  #learnSize(error: unknown, sent: number): undefined {
    const limit =
      error instanceof WhenceError && error.code === 'BATCH_TOO_LARGE'
        ? error.details?.['limit']
        : undefined;
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit >= sent)
      throw error;
    this.#size = Math.min(this.#size, limit);
  }
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
