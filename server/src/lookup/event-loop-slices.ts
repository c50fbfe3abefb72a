// Indivisible work of milliseconds, such as a batch: one piece per turn of the loop, shared fairly, so that thirty at
// once delay a lookup by one of them.
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';

export class EventLoopSlices {
  readonly #queue = new CostQueue('turn');

  async run<T>(requester: Requester, work: () => T): Promise<T> {
    const release = await this.#queue.enter(requester);
    if (typeof release === 'string') throw new ApiError('QUEUE_FULL');
    // In a later turn: what has arrived meanwhile is read first.
    setImmediate(release);
    return work();
  }
}
