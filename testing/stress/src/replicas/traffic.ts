/**
 * Lookups at a fixed rate on all replicas in turn, whether or not they keep up, with keys that have
 * no limit and keys whose limit is to be used up. What came back is kept with its time.
 */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type Lookup = {
  readonly sentAtMs: number;
  readonly latencyMs: number;
  /** 0 if the connection broke, or nothing came in time. */
  readonly status: number;
  readonly key: string;
  readonly isLimited: boolean;
};

const TICK_MS = 20;
const TIMEOUT_MS = 15_000;
const CONNECTIONS = 64;
/** Share of the requests with the key whose limit is being used up. */
export const LIMITED_SHARE = 0.25;

export class Traffic {
  readonly lookups: Lookup[] = [];
  readonly #urls: readonly string[];
  readonly #agents: readonly Agent[];
  readonly #unlimited: readonly string[];
  /** Used up one after the other. */
  #limited: readonly string[];
  #sent = 0;
  #isStopped = false;

  constructor(urls: readonly string[], unlimited: readonly string[], limited: readonly string[]) {
    this.#urls = urls;
    this.#agents = urls.map(() => new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
    this.#unlimited = unlimited;
    this.#limited = limited;
  }

  async run(perSecond: number): Promise<void> {
    const startedMs = performance.now();
    const underWay = new Set<Promise<unknown>>();
    while (!this.#isStopped) {
      const due = ((performance.now() - startedMs) / 1000) * perSecond;
      for (; this.#sent < due; this.#sent++) {
        const request = this.#next().finally(() => underWay.delete(request));
        underWay.add(request);
      }
      await sleep(TICK_MS);
    }
    await Promise.all(underWay);
    for (const agent of this.#agents) agent.destroy();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Keys with a limit that are used from now on. */
  useLimited(keys: readonly string[]): void {
    this.#limited = keys;
  }

  /** The status of a lookup on each replica. */
  statuses(key: string): Promise<number[]> {
    return Promise.all(this.#urls.map((_, i) => this.#status(i, key)));
  }

  async #next(): Promise<void> {
    const number = this.#sent;
    const [limited] = this.#limited;
    const isLimited = limited !== undefined && (number * LIMITED_SHARE) % 1 === 0;
    const key = isLimited ? limited : (this.#unlimited[number % this.#unlimited.length] as string);
    const sentAtMs = Date.now();
    const beganMs = performance.now();
    const status = await this.#status((number >> 2) % this.#urls.length, key);
    this.lookups.push({ sentAtMs, latencyMs: performance.now() - beganMs, status, key, isLimited });
    if (isLimited && status === 429 && this.#limited[0] === key)
      this.#limited = this.#limited.slice(1);
  }

  #status(replica: number, key: string): Promise<number> {
    const url = `${this.#urls[replica]}/v1/ip/8.8.8.${this.#sent % 256}`;
    return new Promise((resolve) => {
      const options = {
        agent: this.#agents[replica] as Agent,
        headers: { 'X-API-Key': key },
        timeout: TIMEOUT_MS,
      };
      const request = get(url, options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', () => resolve(0));
      });
      request.on('timeout', () => request.destroy(new Error('timed out')));
      request.on('error', () => resolve(0));
    });
  }
}
