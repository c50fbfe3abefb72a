/**
 * Process of a test: runs checks at the same time, and measures how long its event loop was blocked
 * meanwhile. By processor time, which does not pass while other processes, or other machines of the
 * same host, have the processor.
 */
import { checkDomain } from '../check.ts';
import { createDnsClient } from '../dns/resolver.ts';

export type MeasuredChecks = {
  readonly server: string;
  /** Rounds are repeated until one stays below the limit, but no more often than this. */
  readonly maxRounds: number;
  readonly limitMs: number;
  readonly checks: readonly { readonly domain: string; readonly selectors?: readonly string[] }[];
};

/** The longest block of each round, in milliseconds. */
export type MeasuredStalls = readonly number[];

const EVERY_MS = 5;

/**
 * Notes the most processor time between two timers: less than EVERY_MS unless a turn of the event
 * loop takes longer.
 */
class LongestTurn {
  ms = 0;
  #before = process.cpuUsage();
  readonly #timer = setInterval(() => this.#note(), EVERY_MS);

  stop(): void {
    this.#note();
    clearInterval(this.#timer);
  }

  #note(): void {
    const { user, system } = process.cpuUsage(this.#before);
    this.ms = Math.max(this.ms, (user + system) / 1000 - EVERY_MS);
    this.#before = process.cpuUsage();
  }
}

const { server, maxRounds, limitMs, checks } = JSON.parse(process.argv[2] ?? '') as MeasuredChecks;
const stalls: number[] = [];
while (stalls.length < maxRounds && !stalls.some((ms) => ms < limitMs)) {
  const client = createDnsClient({ servers: [server] });
  const longest = new LongestTurn();
  // Twice: the second time the answers are cached.
  for (let pass = 0; pass < 2; pass++)
    await Promise.all(
      checks.map(({ domain, ...options }) =>
        checkDomain(domain, { resolver: client.forCheck(domain), ...options }),
      ),
    );
  longest.stop();
  stalls.push(longest.ms);
  client.close();
}
process.send?.(stalls);
