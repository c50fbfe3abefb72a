/**
 * Turns at a registry host: one request at a time, and a pause between the starts of two. Registries limit requests by
 * address and block those who send too many.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type TurnLimits = {
  /** Between the starts of two requests to a host. */
  readonly intervalMs: number;
  /** Requests that wait for one host; a further one is refused. */
  readonly waiting: number;
};

type Host = { last: Promise<unknown>; waiting: number; nextMs: number };

export class RegistryTurns {
  readonly #limits: TurnLimits;
  readonly #hosts = new Map<string, Host>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Undefined if too many wait, or the turn does not come before `deadlineMs` on the monotonic clock. */
  async take<T>(name: string, deadlineMs: number, work: () => Promise<T>): Promise<T | undefined> {
    const host = this.#hosts.get(name) ?? { last: Promise.resolve(), waiting: 0, nextMs: 0 };
    this.#hosts.set(name, host);
    if (host.waiting >= this.#limits.waiting) return undefined;
    host.waiting++;
    const turn = host.last.then(async () => {
      host.waiting--;
      const pauseMs = host.nextMs - performance.now();
      if (performance.now() + Math.max(0, pauseMs) >= deadlineMs) return undefined;
      if (pauseMs > 0) await sleep(pauseMs);
      host.nextMs = performance.now() + this.#limits.intervalMs;
      return work();
    });
    host.last = turn.catch(() => undefined);
    return turn;
  }
}
