/** Shares running work between callers. It is aborted when its last waiter leaves. */
export class InFlight<T> {
  readonly #running = new Map<string, Work<T>>();

  /** `start` must not reject. It is called only if no work is running under this key. */
  join(key: string, start: (signal: AbortSignal) => Promise<T>): Waiter<T> {
    const running = this.#running.get(key);
    const work = running ?? this.#start(key, start);
    work.waiters++;
    const leave = () => {
      if (--work.waiters > 0) return;
      // Removed at once, so that the next caller does not join aborted work.
      this.#remove(key, work);
      work.controller.abort();
    };
    return { result: work.result, isFirst: running === undefined, leave };
  }

  abortAll(): void {
    for (const work of this.#running.values()) work.controller.abort();
    this.#running.clear();
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const controller = new AbortController();
    const work: Work<T> = { controller, waiters: 0, result: start(controller.signal) };
    this.#running.set(key, work);
    void work.result.then(() => this.#remove(key, work));
    return work;
  }

  #remove(key: string, work: Work<T>): void {
    if (this.#running.get(key) === work) this.#running.delete(key);
  }
}

/** `leave` is for a waiter that gives up before the result; it may be called once. */
export type Waiter<T> = {
  readonly result: Promise<T>;
  readonly isFirst: boolean;
  readonly leave: () => void;
};

type Work<T> = {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  waiters: number;
};
