/**
 * The email checks of this process: one DNS client, and a limit on checks in flight that API keys share fairly. A check
 * asks about fifty questions and takes seconds if the domain's servers are silent, so one key must not be able to hold
 * all slots.
 */
import type { Dataset } from '@whence/dataset/read';
import type { CheckOptions, Examination } from '@whence/email/check';
import type { EmailReport } from '@whence/email/report';
import type { DnsClient } from '@whence/email/resolver';
import { FairSlots } from './fair-slots.ts';
import type { NetworksReport } from './mail-networks.ts';
import type { PolicyNetwork } from './mta-sts-fetch.ts';

/** For a whole check, with the time that it waits for a slot: a caller has an answer after this, whatever it is. */
const BUDGET_MS = 8_000;
const LIMITS = { slots: 64, slotsPerKey: 8, waitingPerKey: 256, waitMs: BUDGET_MS };

export type CheckRequest = {
  /** Checks with the same key share that key's slots: the id of an API key. */
  readonly fairnessKey: string;
  readonly selectors: CheckOptions['selectors'];
  readonly signal: AbortSignal;
  /** Checks MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too. */
  readonly hasTransport?: boolean;
  /** Looks up in this dataset who carries the domain's mail. */
  readonly networksFrom?: Dataset | undefined;
};

export type EmailAnswer = { [Field in keyof WithNetworks]: WithNetworks[Field] };
type WithNetworks = EmailReport & { networks?: NetworksReport };

/** `answer` is the report with all that was asked for. */
export type Checked = Examination & { readonly answer: EmailAnswer };

export type EmailCheckOptions = {
  readonly slotsPerKey?: number;
  /** For the answers that checks share; the DNS client's own limit unless given. */
  readonly cacheBytes?: number;
  /** For tests: the host of a policy at an address that is not public. */
  readonly policyNetwork?: PolicyNetwork;
};

export class EmailChecks {
  readonly #servers: readonly string[];
  readonly #options: EmailCheckOptions;
  readonly #slots: FairSlots;
  /** Made for the first check: the code of a check is not loaded before the server listens. */
  #dns: DnsClient | undefined;

  /** Without servers, the system's are used. */
  constructor(servers: readonly string[], options: EmailCheckOptions = {}) {
    this.#servers = servers;
    this.#options = options;
    this.#slots = new FairSlots({ ...LIMITS, ...(options.slotsPerKey && { slotsPerKey: options.slotsPerKey }) });
  }

  get inFlight(): number {
    return this.#slots.held;
  }

  /** Whether this key has so many checks waiting that another would not be served in time. */
  isFull(fairnessKey: string): boolean {
    return this.#slots.isFull(fairnessKey);
  }

  /** Undefined if no slot became free in time, or the signal aborted before. Stops asking when the signal aborts. */
  async check(domain: string, request: CheckRequest): Promise<Checked | undefined> {
    const { fairnessKey, signal } = request;
    const startedMs = performance.now();
    if (!(await this.#slots.acquire(fairnessKey, signal))) return undefined;
    try {
      const [dns, { examineMail }] = await Promise.all([this.#client(), import('./examine-mail.ts')]);
      const leftMs = () => BUDGET_MS - (performance.now() - startedMs);
      const resolver = dns.forCheck(domain, { deadlineMs: leftMs(), signal });
      return await examineMail(domain, resolver, { ...request, ...this.#options, leftMs });
    } finally {
      this.#slots.release(fairnessKey);
    }
  }

  close(): void {
    this.#dns?.close();
  }

  async #client(): Promise<DnsClient> {
    const { createDnsClient } = await import('@whence/email/resolver');
    const { cacheBytes } = this.#options;
    this.#dns ??= createDnsClient({
      ...(this.#servers.length > 0 && { servers: this.#servers }),
      ...(cacheBytes !== undefined && { cacheBytes }),
    });
    return this.#dns;
  }
}
