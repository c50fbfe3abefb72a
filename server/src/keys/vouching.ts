/**
 * How long a process may rely on what it knows of keys. Storage is asked for the revision of keys; what is known for
 * that revision is vouched for until one window after the question was sent. A process that revokes a key commits,
 * waits one window, and only then reports that it is done: a question sent before the commit is no longer relied on,
 * and one sent after it has seen the new revision.
 *
 * Deadlines are on the monotonic clock, which goes on while a process is stopped and does not follow the wall clock.
 */

/**
 * Every process of a deployment must use the same. Changing it needs a release in which revocation waits for the longer
 * one.
 */
export const VOUCHING_WINDOW_MS = 100;

/** Timers may fire a millisecond early. */
const MARGIN_MS = 5;

/** How long a revocation waits between its commit and its answer. */
export const REVOCATION_WAIT_MS = VOUCHING_WINDOW_MS + MARGIN_MS;

/** Under load the next question is sent before the deadline, so that no request waits for it. */
const REFRESH_AFTER_MS = VOUCHING_WINDOW_MS / 2;

export class Vouching {
  readonly #readRevision: () => Promise<string>;
  readonly #nowMs: () => number;
  #revision = '';
  /** When the question was sent whose answer is `#revision`. */
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #question: Promise<void> | undefined;

  /** `nowMs` is a monotonic clock. */
  constructor(readRevision: () => Promise<string>, nowMs: () => number = () => performance.now()) {
    this.#readRevision = readRevision;
    this.#nowMs = nowMs;
  }

  /** Of the last answer. */
  get revision(): string {
    return this.#revision;
  }

  /** Whether what is known for `revision` may be used without asking. Asks ahead of the deadline, in the background. */
  isCurrent(): boolean {
    const ageMs = this.#nowMs() - this.#askedAtMs;
    // A refresh that fails here is repeated, and reported, by the first request that finds the deadline passed.
    if (ageMs > REFRESH_AFTER_MS && this.#question === undefined) this.#ask().catch(() => {});
    return ageMs < VOUCHING_WINDOW_MS;
  }

  /** Resolves with a revision that was read after this call, or is still vouched for. One question for all who wait. */
  async refresh(): Promise<string> {
    const calledAtMs = this.#nowMs();
    // An answer that took longer than the window is still good for those who called before its question was sent.
    while (!this.isCurrent() && this.#askedAtMs < calledAtMs) await (this.#question ?? this.#ask());
    return this.#revision;
  }

  #ask(): Promise<void> {
    const askedAtMs = this.#nowMs();
    this.#question = this.#readRevision()
      .then((revision) => {
        this.#revision = revision;
        this.#askedAtMs = askedAtMs;
      })
      .finally(() => {
        this.#question = undefined;
      });
    return this.#question;
  }
}
