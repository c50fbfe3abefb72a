/**
 * Searches in the names of networks, which clients share fairly: one at a time, in slices of the
 * event loop.
 */
import type { AsnSearchAnswer, AsnSearchPage } from '@whence/dataset/asn-search';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import { inSlices, walkInSlices } from './dataset-walks.ts';
import type { ServedDataset } from './live-dataset.ts';

export class NetworkSearches {
  readonly #queue = new CostQueue('search');

  async find(
    { search }: Pick<ServedDataset, 'search'>,
    query: string,
    page: AsnSearchPage,
    requester: Requester,
  ): Promise<AsnSearchAnswer> {
    return this.#queue.run(
      requester,
      async ({ hold, leftMs }) => {
        const release = hold();
        try {
          return await inSlices(
            (yieldToEventLoop) => walkInSlices(search.steps(query, page), yieldToEventLoop),
            leftMs,
          );
        } finally {
          // In a later turn, because most searches need a single slice.
          setImmediate(release);
        }
      },
      () => {
        throw new ApiError('QUEUE_FULL');
      },
    );
  }
}
