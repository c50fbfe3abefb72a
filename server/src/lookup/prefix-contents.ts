/**
 * The contents of prefixes for requests. A long prefix is walked when it is asked for. A short one takes tens of
 * milliseconds, so its answer is kept for as long as the dataset is in use; the first request for any prefix has the
 * shortest ones prepared in the background, so that a server that is never asked for prefixes does no work for them.
 */

import type { Dataset } from '@whence/dataset/internal/file/read';
import { formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import { ApiError } from '../http/errors.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { DatasetWalks } from './dataset-walks.ts';
import type { EventLoopSlices } from './event-loop-slices.ts';
import { describePrefix, type PrefixRequest, parsePrefixRequest } from './prefix-content.ts';
import { WalkScratch } from './prefix-walk.ts';

/** Answers that took more runs are kept: 5 ms on a slow core. Some three hundred prefixes are as short as that, 60 kB each. */
const KEPT_RUNS = 12_000;
/** Prepared with all prefixes inside them that have as many runs. */
const PREPARED = ['0.0.0.0/0', '::/0'];
const PREPARER: Requester = { fairnessKey: 'preparation', signal: new AbortController().signal };

export function requirePrefix(text: string): PrefixRequest {
  const request = parsePrefixRequest(text);
  if (request === undefined) throw new ApiError('INVALID_PREFIX');
  return request;
}

export class PrefixContents {
  /** Apart, so that requests do not wait for a prefix that is prepared. */
  readonly #walks: { readonly requests: DatasetWalks; readonly preparation: DatasetWalks };
  readonly #slices: EventLoopSlices;
  readonly #states = new WeakMap<Dataset, DatasetState>();

  constructor(requests: DatasetWalks, slices: EventLoopSlices) {
    this.#walks = { requests, preparation: new DatasetWalks(slices) };
    this.#slices = slices;
  }

  /** The content as JSON. */
  async find(dataset: Dataset, request: PrefixRequest, requester: Requester): Promise<string> {
    const state = this.#stateOf(dataset);
    const { json } = await this.#describe(dataset, request, requester, 'requests');
    if (!state.isPrepared) {
      state.isPrepared = true;
      void this.#prepare(dataset);
    }
    return json;
  }

  async #describe(
    dataset: Dataset,
    request: PrefixRequest,
    requester: Requester,
    use: 'requests' | 'preparation',
  ): Promise<Described> {
    const { kept, scratch } = this.#stateOf(dataset);
    const prefix = formatPrefix(fromBigInt(request.range.start, request.range.version), request.length);
    const known = kept.get(prefix);
    if (known !== undefined) return this.#slices.run(requester, () => known);
    const described = await this.#walks[use].run(
      dataset,
      prefix,
      requester,
      async (yieldToEventLoop): Promise<Described> => {
        scratch[use] ??= new WalkScratch(dataset);
        const { content, walked } = await describePrefix(dataset, request, scratch[use], yieldToEventLoop);
        return { json: JSON.stringify(content), runs: walked.runs };
      },
    );
    if (described.runs >= KEPT_RUNS) kept.set(prefix, described);
    return described;
  }

  async #prepare(dataset: Dataset): Promise<void> {
    const waiting = PREPARED.map(requirePrefix);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      // A walk fails only if too many wait, and the preparation is alone in its queue.
      const walked = await this.#describe(dataset, next, PREPARER, 'preparation').catch(() => undefined);
      if (walked !== undefined && walked.runs >= KEPT_RUNS) waiting.push(...halvesOf(next));
    }
  }

  #stateOf(dataset: Dataset): DatasetState {
    const known = this.#states.get(dataset);
    if (known !== undefined) return known;
    const state: DatasetState = { kept: new Map(), scratch: {}, isPrepared: false };
    this.#states.set(dataset, state);
    return state;
  }
}

type Described = { readonly json: string; readonly runs: number };

type DatasetState = {
  readonly kept: Map<string, Described>;
  readonly scratch: { requests?: WalkScratch; preparation?: WalkScratch };
  isPrepared: boolean;
};

function halvesOf({ range: { version, start, end }, length }: PrefixRequest): PrefixRequest[] {
  const middle = start + (end - start + 1n) / 2n;
  return [
    { range: { version, start, end: middle - 1n }, length: length + 1 },
    { range: { version, start: middle, end }, length: length + 1 },
  ];
}
