/**
 * Limits the messages of MCP that make no request of the API, and so do not count for the daily limit: 60 in any minute for
 * each key and process. The times of the last 60 are kept for keys that have sent one within a minute.
 */
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const MAX_KEYS = 10_000;

export class FreeMessages {
  readonly #sentMs = new Map<string, number[]>();
  readonly #nowMs: () => number;

  /** `nowMs` is a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Counts a message. Above the limit it is not counted, and the seconds to wait are returned. */
  take(keyId: string): number | undefined {
    const nowMs = this.#nowMs();
    const sentMs = this.#timesOf(keyId, nowMs);
    while ((sentMs[0] ?? nowMs) <= nowMs - MINUTE_MS) sentMs.shift();
    if (sentMs.length >= PER_MINUTE) return Math.ceil(((sentMs[0] ?? nowMs) + MINUTE_MS - nowMs) / 1000);
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
