/** Contents of prefixes, walked when asked for. A short one takes tens of milliseconds and is kept with the dataset. */

import type { Dataset } from '@whence/dataset/internal/file/read';
import { getOrInsert } from '@whence/dataset/internal/get-or-insert';
import { formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import { ApiError } from '../http/errors.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { DatasetWalks, walkInSlices } from './dataset-walks.ts';
import type { EventLoopSlices } from './event-loop-slices.ts';
import { describePrefix, type PrefixRequest, parsePrefixRequest } from './prefix-content.ts';
import { WalkScratch, walkAtOnce } from './prefix-walk.ts';

/** Answers that took more runs are kept: 5 ms on a slow core. Some three hundred prefixes are as short as that, 60 kB each. */
const KEPT_RUNS = 12_000;

export function requirePrefix(text: string): PrefixRequest {
  const request = parsePrefixRequest(text);
  if (request === undefined) throw new ApiError('INVALID_PREFIX');
  return request;
}

/** At least as long: at most 256 parts, which take a millisecond. */
const LONG_IPV4 = 24;

/** A walk at once may come between two slices of another, so it has its own scratch. */
type DatasetState = { readonly kept: Map<string, string>; scratch?: WalkScratch; scratchAtOnce?: WalkScratch };

export class PrefixContents {
  /** Also of other walks over the dataset: one at a time. */
  readonly walks: DatasetWalks;
  readonly #slices: EventLoopSlices;
  readonly #states = new WeakMap<Dataset, DatasetState>();

  constructor(slices: EventLoopSlices) {
    this.walks = new DatasetWalks(slices);
    this.#slices = slices;
  }

  async find(dataset: Dataset, request: PrefixRequest, requester: Requester): Promise<string> {
    const found = this.findAtOnce(dataset, request);
    if (found !== undefined) return this.#slices.run(requester, found);
    return this.walks.run(dataset, prefixOf(request), requester, async (yieldToEventLoop) => {
      const state = this.#stateOf(dataset);
      state.scratch ??= new WalkScratch(dataset);
      const { content, walked } = await walkInSlices(describePrefix(dataset, request, state.scratch), yieldToEventLoop);
      const json = JSON.stringify(content);
      if (walked.runs >= KEPT_RUNS) state.kept.set(content.prefix, json);
      return json;
    });
  }

  /** What finds an answer that is kept, or that of a long prefix; undefined for others. */
  findAtOnce(dataset: Dataset, request: PrefixRequest): (() => string) | undefined {
    const state = this.#stateOf(dataset);
    const prefix = prefixOf(request);
    const known = state.kept.get(prefix) ?? this.walks.known<string>(dataset, prefix);
    if (known !== undefined) return () => known;
    if (request.range.version === 6 || request.length < LONG_IPV4) return undefined;
    return () => {
      state.scratchAtOnce ??= new WalkScratch(dataset);
      return JSON.stringify(walkAtOnce(describePrefix(dataset, request, state.scratchAtOnce)).content);
    };
  }

  #stateOf(dataset: Dataset): DatasetState {
    return getOrInsert(this.#states, dataset, () => ({ kept: new Map() }));
  }
}

const prefixOf = ({ range, length }: PrefixRequest) => formatPrefix(fromBigInt(range.start, range.version), length);
