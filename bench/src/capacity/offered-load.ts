/**
 * Requests at a rate, and never more than some of them unanswered: a machine that is too slow lowers the rate, which is
 * reported, and does not build up a queue in which requests time out.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** More would make every replica open all of its connections: on two cores, 1,800 backends do little but take turns. */
const MAX_PENDING = 64;
const TURN_MS = 2;

export type Offered = {
  readonly sent: number;
  readonly seconds: number;
  /** Of the requests that had to wait for storage. */
  readonly waitsMs: readonly number[];
};

export async function offer(
  perSecond: number,
  seconds: number,
  send: () => boolean | Promise<boolean>,
): Promise<Offered> {
  const startMs = performance.now();
  const elapsed = () => (performance.now() - startMs) / 1000;
  const pending = new Set<Promise<unknown>>();
  const waitsMs: number[] = [];
  let sent = 0;
  // What could not be sent in its turn is not made up for.
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
    await sleep(TURN_MS);
  }
  await Promise.all(pending);
  return { sent, seconds: elapsed(), waitsMs };
}
