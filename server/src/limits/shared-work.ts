// Work that several clients ask for at once is done once. Each waits in its own turn, not behind
// another's queue; the deadline of the request that starts it is that of its result. It is ended
// when all clients that ask for it have left.
import type { CostQueue, NoResult, Requester, Slot } from './cost-classes.ts';

type Outcome<T> = { readonly value: T } | { readonly reason: NoResult };

type Job<T> = {
  waiting: number;
  /** Aborts when the work starts: those who wait for a turn need none. */
  readonly started: AbortController;
  /** Aborts when the last client has left. */
  readonly abandoned: AbortController;
  /** Clients that have not left. */
  present: number;
  outcome: Promise<Outcome<T>> | undefined;
};

type SharedSlot = Pick<Slot, 'leftMs' | 'signal'>;

export class SharedWork<T> {
  readonly #queue: CostQueue;
  readonly #jobs = new Map<string, Job<T>>();

  constructor(queue: CostQueue) {
    this.#queue = queue;
  }

  async run<Refusal>(
    subject: string,
    requester: Requester,
    work: (slot: SharedSlot) => Promise<T>,
    refuse: (reason: NoResult) => Refusal,
  ): Promise<T | Refusal> {
    if (requester.signal.aborted) return refuse('late');
    const job = this.#jobs.get(subject) ?? {
      waiting: 0,
      started: new AbortController(),
      abandoned: new AbortController(),
      present: 0,
      outcome: undefined,
    };
    this.#jobs.set(subject, job);
    job.present++;
    const leave = () => {
      if (--job.present > 0) return;
      // The next request starts anew.
      if (this.#jobs.get(subject) === job) this.#jobs.delete(subject);
      job.abandoned.abort(requester.signal.reason);
    };
    requester.signal.addEventListener('abort', leave, { once: true });
    try {
      const outcome = await (job.outcome ?? this.#inTurn(subject, job, requester, work));
      return 'value' in outcome ? outcome.value : refuse(outcome.reason);
    } finally {
      requester.signal.removeEventListener('abort', leave);
    }
  }

  async #inTurn(
    subject: string,
    job: Job<T>,
    requester: Requester,
    work: (slot: SharedSlot) => Promise<T>,
  ): Promise<Outcome<T>> {
    job.waiting++;
    const signal = AbortSignal.any([requester.signal, job.started.signal]);
    const own: Promise<Outcome<T>> = this.#queue.run(
      { ...requester, signal },
      async (slot) => {
        job.waiting--;
        if (job.outcome !== undefined) return job.outcome;
        job.outcome = own;
        job.started.abort();
        // Not that of the slot, which has just been aborted with `started`.
        const overdue = AbortSignal.timeout(Math.max(0, Math.ceil(slot.leftMs())));
        const ended = AbortSignal.any([job.abandoned.signal, overdue]);
        return { value: await work({ leftMs: () => slot.leftMs(), signal: ended }) };
      },
      (reason) => {
        if (reason !== 'overdue') job.waiting--;
        return { reason };
      },
    );
    try {
      const outcome = await own;
      // Refused, perhaps because another request has started the work meanwhile.
      return 'value' in outcome ? outcome : ((await job.outcome) ?? outcome);
    } finally {
      const isOver = job.outcome === own || (job.outcome === undefined && job.waiting === 0);
      if (isOver) this.#jobs.delete(subject);
    }
  }
}
