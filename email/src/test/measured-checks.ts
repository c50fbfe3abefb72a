/**
 * Worker thread of a test: runs checks at the same time, and measures how long its event loop was blocked meanwhile.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { checkDomain } from '../check.ts';
import { createDnsClient } from '../dns/resolver.ts';

export type MeasuredChecks = {
  readonly server: string;
  /** Rounds are repeated until one stays below the limit, but no more often than this. */
  readonly maxRounds: number;
  readonly limitMs: number;
  readonly checks: readonly { readonly domain: string; readonly selectors?: readonly string[] }[];
};

/** The longest delay of each round, in milliseconds. */
export type MeasuredStalls = readonly number[];

const RESOLUTION_MS = 5;

const { server, maxRounds, limitMs, checks } = workerData as MeasuredChecks;
const stalls: number[] = [];
while (stalls.length < maxRounds && !stalls.some((ms) => ms < limitMs)) {
  const client = createDnsClient({ servers: [server] });
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await measurements(delay, 2);
  delay.reset();
  // Twice: the second time the answers are cached.
  for (let pass = 0; pass < 2; pass++)
    await Promise.all(
      checks.map(({ domain, ...options }) => checkDomain(domain, { resolver: client.forCheck(domain), ...options })),
    );
  // The delay of the last check is noted when the timer fires after it.
  await measurements(delay, 2);
  delay.disable();
  stalls.push(delay.max / 1e6 - RESOLUTION_MS);
  client.close();
}
parentPort?.postMessage(stalls);

/** Resolves when the monitor has noted so many more delays. */
async function measurements(delay: IntervalHistogram, count: number): Promise<void> {
  for (const target = delay.count + count; delay.count < target; ) await nextTurn();
}
