/**
 * Pages recover by themselves: what failed because the server was away is asked for again until it
 * answers.
 */
import { Failure, isFailure } from './call.ts';

const RETRY_MS = 3_000;

/**
 * Whether a failure passes without anyone changing something: a restart, a lost connection, a full
 * queue.
 */
export function isPassing(error: unknown): boolean {
  if (
    isFailure(
      error,
      'OFFLINE',
      'OVERLOADED',
      'STORAGE_UNAVAILABLE',
      'DATASET_UNAVAILABLE',
      'NOT_READY',
    )
  )
    return true;
  return isFailure(error) && (error.status === 502 || error.status === 504);
}

/** A `refetchInterval` of queries. */
export const retryInterval = ({
  state,
}: {
  readonly state: { readonly error: unknown };
}): number | false => isPassing(state.error) && RETRY_MS;

/**
 * The router would reload the page at once, which leaves only the browser's own message while the
 * server is away.
 */
export function refuseScript(): never {
  throw new Failure('a script could not be loaded', 'OFFLINE');
}

/** For a script that could not be loaded. */
export function reloadIfReachable(): void {
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => (ok ? window.location.reload() : undefined),
    () => undefined,
  );
}

/** Returns a function that gives up. */
export function reloadWhenReachable(): () => void {
  const timer = setInterval(reloadIfReachable, RETRY_MS);
  return () => clearInterval(timer);
}
