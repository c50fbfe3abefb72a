/**
 * How long a process may rely on what it knows of keys. Storage is asked for the revision of keys; what is known for
 * that revision is vouched for until one window after the question was sent. A process that revokes a key commits,
 * waits one window, and only then reports that it is done: a question sent before the commit is no longer relied on,
 * and one sent after it has seen the new revision.
 *
 * While storage does not answer, what was known is used for a grace after the last answer, and revocations made elsewhere
 * are not seen. Storage counts as not answering after a second, measured in turns of a timer: a process that was
 * stopped and goes on has seen no turn, and asks before it relies on anything.
 *
 * Deadlines are on the monotonic clock, which goes on while a process is stopped and does not follow the wall clock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../storage/storage-unavailable.ts';

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

const TURN_MS = 50;
/** Turns without an answer after which storage counts as not answering. */
const MAX_UNANSWERED_TURNS = 20;
/** After that, questions that fail at once are repeated only so often. */
const RETRY_TURNS = 5;

export type StorageState = 'ok' | 'degraded' | 'unavailable';

export type VouchingOptions = {
  /** How long after the last answer a process goes on without storage; 0 refuses at once. */
  readonly graceMs?: number;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
};

export class Vouching {
  readonly #readRevision: () => Promise<string>;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  #revision = '';
  /** When the question was sent whose answer is `#revision`. */
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #question: Promise<void> | undefined;
  /** Runs from a question until one is answered in time. */
  #timer: NodeJS.Timeout | undefined;
  #turnsWithoutAnswer = 0;
  #turnsOfQuestion = 0;
  /** Why storage counts as not answering. */
  #failure: Error | undefined;
  #lastError: Error = new StorageUnavailable('storage does not answer');

  constructor(
    readRevision: () => Promise<string>,
    { graceMs = 0, nowMs = () => performance.now() }: VouchingOptions = {},
  ) {
    this.#readRevision = readRevision;
    this.#graceMs = graceMs;
    this.#nowMs = nowMs;
  }

  /** Of the last answer. */
  get revision(): string {
    return this.#revision;
  }

  /** `degraded`: storage does not answer, and the grace lasts. */
  get state(): StorageState {
    if (this.#failure === undefined) return 'ok';
    return this.#isInGrace(this.#nowMs() - this.#askedAtMs) ? 'degraded' : 'unavailable';
  }

  /** Since the question of the last answer. */
  get ageSeconds(): number {
    return Number.isFinite(this.#askedAtMs) ? (this.#nowMs() - this.#askedAtMs) / 1000 : 0;
  }

  /** Whether what is known for `revision` may be used without asking. Asks ahead of the deadline, in the background. */
  isCurrent(): boolean {
    const ageMs = this.#nowMs() - this.#askedAtMs;
    // A refresh that fails here is repeated, and reported, by the first request that finds the deadline passed. While
    // storage does not answer, the timer asks.
    if (ageMs > REFRESH_AFTER_MS && this.#question === undefined && this.#failure === undefined)
      this.#ask().catch(() => {});
    return ageMs < VOUCHING_WINDOW_MS || this.#isInGrace(ageMs);
  }

  /** Resolves with a revision that was read after this call, or is still vouched for. One question for all who wait. */
  async refresh(): Promise<string> {
    const calledAtMs = this.#nowMs();
    // An answer that took longer than the window is still good for those who called before its question was sent.
    while (!this.isCurrent() && this.#askedAtMs < calledAtMs) {
      if (this.#failure !== undefined) throw this.#failure;
      const question = this.#question ?? this.#ask();
      if (this.#graceMs === 0) await question;
      // The timer may find meanwhile that storage does not answer; a question that failed is repeated until then.
      else if ((await Promise.race([question.then(isAnswered, () => false), aTurn()])) === false) await aTurn();
    }
    return this.#revision;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #isInGrace(ageMs: number): boolean {
    return this.#failure !== undefined && ageMs < this.#graceMs;
  }

  #ask(): Promise<void> {
    const askedAtMs = this.#nowMs();
    this.#turnsOfQuestion = 0;
    this.#timer ??= setInterval(() => this.#turn(), TURN_MS).unref();
    this.#question = this.#readRevision()
      .then(
        (revision) => {
          this.#revision = revision;
          this.#askedAtMs = askedAtMs;
          this.#turnsWithoutAnswer = 0;
          if (this.#turnsOfQuestion < MAX_UNANSWERED_TURNS) this.#answersAgain();
        },
        (error: Error) => {
          this.#lastError = error;
          throw error;
        },
      )
      .finally(() => {
        this.#question = undefined;
      });
    return this.#question;
  }

  #answersAgain(): void {
    this.#failure = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#turnsWithoutAnswer++;
    this.#turnsOfQuestion++;
    if (this.#turnsWithoutAnswer >= MAX_UNANSWERED_TURNS) this.#failure = this.#lastError;
    const isDue = this.#failure === undefined || this.#turnsOfQuestion >= RETRY_TURNS;
    if (this.#question === undefined && isDue) this.#ask().catch(() => {});
  }
}

const isAnswered = () => true;
const aTurn = () => sleep(TURN_MS);
