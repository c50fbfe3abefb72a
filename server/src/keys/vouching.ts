/**
 * How long a process may rely on what it knows of keys. It queries storage for changes of keys; its
 * knowledge after the answer is vouched for until one window after the query was sent. A process
 * that revokes a key commits, waits one window, and only then reports that it is done: a query sent
 * before the commit is no longer relied on, and one sent after it has seen the change.
 *
 * While storage does not answer, what was known is used for a grace after the last answer, and
 * revocations made elsewhere are not seen. Storage counts as not answering after a second, measured
 * in turns of a timer: a process that was stopped and goes on has seen no turn, and asks before it
 * relies on anything. A process that starts while storage is read-only has a grace from then on.
 *
 * Deadlines are on the monotonic clock, which goes on while a process is stopped and does not
 * follow the wall clock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyStorage, StorageUnavailable } from '../storage/storage-unavailable.ts';

/**
 * The same in every process. Changing it needs a release in which revocation waits for the longer
 * one.
 */
export const VOUCHING_WINDOW_MS = 100;

/** Timers may fire a millisecond early. */
const MARGIN_MS = 5;

/** How long a revocation waits between its commit and its answer. */
export const REVOCATION_WAIT_MS = VOUCHING_WINDOW_MS + MARGIN_MS;

/** Under load the next question is sent before the deadline, so that no request waits for it. */
const REFRESH_AFTER_MS = VOUCHING_WINDOW_MS / 2;
/**
 * With a longer round trip to storage, requests wait for answers: one question at a time is sent
 * half a window after the one before, and its answer must arrive within the other half.
 */
export const MAX_ROUND_TRIP_MS = VOUCHING_WINDOW_MS - REFRESH_AFTER_MS - MARGIN_MS;
/** Weight of one answer in the average. */
const ROUND_TRIP_WEIGHT = 0.2;

const TURN_MS = 50;
/** Turns without an answer after which storage counts as not answering. */
const MAX_UNANSWERED_TURNS = 20;
/** After that, questions that fail at once are repeated only so often. */
const RETRY_TURNS = 5;

/** Reads changes, and has applied them when it resolves. */
type ReadChanges = () => Promise<void>;

export type StorageState = 'ok' | 'degraded' | 'unavailable';

type VouchingOptions = {
  /** How long after the last answer a process goes on without storage; 0 refuses at once. */
  readonly graceMs?: number;
  readonly nowMs?: () => number;
  /** Storage has stopped answering. */
  readonly onOutage?: () => void;
};

export class Vouching {
  readonly #readChanges: ReadChanges;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  readonly #onOutage: () => void;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** When a process that has no answer yet found that storage is read-only. */
  #startedReadOnlyAtMs = Number.NEGATIVE_INFINITY;
  #roundTripMs: number | undefined;
  #question: Promise<void> | undefined;
  /** Runs from a question until one is answered in time. */
  #timer: NodeJS.Timeout | undefined;
  #turns = 0;
  #turnsWithoutAnswer = 0;
  #turnsSinceQuestion = 0;
  #failure: Error | undefined;
  #lastError: Error = new StorageUnavailable('storage does not answer');

  constructor(
    readChanges: ReadChanges,
    { graceMs = 0, nowMs = () => performance.now(), onOutage = () => {} }: VouchingOptions = {},
  ) {
    this.#readChanges = readChanges;
    this.#graceMs = graceMs;
    this.#nowMs = nowMs;
    this.#onOutage = onOutage;
  }

  /** `degraded`: storage does not answer, and the grace lasts. */
  get state(): StorageState {
    if (this.#failure === undefined) return 'ok';
    return this.#isInGrace() ? 'degraded' : 'unavailable';
  }

  /** Why storage counts as not answering; undefined while it answers. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** From a question to its answer, averaged over the last few; undefined before the first. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Since the question of the last answer. */
  get ageSeconds(): number {
    return Number.isFinite(this.#askedAtMs) ? (this.#nowMs() - this.#askedAtMs) / 1000 : 0;
  }

  /**
   * Whether what is known may be used without asking. Asks ahead of the deadline, in the
   * background.
   */
  isCurrent(): boolean {
    const nowMs = this.#nowMs();
    const ageMs = nowMs - this.#askedAtMs;
    // A refresh that fails here is repeated, and reported, by the first request that finds the
    // deadline passed. While storage does not answer, the timer retries.
    if (ageMs > REFRESH_AFTER_MS && this.#failure === undefined && this.#question === undefined)
      this.#ask().catch(() => {});
    return ageMs < VOUCHING_WINDOW_MS || this.#isInGrace();
  }

  /**
   * Resolves when changes were read after this call, or are still vouched for. One question for all
   * who wait.
   */
  async refresh(): Promise<void> {
    const calledAtMs = this.#nowMs();
    // An answer that took longer than the window is still good for those who called before its
    // question was sent.
    while (!this.isCurrent() && this.#askedAtMs < calledAtMs) {
      if (this.#failure !== undefined) throw this.#failure;
      const question = this.#question ?? this.#ask();
      if (this.#graceMs === 0) await question;
      // The timer may find meanwhile that storage does not answer; a question that failed is
      // repeated until then.
      else if ((await Promise.race([question.then(isAnswered, () => false), nextTurn()])) === false)
        await nextTurn();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #isInGrace(): boolean {
    if (this.#failure === undefined) return false;
    return this.#nowMs() - Math.max(this.#askedAtMs, this.#startedReadOnlyAtMs) < this.#graceMs;
  }

  #ask(): Promise<void> {
    const askedAtMs = this.#nowMs();
    const askedInTurn = this.#turns;
    this.#turnsSinceQuestion = 0;
    this.#timer ??= setInterval(() => this.#turn(), TURN_MS).unref();
    const question = this.#readChanges()
      .finally(() => {
        this.#question = undefined;
      })
      .then(
        () => {
          this.#measure(this.#nowMs() - askedAtMs);
          this.#turnsWithoutAnswer = 0;
          this.#askedAtMs = askedAtMs;
          if (this.#turns - askedInTurn < MAX_UNANSWERED_TURNS) this.#answersAgain();
        },
        (error: Error) => {
          this.#lastError = error;
          if (
            canBeRead(error) &&
            !Number.isFinite(this.#askedAtMs) &&
            !Number.isFinite(this.#startedReadOnlyAtMs)
          )
            this.#startedReadOnlyAtMs = askedAtMs;
          throw error;
        },
      );
    this.#question = question;
    return question;
  }

  #measure(ms: number): void {
    const before = this.#roundTripMs ?? ms;
    this.#roundTripMs = before + (ms - before) * ROUND_TRIP_WEIGHT;
  }

  #answersAgain(): void {
    this.#failure = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#turns++;
    this.#turnsWithoutAnswer++;
    this.#turnsSinceQuestion++;
    if (this.#turnsWithoutAnswer >= MAX_UNANSWERED_TURNS) {
      if (this.#failure === undefined) this.#onOutage();
      this.#failure = this.#lastError;
    }
    const isDue = this.#failure === undefined || this.#turnsSinceQuestion >= RETRY_TURNS;
    if (this.#question === undefined && isDue) this.#ask().catch(() => {});
  }
}

/** A standby cannot: it may lag behind a revocation that this deployment has seen. */
export function canBeRead(failure: Error | undefined): boolean {
  return failure instanceof ReadOnlyStorage && !failure.isStandby;
}

const isAnswered = () => true;
const nextTurn = () => sleep(TURN_MS);
