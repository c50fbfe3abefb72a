/**
 * How long a process may rely on what it knows of keys. Storage is asked for changes of keys; what is known after the
 * answer is vouched for until one window after the question was sent. A process that revokes a key commits,
 * waits one window, and only then reports that it is done: a question sent before the commit is no longer relied on,
 * and one sent after it has seen the change.
 *
 * While storage does not answer, what was known is used for a grace after the last answer, and revocations made elsewhere
 * are not seen. Storage counts as not answering after a second, measured in turns of a timer: a process that was
 * stopped and goes on has seen no turn, and asks before it relies on anything. A process that starts while storage is
 * read-only has a grace from then on.
 *
 * Deadlines are on the monotonic clock, which goes on while a process is stopped and does not follow the wall clock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadOnlyStorage, StorageUnavailable } from '../storage/storage-unavailable.ts';

/** The same in every process. Changing it needs a release in which revocation waits for the longer one. */
export const VOUCHING_WINDOW_MS = 100;

/** Timers may fire a millisecond early. */
const MARGIN_MS = 5;

/** How long a revocation waits between its commit and its answer. */
export const REVOCATION_WAIT_MS = VOUCHING_WINDOW_MS + MARGIN_MS;

/** Under load the next question is sent before the deadline, so that no request waits for it. */
const REFRESH_AFTER_MS = VOUCHING_WINDOW_MS / 2;
/** Part of the window that is kept for answers that take longer than the average. */
const SLACK_MS = 20;

/**
 * Up to this round trip R one question at a time is enough. Above it, one is sent every `VOUCHING_WINDOW_MS - R`,
 * unless R varies, which means load and not distance, or is too long for the window.
 */
const NEAR_MS = VOUCHING_WINDOW_MS - REFRESH_AFTER_MS - SLACK_MS;
const MAX_QUESTIONS = 10;
/** With a longer round trip to storage, requests wait for answers: `R + R / MAX_QUESTIONS` must be within the window. */
export const MAX_ROUND_TRIP_MS = 90;
/** Maximum deviation, as a share of the round trip. */
const MAX_DEVIATION = 0.25;
/** Weight of one answer in the averages. */
const ROUND_TRIP_WEIGHT = 0.2;

const TURN_MS = 50;
/** Turns without an answer after which storage counts as not answering. */
const MAX_UNANSWERED_TURNS = 20;
/** After that, questions that fail at once are repeated only so often. */
const RETRY_TURNS = 5;

/** Asks for changes. What it resolves with applies the answer, and is not called if a later question was answered before. */
export type ReadChanges = () => Promise<() => void>;

export type StorageState = 'ok' | 'degraded' | 'unavailable';

type VouchingOptions = {
  /** How long after the last answer a process goes on without storage; 0 refuses at once. */
  readonly graceMs?: number;
  readonly nowMs?: () => number;
};

export class Vouching {
  readonly #readChanges: ReadChanges;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** When a process that has no answer yet found that storage is read-only. */
  #startedReadOnlyAtMs = Number.NEGATIVE_INFINITY;
  #roundTripMs: number | undefined;
  /** Deviation of single round trips from their average. */
  #deviationMs = 0;
  /** Whether questions are sent before earlier ones are answered. */
  #isFar = false;
  /** Between questions under load. */
  #intervalMs = REFRESH_AFTER_MS;
  readonly #questions: Promise<void>[] = [];
  #lastSentAtMs = Number.NEGATIVE_INFINITY;
  /** Runs from a question until one is answered in time. */
  #timer: NodeJS.Timeout | undefined;
  #turns = 0;
  #turnsWithoutAnswer = 0;
  #turnsSinceQuestion = 0;
  #failure: Error | undefined;
  #lastError: Error = new StorageUnavailable('storage does not answer');

