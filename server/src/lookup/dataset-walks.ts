/**
 * Walks over many records of the dataset, such as the summary of a /8, which take up to half a second. One runs at a
 * time, and gives way to other requests after every SLICE_MS. Results are kept as long as the dataset is in use.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dataset } from '@whence/dataset/internal/file/read';
import { ApiError } from '../http/errors.ts';
import { FairSlots } from '../limits/fair-slots.ts';

/** Lookups wait for this much longer at most. */
const SLICE_MS = 2;
const LIMITS = { slots: 1, slotsPerKey: 1, waitingPerKey: 16, waiting: 128, waitMs: 10_000 };
/** Per dataset. A summary has at most some 50 kB. */
const MAX_RESULTS = 200;

/** Called between two records: undefined as long as there is time left. */
export type GiveWay = () => Promise<void> | undefined;

export class DatasetWalks {
  readonly #slots = new FairSlots(LIMITS);
  readonly #results = new WeakMap<Dataset, Map<string, Promise<unknown>>>();

  /** The result of `walk`, which `subject` identifies. Requesters with the same fairness key wait for each other. */
  run<T>(dataset: Dataset, subject: string, fairnessKey: string, walk: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    const results = this.#results.get(dataset) ?? new Map<string, Promise<unknown>>();
    this.#results.set(dataset, results);
    // A subject names one kind of walk, so its result has one type.
    const known = results.get(subject) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const result = this.#walk(fairnessKey, walk);
    if (results.size >= MAX_RESULTS) results.delete(results.keys().next().value ?? '');
    results.set(subject, result);
    result.catch(() => results.delete(subject));
    return result;
  }

  async #walk<T>(fairnessKey: string, walk: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    const slots = this.#slots;
    if (slots.isFull(fairnessKey) || !(await slots.acquire(fairnessKey, new AbortController().signal))) {
      throw new ApiError('QUEUE_FULL');
    }
    let sliceEndsMs = performance.now() + SLICE_MS;
    try {
      return await walk(() => {
        if (performance.now() < sliceEndsMs) return undefined;
        return nextTurn().then(() => {
          sliceEndsMs = performance.now() + SLICE_MS;
        });
      });
    } finally {
      slots.release(fairnessKey);
    }
  }
}
