// Keeps the work on DNS answers from blocking the event loop. A step is the code after
// `await slices.next()` with all promise callbacks that follow from it. After SLICE_MS of steps,
// over all checks of the process, further ones wait until the event loop has served timers and
// sockets.
export class EventLoopSlices {
  readonly #queue: (() => void)[] = [];
  #isRunning = false;
  #sliceEndsAt: number | undefined;

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#run();
    });
  }

  #run(): void {
    if (this.#isRunning || this.#queue.length === 0 || !this.#hasTime()) return;
    this.#isRunning = true;
    this.#queue.shift()?.();
    // A tick that is scheduled in a microtask runs when all microtasks are done, and with them this
    // step.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isRunning = false;
        this.#run();
      }),
    );
  }

  #hasTime(): boolean {
    if (this.#sliceEndsAt === undefined) {
      this.#sliceEndsAt = performance.now() + SLICE_MS;
      setImmediate(() => {
        this.#sliceEndsAt = undefined;
        this.#run();
      });
    }
    return performance.now() < this.#sliceEndsAt;
  }
}

/**
 * The last step of a slice goes beyond its end, by some milliseconds for a message of 64 kB. Both
 * may take 20 ms.
 */
const SLICE_MS = 5;
