// Indivisible work of milliseconds, such as a batch: one piece at a time, shared fairly, and at
// most half of the time while there is other work. With a piece per turn of the loop, a hundred new
// connections waited for a hundred batches, because each turn accepts one connection.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';

/** A turn of the loop without any work takes less. */
const IDLE_TURN_MS = 0.1;

export class EventLoopSlices {
  readonly #queue = new CostQueue('turn');

  async run<T>(requester: Requester, work: () => T): Promise<T> {
    return this.#queue.run(
      requester,
      async ({ hold }) => {
        const release = hold();
        const beganMs = processorMs();
        try {
          return work();
        } finally {
          void letOthersWork(processorMs() - beganMs).then(release);
        }
      },
      () => {
        throw new ApiError('QUEUE_FULL');
      },
    );
  }
}

/** Resolves once everything else has had as much time, or had nothing to do for a turn. */
export async function letOthersWork(tookMs: number): Promise<void> {
  const endsMs = processorMs() + tookMs;
  await nextTurn();
  for (let beganMs = performance.now(); processorMs() < endsMs; ) {
    await nextTurn();
    const nowMs = performance.now();
    if (nowMs - beganMs < IDLE_TURN_MS) return;
    beganMs = nowMs;
  }
}

// All threads of the process, because Node 20 does not tell that of one. On a busy machine, time
// without a processor does not count as work.
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
