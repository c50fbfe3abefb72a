/**
 * Detects that storage is not writable: on a full disk only a write shows it. Runs in the
 * background when the state is queried, at most every few seconds, so that a health check waits for
 * no lock or disk.
 */
const INTERVAL_MS = 5_000;

type WriteEvents = { failed(error: unknown): void; recovered(): void };

export class WriteProbe {
  readonly #probe: () => Promise<void>;
  readonly #events: WriteEvents;
  readonly #nowMs: () => number;
  /** Why the last write failed; undefined if it did not. */
  #reason: string | undefined;
  #triedAtMs = Number.NEGATIVE_INFINITY;

  /** `nowMs` is a monotonic clock. */
  constructor(
    probe: () => Promise<void>,
    events: WriteEvents,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#probe = probe;
    this.#events = events;
    this.#nowMs = nowMs;
  }

  /** The result of the last attempt. Starts another one if that is more than INTERVAL_MS ago. */
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

  /**
   * Repeats the attempt after a failure when it is due, so that recovery is noticed without a
   * health check.
   */
  retry(): void {
    if (this.#reason !== undefined) this.isFailing();
  }

  /** Also called for failed writes elsewhere. Reported once per reason, not per write. */
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
