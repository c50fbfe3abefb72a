import { formatRate } from '../format-size.ts';

export type TransferLimits = {
  /** For the connection, for the answer, and between two chunks of the body. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly minRate?: MinRate;
};

export class TransferTimeouts {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  readonly #minRate: MinRate;
  readonly #total: NodeJS.Timeout;
  readonly #stop: AbortSignal | undefined;
  #idle: NodeJS.Timeout | undefined;
  #waitingSince = 0;
  #rate: TransferRate;

  /** `stop` aborts the transfer when the program ends. */
  constructor(
    { idleTimeoutMs, totalTimeoutMs, minRate = MIN_RATE }: TransferLimits,
    stop?: AbortSignal,
  ) {
    this.#idleMs = idleTimeoutMs;
    this.#minRate = minRate;
    this.#rate = new TransferRate(minRate);
    this.#total = setTimeout(
      () => this.#abort(`not finished within ${formatTime(totalTimeoutMs)}`),
      totalTimeoutMs,
    );
    this.#stop = stop;
    stop?.addEventListener('abort', this.#stopped);
    if (stop?.aborted) this.#stopped();
  }

  /** Aborted with a TransferTimeout as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Rejects with the TransferTimeout. Socket events are not enough: an upgraded connection has
   * none.
   */
  within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }

  /** Starts the idle timeout. `missing` begins the message if it expires: "no answer". */
  wait(missing: string): void {
    this.pause();
    this.#waitingSince = performance.now();
    this.#idle = setTimeout(
      () => this.#abort(`${missing} within ${formatTime(this.#idleMs)}`),
      this.#idleMs,
    );
  }

  /** Stops the idle timeout while we are not waiting for the peer. */
  pause(): void {
    clearTimeout(this.#idle);
  }

  /** The rate is measured for each body separately. */
  startBody(): void {
    this.#rate = new TransferRate(this.#minRate);
  }

  /** More of the body arrived. Throws a TransferTimeout when it is too slow. */
  received(bytes: number): void {
    this.pause();
    if (!this.#rate.isTooSlow(bytes, performance.now() - this.#waitingSince)) return;
    const { bytesPerSecond, windowMs } = this.#minRate;
    throw new TransferTimeout(
      `slower than ${formatRate(bytesPerSecond)} for ${formatTime(windowMs)}`,
    );
  }

  end(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#total);
    this.#stop?.removeEventListener('abort', this.#stopped);
  }

  readonly #stopped = () => this.#abort('stopped, because the program ends');

  #abort(reason: string): void {
    this.#controller.abort(new TransferTimeout(reason));
  }
}

export class TransferTimeout extends Error {
  override readonly name = 'TransferTimeout';
}

function formatTime(ms: number): string {
  return ms % 60_000 === 0 && ms > 60_000
    ? `${ms / 60_000} minutes`
    : `${Number((ms / 1000).toPrecision(3))} s`;
}

/**
 * Against servers that send single bytes. Measured over waiting time, so that a slow disk does not
 * count.
 */
type MinRate = { readonly bytesPerSecond: number; readonly windowMs: number };

export const MIN_RATE: MinRate = { bytesPerSecond: 1000, windowMs: 30_000 };

export class TransferRate {
  readonly #min: MinRate;
  #bytes = 0;
  #waitedMs = 0;

  constructor(min: MinRate) {
    this.#min = min;
  }

  /**
   * Adds bytes and the time spent waiting for them. True if this completes a window that was too
   * slow.
   */
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
