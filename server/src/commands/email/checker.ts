/** Checks one listed domain after the other, a few at a time. */
import type { Dataset } from '@whence/dataset/internal/file/read';
import { isSelector, MAX_SELECTORS, tidySelectors } from '@whence/email/internal/dkim/selectors';
import { systemServers } from '@whence/email/internal/dns/servers';
import { verdictOf } from '@whence/email/internal/report/part-state';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { ListedDomain } from './domain-list.ts';
import { inOrder } from './in-order.ts';
import { dnsUnavailable, invalidDomain, type Outcome } from './outcome.ts';

export type CheckerOptions = {
  readonly dnsServers: readonly string[];
  readonly selectors: readonly string[] | undefined;
  /** To try beside the common ones. */
  readonly moreSelectors: readonly string[] | undefined;
  readonly parallel: number;
  readonly hasTransport: boolean;
  /** Where the networks are looked up, if they are asked for. */
  readonly networksFrom: Dataset | undefined;
};

/**
 * Each domain of a list is checked once. What is asked again are includes of common providers, which the answers of the
 * last 200 domains hold.
 */
const CACHE_BYTES = 4 * 1024 * 1024;

/**
 * Outcomes in the order of the list; those of domains that DNS did not answer for come last, when they have been checked
 * a second time. `toResult` keeps what is needed of each, so that none is held as a whole.
 */
export async function* checkListed<Result>(
  listed: readonly ListedDomain[],
  { dnsServers, parallel, ...asked }: CheckerOptions,
  toResult: (outcome: Outcome) => Result,
): AsyncGenerator<Result, void, void> {
  const checks = new EmailChecks(dnsServers, { slotsPerKey: parallel, cacheBytes: CACHE_BYTES });
  const servers = dnsServers.length > 0 ? dnsServers : systemServers().map(({ address }) => address);
  const check = async ({ text, domain }: ListedDomain): Promise<Outcome> => {
    if (domain === undefined) return invalidDomain(text);
    // Of its own: every check listens to its signal.
    const { signal } = new AbortController();
    const examination = await checks.check(domain, { fairnessKey: 'command line', signal, ...asked });
    if (examination === undefined || examination.isDnsUnavailable)
      return dnsUnavailable(domain, servers, examination?.dnsFault);
    return { kind: 'checked', domain, examination };
  };
  const unanswered: ListedDomain[] = [];
  try {
    const first = async (entry: ListedDomain) => {
      const outcome = await check(entry);
      // A single domain is not waited for twice.
      return listed.length > 1 && isUnanswered(outcome) ? { entry } : { result: toResult(outcome) };
    };
    for await (const { entry, result } of inOrder(listed, parallel, first)) {
      if (entry !== undefined) unanswered.push(entry);
      else yield result;
    }
    yield* inOrder(unanswered, parallel, async (entry) => toResult(await check(entry)));
  } finally {
    checks.close();
  }
}

function isUnanswered(outcome: Outcome): boolean {
  if (outcome.kind === 'failed') return outcome.code === 'DNS_UNAVAILABLE';
  return verdictOf(outcome.examination.findings).unverified.length > 0;
}

export function parseSelectors(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const selectors = tidySelectors(text.split(','));
  if (selectors.length === 0 || !selectors.every(isSelector) || selectors.length > MAX_SELECTORS)
    throw new UsageError(`selectors are 1 to ${MAX_SELECTORS} DNS names, separated by commas`);
  return selectors;
}
