/**
 * The email checks of this process: one DNS client, and a limit on checks in flight that API keys share fairly. A check
 * asks about fifty questions and takes seconds if the domain's servers are silent, so one key must not be able to hold
 * all slots.
 */
import type { CheckOptions, Examination } from '@whence/email/check';
import type { DnsClient } from '@whence/email/resolver';
import { FairSlots } from './fair-slots.ts';

/** For a whole check, with the time that it waits for a slot: a caller has an answer after this, whatever it is. */
const BUDGET_MS = 8_000;
const LIMITS = { slots: 64, slotsPerKey: 8, waitingPerKey: 256, waitMs: BUDGET_MS };

export type CheckRequest = {
  /** Checks with the same key share that key's slots: the id of an API key. */
  readonly fairnessKey: string;
  readonly selectors: CheckOptions['selectors'];
  readonly signal: AbortSignal;
};

export class EmailChecks {
  readonly #servers: readonly string[];
  /** Made for the first check: the code of a check is not loaded before the server listens. */
  #dns: DnsClient | undefined;
  readonly #slots = new FairSlots(LIMITS);

  /** Without servers, the system's are used. */
  constructor(servers: readonly string[]) {
    this.#servers = servers;
  }

  get inFlight(): number {
    return this.#slots.held;
  }

  /** Whether this key has so many checks waiting that another would not be served in time. */
  isFull(fairnessKey: string): boolean {
    return this.#slots.isFull(fairnessKey);
  }

  /** Undefined if no slot became free in time, or the signal aborted before. Stops asking when the signal aborts. */
  async check(domain: string, { fairnessKey, selectors, signal }: CheckRequest): Promise<Examination | undefined> {
    const startedMs = performance.now();
    if (!(await this.#slots.acquire(fairnessKey, signal))) return undefined;
    try {
      const { examineDomain } = await import('@whence/email/check');
      const dns = await this.#client();
      const deadlineMs = BUDGET_MS - (performance.now() - startedMs);
      const resolver = dns.forCheck(domain, { deadlineMs, signal });
      return await examineDomain(domain, selectors === undefined ? { resolver } : { resolver, selectors });
    } finally {
      this.#slots.release(fairnessKey);
    }
  }

  close(): void {
    this.#dns?.close();
  }

  async #client(): Promise<DnsClient> {
    const { createDnsClient } = await import('@whence/email/resolver');
    this.#dns ??= createDnsClient(this.#servers.length > 0 ? { servers: this.#servers } : {});
    return this.#dns;
  }
}
