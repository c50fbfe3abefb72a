// The email checks of this process: one DNS client, and slots that API keys share fairly, since a
// check sends about fifty queries and takes seconds if name servers are silent.
import {
  changeRecords,
  type KnownAnswers,
  rememberAnswers,
  type TriedRecords,
} from '@whence/email/changed-zone';
import type { Resolver } from '@whence/email/dns';
import { findPolicies } from '@whence/email/policies';
import type { CheckedZone } from '@whence/email/reports/judge';
import { createDnsClient, type DnsClient } from '@whence/email/resolver';
import { newSentinel } from '@whence/email/wildcard';
import { ApiError } from '../http/errors.ts';
import { COST_CLASSES, CostQueue, type NoResult, type Requester } from '../limits/cost-classes.ts';
import { type Checked, type CheckRequest, examineMail } from './examine-mail.ts';
import { fitAnswer } from './fit-answer.ts';
import type { PolicyNetwork } from './mta-sts-fetch.ts';
import { SmtpProbes, type SmtpSettings } from './smtp-probes.ts';

/**
 * For a whole check, including the wait for a slot: the caller is answered within this time. A
 * check that still runs at the deadline of its class is a bug.
 */
const BUDGET_MS = COST_CLASSES.email_check.waitMs;

type EmailCheckOptions = {
  readonly slotsPerKey?: number;
  readonly budgetMs?: number;
  readonly deadlineMs?: number;
  /** Size of the DNS cache that checks share; the DNS client's default unless given. */
  readonly cacheBytes?: number;
  /** For tests: a policy host at an address that is not public. */
  readonly policyNetwork?: PolicyNetwork;
  readonly smtp?: SmtpSettings;
  /** For tests: what runs in a slot instead of the check. */
  readonly examine?: typeof examineMail;
};

/**
 * The check of the zone as it is, and with the changed records; those that it does not depend on
 * are not judged.
 */
export type Trial = {
  readonly before: Checked;
  readonly after: Checked;
  readonly unjudged: readonly string[];
};

export class EmailChecks {
  readonly #servers: readonly string[];
  readonly #options: EmailCheckOptions;
  readonly #queue: CostQueue;
  readonly #probeQueue: CostQueue;
  /** Created for the first check. */
  #dns: DnsClient | undefined;
  #probes: SmtpProbes | undefined;
  /** Shared by all trials: answers to a new name per trial would never come from the DNS cache. */
  #sentinel: string | undefined;

  /** Without servers, those of the system are used. */
  constructor(servers: readonly string[], options: EmailCheckOptions = {}) {
    this.#servers = servers;
    this.#options = options;
    const { slotsPerKey, deadlineMs } = options;
    const limits = slotsPerKey === undefined ? {} : { slotsPerKey };
    this.#queue = new CostQueue('email_check', {
      ...limits,
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
    this.#probeQueue = new CostQueue('smtp_probe', limits);
  }

  get mayProbe(): boolean {
    return this.#options.smtp !== undefined;
  }

  get inFlight(): number {
    return this.#queue.held;
  }

  /**
   * Undefined if no slot became free in time or the signal aborted. Throws if too many checks wait
   * already.
   */
  check(domain: string, request: CheckRequest): Promise<Checked | undefined> {
    const check = () =>
      this.#inSlot(request, (running, leftMs) => this.#examine(domain, running, leftMs));
    const { smtp } = this.#options;
    if (request.hasSmtp !== true || smtp === undefined) return check();
    const checkAndProbe = async () => {
      const checked = await check();
      if (checked === undefined || checked.isDnsUnavailable) return checked;
      this.#probes ??= new SmtpProbes(smtp);
      const report = await this.#probes.probe(domain, checked, this.dnsClient(), request.signal);
      const withProbe = (examined: Checked): Checked => ({
        ...examined,
        answer: fitAnswer({ ...examined.answer, smtp: report }),
        withReported: async (shown) => withProbe(await examined.withReported(shown)),
        withTlsVerdict: (verdict) => withProbe(examined.withTlsVerdict(verdict)),
      });
      return withProbe(checked);
    };
    return this.#probeQueue.run(request, checkAndProbe, refuse);
  }

  /** What reports are judged with, instead of a check; undefined for the same reasons. */
  policies(domain: string, request: Requester): Promise<CheckedZone | undefined> {
    return this.#inSlot(request, async ({ signal }, leftMs) => {
      const resolver = this.dnsClient().forCheck(domain, { deadlineMs: leftMs(), signal });
      return { findings: await findPolicies(domain, resolver), resolver };
    });
  }

  tryRecords(
    domain: string,
    request: CheckRequest,
    tried: TriedRecords,
  ): Promise<Trial | undefined> {
    return this.#inSlot(request, async (running, leftMs) => {
      this.#sentinel ??= newSentinel();
      const withSentinel = { ...running, sentinel: this.#sentinel };
      // Both checks see the same zone. The next trial sends its own queries: only the DNS cache knows
      // how long an answer holds.
      const answers: KnownAnswers = new Map();
      const before = await this.#examine(domain, withSentinel, leftMs, (resolver) =>
        rememberAnswers(resolver, answers),
      );
      let changed: ReturnType<typeof changeRecords> | undefined;
      const after = await this.#examine(domain, withSentinel, leftMs, (resolver) => {
        changed = changeRecords(domain, rememberAnswers(resolver, answers), tried, before);
        return changed;
      });
      return {
        before,
        after,
        unjudged: changed?.unqueried(after.findings.subdomains.queried) ?? [],
      };
    });
  }

  async #inSlot<T, Request extends Requester>(
    request: Request,
    work: (request: Request, leftMs: () => number) => Promise<T>,
  ): Promise<T | undefined> {
    const startedMs = performance.now();
    const { budgetMs = BUDGET_MS } = this.#options;
    const leftMs = () => budgetMs - (performance.now() - startedMs);
    return this.#queue.run(request, ({ signal }) => work({ ...request, signal }, leftMs), refuse);
  }

  async #examine(
    domain: string,
    request: CheckRequest,
    leftMs: () => number,
    through: (resolver: Resolver) => Resolver = (resolver) => resolver,
  ): Promise<Checked> {
    const dns = this.dnsClient();
    const resolver = dns.forCheck(domain, { deadlineMs: leftMs(), signal: request.signal });
    const { examine = examineMail, policyNetwork = {} } = this.#options;
    return examine(domain, through(resolver), { ...request, policyNetwork, leftMs });
  }

  close(): void {
    this.#dns?.close();
  }

  /** Shared with lookups of hostnames: one cache, one limit on open sockets. */
  dnsClient(): DnsClient {
    const { cacheBytes } = this.#options;
    this.#dns ??= createDnsClient({
      ...(this.#servers.length > 0 && { servers: this.#servers }),
      ...(cacheBytes !== undefined && { cacheBytes }),
    });
    return this.#dns;
  }
}

/** Without a result, DNS is unavailable: none of the slots became free while it was waited for. */
function refuse(reason: NoResult): undefined {
  if (reason !== 'late') throw new ApiError('QUEUE_FULL');
}
