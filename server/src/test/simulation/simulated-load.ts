/** Requests to simulated replicas: at a rate, or with some keys until their limits are reached. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OfferedLoad } from '@whence/testing/simulation-protocol';

type Answer = boolean | Promise<boolean>;

/**
 * More would make every replica open all of its connections: on two cores, 1,800 backends mostly
 * switch contexts.
 */
const MAX_PENDING = 64;
const TICK_MS = 2;

/**
 * Never more than MAX_PENDING requests wait for an answer: a machine that is too slow lowers the
 * rate, which is reported, and does not build up a queue in which requests time out.
 */
export async function offerRequests(
  perSecond: number,
  seconds: number,
  send: () => Answer,
): Promise<OfferedLoad> {
  const startMs = performance.now();
  const elapsed = () => (performance.now() - startMs) / 1000;
  const pending = new Set<Promise<unknown>>();
  const waitsMs: number[] = [];
  let sent = 0;
  // Requests that could not be sent in time are dropped.
  let missed = 0;
  while (elapsed() < seconds) {
    const due = elapsed() * perSecond - missed;
    while (sent < due && pending.size < MAX_PENDING) {
      sent++;
      const answer = send();
      if (typeof answer === 'boolean') continue;
      const askedMs = performance.now();
      const one = answer.then(() => {
        waitsMs.push(performance.now() - askedMs);
        pending.delete(one);
      });
      pending.add(one);
    }
    if (sent < due) missed += due - sent;
    await sleep(TICK_MS);
  }
  await Promise.all(pending);
  return { sent, waitsMs };
}

/** For a machine that is too slow to use the keys up. */
const MAX_MS = 40_000;
/**
 * A replica asks the others to return leases of a key that is used up, and tries again when they
 * had time for it.
 */
const IDLE_MS = 6_000;
const CLIENTS_PER_KEY = 20;
/** A replica asks storage at most ten times a second for a key that is used up. */
const REFUSED_MS = 200;

/** How many requests of each key were admitted. */
export function useUp(
  secrets: readonly string[],
  send: (secret: string, replica: number) => Answer,
): Promise<number[]> {
  return Promise.all(
    secrets.map(async (secret) => {
      const startMs = performance.now();
      let admitted = 0;
      let lastMs = startMs;
      let replica = 0;
      const client = async () => {
        while (performance.now() - lastMs < IDLE_MS && performance.now() - startMs < MAX_MS) {
          if (await send(secret, replica++)) {
            admitted++;
            lastMs = performance.now();
          } else await sleep(REFUSED_MS);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS_PER_KEY }, client));
      return admitted;
    }),
  );
}
