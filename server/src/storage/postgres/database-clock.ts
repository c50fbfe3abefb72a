/**
 * The clock of the database, read at intervals and continued with the monotonic clock of this machine. The day that a
 * request counts for must not depend on the wall clock of a replica, which may be wrong or be changed.
 */
import { StorageUnavailable } from '../storage-unavailable.ts';

const INTERVAL_MS = 10_000;
/** While the clock was never read. */
const RETRY_MS = 250;

export class DatabaseClock {
  readonly #read: () => Promise<number>;
  readonly #monotonicMs: () => number;
  /** Added to the monotonic clock; undefined until the first reading. */
  #offsetMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** `read` queries the database; `monotonicMs` is a monotonic clock. */
  constructor(read: () => Promise<number>, monotonicMs: () => number = () => performance.now()) {
    this.#read = read;
    this.#monotonicMs = monotonicMs;
  }

  /** Resolves when the clock is known, or, where it may fail, has been asked. Later failed readings do not change it. */
  async start({ mayFail = false } = {}): Promise<void> {
    await this.#synchronize().catch((error) => {
      if (!mayFail) throw error;
    });
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Undefined until it has been read once. */
  nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : Math.floor(this.#monotonicMs() + this.#offsetMs);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(
      () => {
        this.#synchronize()
          .catch(() => {})
          .finally(() => this.#schedule());
      },
      this.#offsetMs === undefined ? RETRY_MS : INTERVAL_MS,
    ).unref();
  }

  async #synchronize(): Promise<void> {
    const sentMs = this.#monotonicMs();
    const databaseMs = await this.#read();
    if (!Number.isFinite(databaseMs)) throw new StorageUnavailable('the database did not answer with its time');
    // The database read its clock between request and response; the middle halves the possible error.
    this.#offsetMs = databaseMs - (sentMs + this.#monotonicMs()) / 2;
  }
}
