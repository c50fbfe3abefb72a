/** SIGTERM, SIGINT and SIGHUP (terminal closed) in order: the first stops gracefully, later ones faster. */
import { setTimeout as sleep } from 'node:timers/promises';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];

export class StopSignals {
  readonly #received: StopSignal[] = [];
  readonly #waiting: { number: number; resolve: (signal: StopSignal) => void }[] = [];

  /** From now on signals do not end the process directly. */
  constructor() {
    for (const signal of SIGNALS) process.on(signal, () => this.#receive(signal));
  }

  get count(): number {
    return this.#received.length;
  }

  nth(number: number): Promise<StopSignal> {
    const received = this.#received[number - 1];
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve) => this.#waiting.push({ number, resolve }));
  }

  #receive(signal: StopSignal): void {
    // The shell and the kernel each send one when a terminal is closed; the second is no request for a faster stop.
    if (signal === 'SIGHUP' && this.count > 0) return;
    this.#received.push(signal);
    for (const { number, resolve } of this.#waiting) if (number === this.count) resolve(signal);
  }
}

/** Load balancers see /readyz before the port closes. Returns whether a second signal ended the delay. */
export async function delayStop(shutdownDelaySeconds: number, signals: StopSignals): Promise<boolean> {
  if (shutdownDelaySeconds === 0) return false;
  // The timer keeps the process alive: workers that received the signal earlier may have ended already.
  const skipped = new AbortController();
  const delay = sleep(shutdownDelaySeconds * 1000, false, { signal: skipped.signal }).catch(() => true);
  const isSkipped = await Promise.race([delay, signals.nth(2).then(() => true)]);
  skipped.abort();
  return isSkipped;
}

/** Calls `end` this long after the first signal. A stop that is complete by then ends the process first. */
export async function limitStop(limitMs: number, signals: StopSignals, end: () => void): Promise<void> {
  await signals.nth(1);
  setTimeout(end, limitMs).unref();
}
