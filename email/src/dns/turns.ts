/**
 * Keeps the work on DNS answers from blocking the event loop. Each answer is decoded, and used by its check, in a turn
 * of its own: the code after `await turns.take()` and all promise callbacks that follow from it. When the turns since
 * the event loop last went round have taken SLICE_MS, further ones wait until it has served timers and sockets.
 *
 * The time is measured over all checks of a process, because they share the thread: 64 checks that each gave way after
 * a slice of their own would still block it for 64 slices.
 */
export class Turns {
  readonly #queue: (() => void)[] = [];
  #isTaken = false;
  #sliceEndsAt: number | undefined;

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isTaken || this.#queue.length === 0 || !this.#hasTime()) return;
    this.#isTaken = true;
    this.#queue.shift()?.();
    // A tick that is scheduled in a microtask runs when all microtasks are done, and with them this turn.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isTaken = false;
        this.#next();
      }),
    );
  }

  #hasTime(): boolean {
    if (this.#sliceEndsAt === undefined) {
      this.#sliceEndsAt = performance.now() + SLICE_MS;
      setImmediate(() => {
        this.#sliceEndsAt = undefined;
        this.#next();
      });
    }
    return performance.now() < this.#sliceEndsAt;
  }
}

/** The last turn of a slice goes beyond its end, by some milliseconds for a message of 64 kB. Both may take 20 ms. */
const SLICE_MS = 5;
