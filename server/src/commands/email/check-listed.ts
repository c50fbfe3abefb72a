/** Checks the domains of a list, a few at a time. */
import type { Output } from '../../terminal/output.ts';
import type { Style } from '../../terminal/style.ts';
import type { ListedDomain } from './domain-list.ts';
import { inOrder } from './in-order.ts';
import { type EmailSource, invalidDomain, type Outcome } from './outcome.ts';

export type EmailRun = {
  readonly listed: readonly ListedDomain[];
  readonly source: EmailSource;
  readonly style: Style;
  readonly progress: { step(): void; finish(): void };
  readonly stdout: Output;
  readonly stderr: Output;
};

/**
 * Outcomes in the list's order, last those checked twice because DNS was silent. `toResult` keeps
 * what is needed.
 */
export async function* checkListed<Result>(
  { listed, source, progress }: EmailRun,
  toResult: (outcome: Outcome) => Result,
): AsyncGenerator<Result, void, void> {
  const check = async ({ text, domain }: ListedDomain) =>
    domain === undefined ? invalidDomain(text) : source.check(domain);
  const unanswered: ListedDomain[] = [];
  const first = async (entry: ListedDomain) => {
    const outcome = await check(entry);
    // A single domain is not waited for twice.
    return listed.length > 1 && isUnanswered(outcome) ? { entry } : { result: toResult(outcome) };
  };
  for await (const { entry, result } of inOrder(listed, source.parallel, first)) {
    if (entry !== undefined) unanswered.push(entry);
    else {
      progress.step();
      yield result;
    }
  }
  for await (const result of inOrder(unanswered, source.parallel, async (entry) =>
    toResult(await check(entry)),
  )) {
    progress.step();
    yield result;
  }
}

function isUnanswered(outcome: Outcome): boolean {
  return outcome.kind === 'failed'
    ? outcome.code !== 'INVALID_DOMAIN'
    : outcome.details.unverified.length > 0;
}
