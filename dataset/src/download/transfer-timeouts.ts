/** Idle and total timeouts of a download, and its minimum rate. */
import { formatRate } from './format-size.ts';
import { MIN_RATE, type MinRate, TransferRate } from './transfer-rate.ts';

export type TransferLimits = {
  /** For the connection, for the answer, and between two pieces of the body. */
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

  /** `stop` ends the transfer from outside, when the program ends. */
  constructor({ idleTimeoutMs, totalTimeoutMs, minRate = MIN_RATE }: TransferLimits, stop?: AbortSignal) {
    this.#idleMs = idleTimeoutMs;
    this.#minRate = minRate;
    this.#rate = new TransferRate(minRate);
    this.#total = setTimeout(() => this.#abort(`not finished within ${formatTime(totalTimeoutMs)}`), totalTimeoutMs);
    this.#stop = stop;
    stop?.addEventListener('abort', this.#stopped);
    if (stop?.aborted) this.#stopped();
  }

  /** Aborted with a TransferTimeout as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the idle timeout. `missing` is what does not come if it runs out: "no answer". */
  wait(missing: string): void {
    this.pause();
    this.#waitingSince = performance.now();
    this.#idle = setTimeout(() => this.#abort(`${missing} within ${formatTime(this.#idleMs)}`), this.#idleMs);
  }

  /** While we do not wait for the other side. */
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
    throw new TransferTimeout(`slower than ${formatRate(bytesPerSecond)} for ${formatTime(windowMs)}`);
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
  return ms % 60_000 === 0 && ms > 60_000 ? `${ms / 60_000} minutes` : `${Number((ms / 1000).toPrecision(3))} s`;
}
