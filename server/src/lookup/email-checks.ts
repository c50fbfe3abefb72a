/**
 * The email checks of this process: one DNS client, and a limit on checks in flight that API keys share fairly. A check
 * asks about fifty questions and takes seconds if the domain's servers are silent, so one key must not be able to hold
 * all slots.
 */
import type { Dataset } from '@whence/dataset/read';
import { type CheckOptions, type Examination, examineDomain } from '@whence/email/check';
import { findMailSenders } from '@whence/email/mail-senders';
import type { EmailReport } from '@whence/email/report';
import { createDnsClient, type DnsClient } from '@whence/email/resolver';
import { FairSlots } from './fair-slots.ts';
import { fitAnswer } from './fit-answer.ts';
import { type NetworksReport, networksOf } from './mail-networks.ts';
import { type PolicyNetwork, policyFetcher } from './mta-sts-fetch.ts';

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
  readonly #dns: DnsClient;
  readonly #slots: FairSlots;
  readonly #policyNetwork: PolicyNetwork;

  /** Without servers, the system's are used. */
  constructor(servers: readonly string[], options: EmailCheckOptions = {}) {
    const { slotsPerKey = LIMITS.slotsPerKey, policyNetwork = {}, cacheBytes } = options;
    this.#dns = createDnsClient({
      ...(servers.length > 0 && { servers }),
      ...(cacheBytes !== undefined && { cacheBytes }),
    });
    this.#policyNetwork = policyNetwork;
    this.#slots = new FairSlots({ ...LIMITS, slotsPerKey });
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
    const { fairnessKey, selectors, signal, hasTransport = false, networksFrom } = request;
    const startedMs = performance.now();
    if (!(await this.#slots.acquire(fairnessKey, signal))) return undefined;
    try {
      const leftMs = () => BUDGET_MS - (performance.now() - startedMs);
      const resolver = this.#dns.forCheck(domain, { deadlineMs: leftMs(), signal });
      const transport = hasTransport && {
        fetchPolicy: policyFetcher(this.#policyNetwork, leftMs, signal),
        ...(this.#policyNetwork.isReachable && { isReachable: this.#policyNetwork.isReachable }),
      };
      const examination = await examineDomain(domain, {
        resolver,
        ...(selectors && { selectors }),
        ...(transport && { transport }),
      });
      const { report, findings } = examination;
      if (networksFrom === undefined) return { ...examination, answer: fitAnswer(report) };
      const networks = await networksOf(networksFrom, await findMailSenders(domain, findings, resolver));
      return { ...examination, answer: fitAnswer({ ...report, networks }) };
    } finally {
      this.#slots.release(fairnessKey);
    }
  }

  close(): void {
    this.#dns.close();
  }
}
