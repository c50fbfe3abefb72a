/** Contents of prefixes, walked when they are requested. */
import type { Dataset } from '@whence/dataset/dataset';
import { getOrInsert } from '@whence/dataset/get-or-insert';
import { formatPrefix, fromBigInt } from '@whence/dataset/prefix';
import { ApiError } from '../http/errors.ts';
import type { Requester } from '../limits/cost-classes.ts';
import { DatasetWalks, walkInSlices } from './dataset-walks.ts';
import type { EventLoopSlices } from './event-loop-slices.ts';
import { describePrefix, type PrefixRequest, parsePrefixRequest } from './prefix-content.ts';
import { WalkScratch, walkAtOnce } from './prefix-walk.ts';

export function requirePrefix(text: string): PrefixRequest {
  const request = parsePrefixRequest(text);
  if (request === undefined) throw new ApiError('INVALID_PREFIX');
  return request;
}

/** At least as long: at most 256 parts, which take a millisecond. */
const LONG_IPV4 = 24;

export class PrefixContents {
  /** Also of other walks over the dataset: one at a time. */
  readonly walks: DatasetWalks;
  readonly #slices: EventLoopSlices;
  /** For long prefixes, which are walked between two slices of another walk. */
  readonly #scratches = new WeakMap<Dataset, WalkScratch>();

  constructor(slices: EventLoopSlices) {
    this.walks = new DatasetWalks(slices);
    this.#slices = slices;
  }

  async find(dataset: Dataset, request: PrefixRequest, requester: Requester): Promise<string> {
    const { range, length } = request;
    if (range.version === 4 && length >= LONG_IPV4)
      return this.#slices.run(requester, () => {
        const scratch = getOrInsert(this.#scratches, dataset, () => new WalkScratch(dataset));
        return JSON.stringify(walkAtOnce(describePrefix(dataset, request, scratch)));
      });
    const prefix = formatPrefix(fromBigInt(range.start, range.version), length);
    return this.walks.run(dataset, prefix, requester, async (yieldToEventLoop) => {
      const walk = describePrefix(dataset, request, new WalkScratch(dataset));
      return JSON.stringify(await walkInSlices(walk, yieldToEventLoop));
    });
  }
}
