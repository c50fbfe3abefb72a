/**
 * The minimum rate of a download. Without one, a server that sends a byte now and then keeps an update busy until the
 * total timeout. Counted over windows of waiting time, so that a slow disk on our side does not count.
 */
export type MinRate = { readonly bytesPerSecond: number; readonly windowMs: number };

export const MIN_RATE: MinRate = { bytesPerSecond: 1000, windowMs: 30_000 };

export class TransferRate {
  readonly #min: MinRate;
  #bytes = 0;
  #waitedMs = 0;

  constructor(min: MinRate) {
    this.#min = min;
  }

  /** Adds bytes and the time they were waited for. True when a window ends with them and was too slow. */
  isTooSlow(bytes: number, waitedMs: number): boolean {
    this.#bytes += bytes;
    this.#waitedMs += waitedMs;
    if (this.#waitedMs < this.#min.windowMs) return false;
    const bytesPerSecond = this.#bytes / (this.#waitedMs / 1000);
    this.#bytes = 0;
    this.#waitedMs = 0;
    return bytesPerSecond < this.#min.bytesPerSecond;
  }
}
