// Walks over many records, such as a /8, take up to half a second: one at a time, in slices of
// SLICE_MS. Results are kept with the dataset, and sent one per turn, since thirty at once would be
// megabytes.

import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import { SharedWork } from '../limits/shared-work.ts';
import { type EventLoopSlices, letOthersWork } from './event-loop-slices.ts';
import type { Walk } from './prefix-walk.ts';

/** Lookups wait for this much longer at most. */
const SLICE_MS = 2;
/** Per dataset. A summary has at most some 50 kB, and a large network as JSON 200 kB. */
const MAX_RESULTS = 100;

/** Called between two records: undefined as long as there is time left. */
export type YieldToEventLoop = () => Promise<void> | undefined;

export async function walkInSlices<T>(
  walk: Walk<T>,
  yieldToEventLoop: YieldToEventLoop,
): Promise<T> {
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) await yieldToEventLoop();
  return step.value;
}

type DatasetResults = { readonly kept: Map<string, unknown>; readonly shared: SharedWork<unknown> };

export class DatasetWalks {
  readonly #slices: EventLoopSlices;
  readonly #queue = new CostQueue('scan');
  readonly #results = new WeakMap<Dataset, DatasetResults>();

  constructor(slices: EventLoopSlices) {
    this.#slices = slices;
  }

  /** A result that is kept. */
  known<T>(dataset: Dataset, subject: string): T | undefined {
    return this.#results.get(dataset)?.kept.get(subject) as T | undefined;
  }

  /** The result of `walk`, which `subject` identifies. */
  async run<T>(
    dataset: Dataset,
    subject: string,
    requester: Requester,
    walk: (yieldToEventLoop: YieldToEventLoop) => Promise<T>,
  ): Promise<T> {
    const result = await this.#find(dataset, subject, requester, walk);
    return this.#slices.run(requester, () => result);
  }

  async #find<T>(
    dataset: Dataset,
    subject: string,
    requester: Requester,
    walk: (yieldToEventLoop: YieldToEventLoop) => Promise<T>,
  ): Promise<T> {
    const { kept, shared } = this.#resultsOf(dataset);
    // A subject names one kind of walk, so its result has one type.
    if (kept.has(subject)) return kept.get(subject) as T;
    const result = await shared.run(
      subject,
      requester,
      ({ leftMs }) => inSlices(walk, leftMs),
      () => {
        throw new ApiError('QUEUE_FULL');
      },
    );
    if (kept.size >= MAX_RESULTS) kept.delete(kept.keys().next().value ?? '');
    kept.set(subject, result);
    return result as T;
  }

  #resultsOf(dataset: Dataset): DatasetResults {
    return getOrInsert(this.#results, dataset, () => ({
      kept: new Map(),
      shared: new SharedWork(this.#queue),
    }));
  }
}

/** Runs the walk, which calls its argument between two records. */
export function inSlices<T>(
  walk: (yieldToEventLoop: YieldToEventLoop) => Promise<T>,
  leftMs: () => number,
): Promise<T> {
  let sliceEndsMs = performance.now() + SLICE_MS;
  return walk(() => {
    if (performance.now() < sliceEndsMs) return undefined;
    return letOthersWork(SLICE_MS).then(() => {
      if (leftMs() <= 0) throw new Error('the deadline of the request has passed');
      sliceEndsMs = performance.now() + SLICE_MS;
    });
  });
}
