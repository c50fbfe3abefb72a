/**
 * Whether storage can be written. A full disk can be read as before, so only an attempt to write shows it. It is made in
 * the background when the state is asked for, at most every few seconds: a disk or a lock that makes a write wait must
 * not make a health check wait.
 */
const INTERVAL_MS = 5_000;

export type WriteEvents = { failed(error: unknown): void; recovered(): void };

export class WriteProbe {
  readonly #probe: () => Promise<void>;
  readonly #events: WriteEvents;
  readonly #nowMs: () => number;
  /** Why the last write failed; undefined if it did not. */
  #reason: string | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is a monotonic clock. */
  constructor(probe: () => Promise<void>, events: WriteEvents, nowMs: () => number = () => performance.now()) {
    this.#probe = probe;
    this.#events = events;
    this.#nowMs = nowMs;
  }

  /** As of the last attempt. Makes another one if that is some time ago. */
  isFailing(): boolean {
    if (this.#nowMs() - this.#triedAtMs >= INTERVAL_MS) {
      this.#triedAtMs = this.#nowMs();
      this.#probe().then(
        () => this.#succeeded(),
        (error) => this.failed(error),
      );
    }
    return this.#reason !== undefined;
  }

  /** Makes the next attempt after a failure when it is due, so that its end is seen although no health check asks. */
  retry(): void {
    if (this.#reason !== undefined) this.isFailing();
  }

  /** Also for writes that were made elsewhere. Reported once per reason, not per write. */
  failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== this.#reason) this.#events.failed(error);
    this.#reason = reason;
  }

  #succeeded(): void {
    if (this.#reason !== undefined) this.#events.recovered();
    this.#reason = undefined;
  }
}