  constructor(readChanges: ReadChanges, { graceMs = 0, nowMs = () => performance.now() }: VouchingOptions = {}) {
    this.#readChanges = readChanges;
    this.#graceMs = graceMs;
    this.#nowMs = nowMs;
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

  /** Whether what is known may be used without asking. Asks ahead of the deadline, in the background. */
  isCurrent(): boolean {
    const nowMs = this.#nowMs();
    const ageMs = nowMs - this.#askedAtMs;
    // A refresh that fails here is repeated, and reported, by the first request that finds the deadline passed. While
    // storage does not answer, the timer asks.
    if (ageMs > this.#intervalMs && this.#failure === undefined && this.#mayAsk(nowMs)) this.#ask().catch(() => {});
    return ageMs < VOUCHING_WINDOW_MS || this.#isInGrace();
  }

  /** Resolves when changes were read after this call, or are still vouched for. One question for all who wait. */
  async refresh(): Promise<void> {
    const calledAtMs = this.#nowMs();
    // An answer that took longer than the window is still good for those who called before its question was sent.
    while (!this.isCurrent() && this.#askedAtMs < calledAtMs) {
      if (this.#failure !== undefined) throw this.#failure;
      const question = this.#questions[0] ?? this.#ask();
      if (this.#graceMs === 0) await question;
      // The timer may find meanwhile that storage does not answer; a question that failed is repeated until then.
      else if ((await Promise.race([question.then(isAnswered, () => false), nextTurn()])) === false) await nextTurn();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #isInGrace(): boolean {
    if (this.#failure === undefined) return false;
    return this.#nowMs() - Math.max(this.#askedAtMs, this.#startedReadOnlyAtMs) < this.#graceMs;
  }

  #mayAsk(nowMs: number): boolean {
    if (this.#questions.length === 0) return true;
    return this.#isFar && this.#questions.length < MAX_QUESTIONS && nowMs - this.#lastSentAtMs >= this.#intervalMs;
  }

  #ask(): Promise<void> {
    const askedAtMs = this.#nowMs();
    const askedInTurn = this.#turns;
    this.#lastSentAtMs = askedAtMs;
    this.#turnsSinceQuestion = 0;
    this.#timer ??= setInterval(() => this.#turn(), TURN_MS).unref();
    const question = this.#readChanges()
      .finally(() => this.#questions.splice(this.#questions.indexOf(question), 1))
      .then(
        (apply) => {
          this.#measure(this.#nowMs() - askedAtMs);
          this.#turnsWithoutAnswer = 0;
          if (askedAtMs >= this.#askedAtMs) {
            apply();
            this.#askedAtMs = askedAtMs;
          }
          if (this.#turns - askedInTurn < MAX_UNANSWERED_TURNS) this.#answersAgain();
        },
        (error: Error) => {
          this.#lastError = error;
          if (canBeRead(error) && !Number.isFinite(this.#askedAtMs) && !Number.isFinite(this.#startedReadOnlyAtMs))
            this.#startedReadOnlyAtMs = askedAtMs;
          throw error;
        },
      );
    this.#questions.push(question);
    return question;
  }

  #measure(ms: number): void {
    const before = this.#roundTripMs ?? ms;
    const roundTripMs = before + (ms - before) * ROUND_TRIP_WEIGHT;
    this.#roundTripMs = roundTripMs;
    this.#deviationMs += (Math.abs(ms - before) - this.#deviationMs) * ROUND_TRIP_WEIGHT;
    const isSteady = this.#deviationMs <= roundTripMs * MAX_DEVIATION;
    this.#isFar = isSteady && roundTripMs > NEAR_MS && roundTripMs <= MAX_ROUND_TRIP_MS;
    const spareMs = VOUCHING_WINDOW_MS - SLACK_MS - roundTripMs;
    this.#intervalMs = this.#isFar ? Math.max(roundTripMs / MAX_QUESTIONS, spareMs) : REFRESH_AFTER_MS;
  }

  #answersAgain(): void {
    this.#failure = undefined;
    if (this.#questions.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#turns++;
    this.#turnsWithoutAnswer++;
    this.#turnsSinceQuestion++;
    if (this.#turnsWithoutAnswer >= MAX_UNANSWERED_TURNS) this.#failure = this.#lastError;
    const isDue = this.#failure === undefined || this.#turnsSinceQuestion >= RETRY_TURNS;
    if (this.#questions.length === 0 && isDue) this.#ask().catch(() => {});
  }
}

/** A standby cannot: it may lag behind a revocation that this deployment has seen. */
export function canBeRead(failure: Error | undefined): boolean {
  return failure instanceof ReadOnlyStorage && !failure.isStandby;
}

const isAnswered = () => true;
const nextTurn = () => sleep(TURN_MS);
