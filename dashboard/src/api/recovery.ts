/** Pages recover by themselves: what failed because the server was away is asked for again until it answers. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { isFailure } from './call.ts';

const FIRST_MS = 2_000;
const LONGEST_MS = 10_000;

/** Whether a failure passes without anyone changing something: a restart, a lost connection, a full queue. */
export function isPassing(error: unknown): boolean {
  if (isFailure(error, 'OFFLINE', 'OVERLOADED', 'STORAGE_UNAVAILABLE', 'DATASET_UNAVAILABLE', 'NOT_READY')) return true;
  return isFailure(error) && (error.status === 502 || error.status === 504);
}

const isBroken = (query: Query): boolean => query.isActive() && isPassing(query.state.error);

export function recoverQueries(client: QueryClient): void {
  let delayMs = FIRST_MS;
  let isWaiting = false;
  const schedule = () => {
    if (isWaiting) return;
    if (!client.getQueryCache().findAll().some(isBroken)) {
      delayMs = FIRST_MS;
      return;
    }
    isWaiting = true;
    setTimeout(() => void tryAgain(), delayMs);
    delayMs = Math.min(delayMs * 1.5, LONGEST_MS);
  };
  const tryAgain = async () => {
    await client.refetchQueries({ predicate: isBroken });
    isWaiting = false;
    schedule();
  };
  client.getQueryCache().subscribe(schedule);
}

/** Reloads the page once the server answers: for a script that could not be loaded. Returns a function that gives up. */
export function reloadWhenReachable(): () => void {
  const timer = setInterval(() => {
    fetch('/healthz', { cache: 'no-store' }).then(
      ({ ok }) => (ok ? window.location.reload() : undefined),
      () => undefined,
    );
  }, FIRST_MS);
  return () => clearInterval(timer);
}
