/** Contents of prefixes, walked when asked for. A short one takes tens of milliseconds and is kept with the dataset. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import { ApiError } from '../http/errors.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { DatasetWalks } from './dataset-walks.ts';
import type { EventLoopSlices } from './event-loop-slices.ts';
import { describePrefix, type PrefixRequest, parsePrefixRequest } from './prefix-content.ts';
import { WalkScratch } from './prefix-walk.ts';

/** Answers that took more runs are kept: 5 ms on a slow core. Some three hundred prefixes are as short as that, 60 kB each. */
const KEPT_RUNS = 12_000;

export function requirePrefix(text: string): PrefixRequest {
  const request = parsePrefixRequest(text);
  if (request === undefined) throw new ApiError('INVALID_PREFIX');
  return request;
}

type DatasetState = { readonly kept: Map<string, string>; scratch?: WalkScratch };

export class PrefixContents {
  readonly #walks: DatasetWalks;
  readonly #slices: EventLoopSlices;
  readonly #states = new WeakMap<Dataset, DatasetState>();

  constructor(walks: DatasetWalks, slices: EventLoopSlices) {
    this.#walks = walks;
    this.#slices = slices;
  }

  async find(dataset: Dataset, request: PrefixRequest, requester: Requester): Promise<string> {
    const state: DatasetState = this.#states.get(dataset) ?? { kept: new Map() };
    this.#states.set(dataset, state);
    const prefix = formatPrefix(fromBigInt(request.range.start, request.range.version), request.length);
    const known = state.kept.get(prefix);
    if (known !== undefined) return this.#slices.run(requester, () => known);
    return this.#walks.run(dataset, prefix, requester, async (yieldToEventLoop) => {
      state.scratch ??= new WalkScratch(dataset);
      const { content, walked } = await describePrefix(dataset, request, state.scratch, yieldToEventLoop);
      const json = JSON.stringify(content);
      if (walked.runs >= KEPT_RUNS) state.kept.set(prefix, json);
      return json;
    });
  }
}
