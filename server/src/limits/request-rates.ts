// Requests per second of keys, as token buckets of one second: in t seconds a process admits at
// most (t + 1) × rate, and n processes n times that. It stops runaway clients; the exact limit is
// that of the day.

/** A bucket that was not used for a second is full, and need not be kept. */
const MAX_BUCKETS = 10_000;
const FULL_AFTER_MS = 1_000;

type Bucket = { tokens: number; filledAtMs: number };

export class RequestRates {
  readonly #buckets = new Map<string, Bucket>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Takes a request from the bucket; false if it is empty. */
  take(keyId: string, perSecond: number): boolean {
    const nowMs = this.#nowMs();
    const bucket = this.#bucketOf(keyId, perSecond, nowMs);
    const earned = ((nowMs - bucket.filledAtMs) / 1000) * perSecond;
    bucket.tokens = Math.min(perSecond, bucket.tokens + earned);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #bucketOf(keyId: string, perSecond: number, nowMs: number): Bucket {
    let bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      if (this.#buckets.size >= MAX_BUCKETS) this.#removeFull(nowMs);
      bucket = { tokens: perSecond, filledAtMs: nowMs };
      this.#buckets.set(keyId, bucket);
    }
    return bucket;
  }

  #removeFull(nowMs: number): void {
    for (const [keyId, { filledAtMs }] of this.#buckets)
      if (nowMs - filledAtMs >= FULL_AFTER_MS) this.#buckets.delete(keyId);
  }
}

const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MAX_KEYS = 10_000;

/**
 * Limits MCP messages that do not count for the daily limit: 60 in any minute for each key and
 * process.
 */
export class FreeMessages {
  readonly #sentMs = new Map<string, number[]>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts a message. Above the limit it is not counted, and the seconds to wait are returned. */
  take(keyId: string): number | undefined {
    const nowMs = this.#nowMs();
    const sentMs = this.#timesOf(keyId, nowMs);
    while ((sentMs[0] ?? nowMs) <= nowMs - MINUTE_MS) sentMs.shift();
    if (sentMs.length >= PER_MINUTE)
      return Math.ceil(((sentMs[0] ?? nowMs) + MINUTE_MS - nowMs) / 1000);
    sentMs.push(nowMs);
    return undefined;
  }

  #timesOf(keyId: string, nowMs: number): number[] {
    let times = this.#sentMs.get(keyId);
    if (times === undefined) {
      if (this.#sentMs.size >= MAX_KEYS) this.#removeOld(nowMs);
      times = [];
      this.#sentMs.set(keyId, times);
    }
    return times;
  }

  #removeOld(nowMs: number): void {
    for (const [keyId, sentMs] of this.#sentMs)
      if ((sentMs.at(-1) ?? 0) <= nowMs - MINUTE_MS) this.#sentMs.delete(keyId);
  }
}
