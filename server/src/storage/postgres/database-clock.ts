/**
 * The clock of the database, read now and then and carried on with the monotonic clock of this machine: which day a
 * request counts for must not depend on the wall clock of a replica, which may be wrong or be set.
 */
const INTERVAL_MS = 10_000;

export class DatabaseClock {
  readonly #read: () => Promise<number>;
  readonly #monotonicMs: () => number;
  /** What to add to the monotonic clock. */
  #offsetMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `read` asks the database; `monotonicMs` is a monotonic clock. */
  constructor(read: () => Promise<number>, monotonicMs: () => number = () => performance.now()) {
    this.#read = read;
    this.#monotonicMs = monotonicMs;
  }

  /** Resolves when the clock is known. Later readings that fail leave it as it was. */
  async start(): Promise<void> {
    await this.#synchronize();
    this.#timer = setInterval(() => void this.#synchronize().catch(() => {}), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  nowMs(): number {
    return Math.floor(this.#monotonicMs() + this.#offsetMs);
  }

  async #synchronize(): Promise<void> {
    const askedMs = this.#monotonicMs();
    const databaseMs = await this.#read();
    // Somewhere between question and answer.
    this.#offsetMs = databaseMs - (askedMs + this.#monotonicMs()) / 2;
  }
}
