// The email checks of this process: one DNS client, and slots that API keys share fairly, since a check sends about
// fifty queries and takes seconds if name servers are silent.
import type { Resolver } from '@whence/email/dns';
import type { KnownAnswers, TriedRecords } from '@whence/email/internal/dns/changed-zone';
import type { DnsClient } from '@whence/email/resolver';
import { ApiError } from '../http/errors.ts';
import { COST_CLASSES, CostQueue, type NoSlot } from '../limits/cost-classes.ts';
import type { Checked, CheckRequest, examineMail } from './examine-mail.ts';
import type { PolicyNetwork } from './mta-sts-fetch.ts';
import type { SmtpProbes, SmtpSettings } from './smtp-probes.ts';

/** For a whole check, including the wait for a slot: the caller is answered within this time. */
const BUDGET_MS = COST_CLASSES.email_check.waitMs;
/**
 * A check still running this long after its budget is a bug and is aborted. Waited for in steps: after a stall several
 * timers are due at once, and a check needs some turns of the event loop to end.
 */
const OVERRUN_MS = 2_000;
const OVERRUN_STEPS = 8;

type EmailCheckOptions = {
  readonly slotsPerKey?: number;
  readonly budgetMs?: number;
  readonly overrunMs?: number;
  /** Size of the DNS cache that checks share; the DNS client's default unless given. */
  readonly cacheBytes?: number;
  /** For tests: a policy host at an address that is not public. */
  readonly policyNetwork?: PolicyNetwork;
  readonly smtp?: SmtpSettings;
  /** For tests: what runs in a slot instead of the check. */
  readonly examine?: typeof examineMail;
};

/** The check of the zone as it is, and with the changed records; those that it does not depend on are not judged. */
export type Trial = { readonly before: Checked; readonly after: Checked; readonly unjudged: readonly string[] };

export class EmailChecks {
  readonly #servers: readonly string[];
  readonly #options: EmailCheckOptions;
  readonly #queue: CostQueue;
  readonly #probeQueue: CostQueue;
  /** Created for the first check, so that its code is not loaded before the server listens. */
  #dns: DnsClient | undefined;
  #probes: SmtpProbes | undefined;
  /** Of all trials: with a new one for each, its answers would never come from the DNS cache. */
  #sentinel: string | undefined;

  /** Without servers, those of the system are used. */
  constructor(servers: readonly string[], options: EmailCheckOptions = {}) {
    this.#servers = servers;
    this.#options = options;
    const limits = options.slotsPerKey ? { slotsPerKey: options.slotsPerKey } : {};
    this.#queue = new CostQueue('email_check', limits);
    this.#probeQueue = new CostQueue('smtp_probe', limits);
  }

  get mayProbe(): boolean {
    return this.#options.smtp !== undefined;
  }

  get inFlight(): number {
    return this.#queue.held;
  }

  /** Undefined if no slot became free in time or the signal aborted. Throws if too many checks wait already. */
  check(domain: string, request: CheckRequest): Promise<Checked | undefined> {
    const check = () => this.#inSlot(domain, request, (running, leftMs) => this.#examine(domain, running, leftMs));
    const { smtp } = this.#options;
    if (request.hasSmtp !== true || smtp === undefined) return check();
    const checkAndProbe = async () => {
      const checked = await check();
      if (checked === undefined || checked.isDnsUnavailable) return checked;
      const { SmtpProbes } = await import('./smtp-probes.ts');
      this.#probes ??= new SmtpProbes(smtp);
      const report = await this.#probes.probe(domain, checked, await this.dnsClient(), request.signal);
      const { fitAnswer } = await import('./fit-answer.ts');
      return { ...checked, answer: fitAnswer({ ...checked.answer, smtp: report }) };
    };
    return this.#probeQueue.run(request, checkAndProbe, refuse);
  }

  tryRecords(domain: string, request: CheckRequest, tried: TriedRecords): Promise<Trial | undefined> {
    return this.#inSlot(domain, request, async (running, leftMs) => {
      const [{ changeRecords, rememberAnswers }, { newSentinel }] = await Promise.all([
        import('@whence/email/internal/dns/changed-zone'),
        import('@whence/email'),
      ]);
      this.#sentinel ??= newSentinel();
      const asked = { ...running, sentinel: this.#sentinel };
      // Both checks see the same zone. The next trial asks again: only the DNS cache knows how long an answer holds.
      const answers: KnownAnswers = new Map();
      const before = await this.#examine(domain, asked, leftMs, (resolver) => rememberAnswers(resolver, answers));
      let changed: ReturnType<typeof changeRecords> | undefined;
      const after = await this.#examine(domain, asked, leftMs, (resolver) => {
        changed = changeRecords(domain, rememberAnswers(resolver, answers), tried, before);
        return changed;
      });
      return { before, after, unjudged: changed?.unasked(after.findings.subdomains.asked) ?? [] };
    });
  }

  async #inSlot<T>(
    domain: string,
    request: CheckRequest,
    work: (request: CheckRequest, leftMs: () => number) => Promise<T>,
  ): Promise<T | undefined> {
    const { signal } = request;
    const startedMs = performance.now();
    const { budgetMs = BUDGET_MS, overrunMs = OVERRUN_MS } = this.#options;
    const leftMs = () => budgetMs - (performance.now() - startedMs);
    const bounded = () =>
      endedWithin({ leftMs: leftMs(), overrunMs }, domain, (overrun) =>
        work({ ...request, signal: AbortSignal.any([signal, overrun]) }, leftMs),
      );
    return this.#queue.run(request, bounded, refuse);
  }

  async #examine(
    domain: string,
    request: CheckRequest,
    leftMs: () => number,
    through: (resolver: Resolver) => Resolver = (resolver) => resolver,
  ): Promise<Checked> {
    const [dns, { examineMail }] = await Promise.all([this.dnsClient(), import('./examine-mail.ts')]);
    const resolver = dns.forCheck(domain, { deadlineMs: leftMs(), signal: request.signal });
    const { examine = examineMail, policyNetwork = {} } = this.#options;
    return examine(domain, through(resolver), { ...request, policyNetwork, leftMs });
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

function refuse(reason: NoSlot): undefined {
  if (reason === 'full') throw new ApiError('QUEUE_FULL');
  return undefined;
}

/** Rejects after both times, whatever `work` waits for, and aborts the signal that it was given. */
async function endedWithin<T>(
  { leftMs, overrunMs }: { leftMs: number; overrunMs: number },
  domain: string,
  work: (overrun: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const overrun = new Promise<never>((_, reject) => {
    const wait = (ms: number, steps: number) => {
      timer = setTimeout(() => {
        if (steps > 0) {
          wait(overrunMs / OVERRUN_STEPS, steps - 1);
          return;
        }
        const elapsedMs = Math.round(performance.now() - startedMs);
        reject(new Error(`the check of ${domain} was still running ${elapsedMs} ms after it began`));
        controller.abort();
      }, ms);
    };
    wait(leftMs, OVERRUN_STEPS);
  });
  try {
    return await Promise.race([work(controller.signal), overrun]);
  } finally {
    clearTimeout(timer);
  }
}
