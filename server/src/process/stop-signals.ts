/**
 * How a server process ends: SIGTERM, SIGINT and SIGHUP (terminal closed) in order, the first
 * gracefully, later ones faster; and its end by force.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log/log.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type StopSignal = (typeof SIGNALS)[number];
/** Time for remaining threads to end after everything has been stopped. */
const END_MS = 5_000;

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
    // The shell and the kernel each send one when a terminal is closed; the second is no request
    // for a faster stop.
    if (signal === 'SIGHUP' && this.count > 0) return;
    this.#received.push(signal);
    for (const { number, resolve } of this.#waiting) if (number === this.count) resolve(signal);
  }
}

/**
 * Load balancers see /readyz before the port closes. Returns whether a second signal ended the
 * delay.
 */
export async function delayStop(
  shutdownDelaySeconds: number,
  signals: StopSignals,
): Promise<boolean> {
  if (shutdownDelaySeconds === 0) return false;
  // The timer keeps the process alive: workers that received the signal earlier may have ended
  // already.
  const skipped = new AbortController();
  const delay = sleep(shutdownDelaySeconds * 1000, false, { signal: skipped.signal }).catch(
    () => true,
  );
  const isSkipped = await Promise.race([delay, signals.nth(2).then(() => true)]);
  skipped.abort();
  return isSkipped;
}

/**
 * Calls `end` this long after the first signal. A stop that is complete by then ends the process
 * first.
 */
export async function limitStop(
  limitMs: number,
  signals: StopSignals,
  end: () => void,
): Promise<void> {
  await signals.nth(1);
  setTimeout(end, limitMs).unref();
}

/** `process.exit` waits for all threads, and one that is blocked in a read never ends. */
export function killProcess({ logger, flush }: Log, reason: string, error?: Error): void {
  logger.fatal(error === undefined ? {} : { err: error }, `${reason}: the process ends`);
  flush();
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container gets no signals from itself.
  process.abort();
}

/** To be called when everything has been stopped. The timer does not keep the process alive. */
export function endSoon(log: Log): void {
  setTimeout(() => killProcess(log, 'a thread or a read does not end'), END_MS).unref();
}
