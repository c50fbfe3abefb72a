/** What went wrong with the feeds of an update, in one sentence. The refusals have the reason of each feed. */
import type { UnreachableFeeds } from '@whence/dataset/internal/feeds/ingest';

type FeedOutcome = { readonly feeds: number; readonly refused: number; readonly unreachable: UnreachableFeeds };

/** Undefined if every feed was used. */
export function feedProblem({ feeds, refused, unreachable: { dns, connection } }: FeedOutcome): string | undefined {
  if (refused === 0) return undefined;
  const silent = dns + connection;
  const of = (amount: number) => `${amount} of ${feeds} ${feeds === 1 ? 'feed' : 'feeds'}`;
  if (silent === 0) return `${of(refused)} refused`;
  const cause = dns === silent ? 'no DNS' : connection === silent ? 'no connection' : 'no DNS or no connection';
  const others = refused - silent;
  return `${of(silent)} unreachable: ${cause}${others === 0 ? '' : `; ${others} refused`}`;
}
