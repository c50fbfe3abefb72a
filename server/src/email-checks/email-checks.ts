/**
 * The email checks of this process: one DNS client, and a limit on checks in flight that API keys share fairly. A check
 * sends about fifty DNS queries and takes seconds if the domain's servers do not answer, so one key must not be able to
 * hold all slots.
 */
import type { DnsClient } from '@whence/email/resolver';
import { FairSlots } from '../limits/fair-slots.ts';
import type { Checked, CheckRequest, examineMail } from './examine-mail.ts';
import type { PolicyNetwork } from './mta-sts-fetch.ts';

/** For a whole check, including the wait for a slot: the caller is answered within this time. */
const BUDGET_MS = 8_000;
/**
 * Every wait of a check has its own timeout within the budget. A check that is still running this much later is a bug;
 * it is aborted and fails, and its slot is free for the next one.
 */
const OVERRUN_MS = 2_000;
const LIMITS = { slots: 64, slotsPerKey: 8, waitingPerKey: 256, waitMs: BUDGET_MS };

type EmailCheckOptions = {
  readonly slotsPerKey?: number;
  readonly budgetMs?: number;
  /** Size of the DNS cache that checks share; the DNS client's default unless given. */
  readonly cacheBytes?: number;
  /** For tests: a policy host at an address that is not public. */
  readonly policyNetwork?: PolicyNetwork;
  /** For tests: what runs in a slot instead of the check. */
  readonly examine?: typeof examineMail;
};

export class EmailChecks {
  readonly #servers: readonly string[];
  readonly #options: EmailCheckOptions;
  readonly #slots: FairSlots;
  /** Created for the first check, so that its code is not loaded before the server listens. */
  #dns: DnsClient | undefined;

  /** Without servers, those of the system are used. */
  constructor(servers: readonly string[], options: EmailCheckOptions = {}) {
    this.#servers = servers;
    this.#options = options;
    this.#slots = new FairSlots({ ...LIMITS, ...(options.slotsPerKey && { slotsPerKey: options.slotsPerKey }) });
  }

  get inFlight(): number {
    return this.#slots.held;
  }

  /** Whether this key already has as many checks waiting as can be served in time. */
  isFull(fairnessKey: string): boolean {
    return this.#slots.isFull(fairnessKey);
  }

  /** Undefined if no slot became free in time, or the signal aborted before. A running check stops when it aborts. */
  async check(domain: string, request: CheckRequest): Promise<Checked | undefined> {
    const { fairnessKey, signal } = request;
    const startedMs = performance.now();
    if (!(await this.#slots.acquire(fairnessKey, signal))) return undefined;
    const { budgetMs = BUDGET_MS } = this.#options;
    const leftMs = () => budgetMs - (performance.now() - startedMs);
    try {
      return await endedWithin(leftMs() + OVERRUN_MS, domain, (overrun) =>
        this.#examine(domain, { ...request, signal: AbortSignal.any([signal, overrun]) }, leftMs),
      );
    } finally {
      this.#slots.release(fairnessKey);
    }
  }

  async #examine(domain: string, request: CheckRequest, leftMs: () => number): Promise<Checked> {
    const [dns, { examineMail }] = await Promise.all([this.dnsClient(), import('./examine-mail.ts')]);
    const resolver = dns.forCheck(domain, { deadlineMs: leftMs(), signal: request.signal });
    const { examine = examineMail, policyNetwork = {} } = this.#options;
    return examine(domain, resolver, { ...request, policyNetwork, leftMs });
  }

  close(): void {
    this.#dns?.close();
  }

  /** Shared with lookups of hostnames: one cache, one limit on open sockets. */
  async dnsClient(): Promise<DnsClient> {
    const { createDnsClient } = await import('@whence/email/resolver');
    const { cacheBytes } = this.#options;
    this.#dns ??= createDnsClient({
      ...(this.#servers.length > 0 && { servers: this.#servers }),
      ...(cacheBytes !== undefined && { cacheBytes }),
    });
    return this.#dns;
  }
}

/** Rejects after `ms` whatever `work` waits for, and aborts the signal that it was given. */
async function endedWithin<T>(ms: number, domain: string, work: (overrun: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the check of ${domain} was still running ${Math.round(ms)} ms after it began`));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), overrun]);
  } finally {
    clearTimeout(timer);
  }
}
