// Work that several clients ask for at once is done once. Each waits in its own turn, not behind another's queue.
import type { CostQueue, NoSlot, Requester } from './cost-classes.ts';

type Job<T> = {
  waiting: number;
  /** Aborts when the work starts: those who wait for a turn need none. */
  readonly started: AbortController;
  result: Promise<T> | undefined;
};

export class SharedWork<T> {
  readonly #queue: CostQueue;
  readonly #jobs = new Map<string, Job<T>>();

  constructor(queue: CostQueue) {
    this.#queue = queue;
  }

  async run<Refusal>(
    subject: string,
    requester: Requester,
    work: () => Promise<T>,
    refuse: (reason: NoSlot) => Refusal,
  ): Promise<T | Refusal> {
    const job = this.#jobs.get(subject) ?? { waiting: 0, started: new AbortController(), result: undefined };
    if (job.result !== undefined) return job.result;
    this.#jobs.set(subject, job);
    job.waiting++;
    const signal = AbortSignal.any([requester.signal, job.started.signal]);
    const release = await this.#queue.enter({ ...requester, signal });
    job.waiting--;
    const hasSlot = typeof release !== 'string';
    if (job.result !== undefined) {
      if (hasSlot) release();
      return job.result;
    }
    if (!hasSlot) {
      if (job.waiting === 0) this.#jobs.delete(subject);
      return refuse(release);
    }
    job.result = work().finally(() => {
      this.#jobs.delete(subject);
      release();
    });
    job.started.abort();
    return job.result;
  }
}
