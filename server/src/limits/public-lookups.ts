/** Lookups without an account or a key, where the operator allows them: how many a client may make, and how they are counted. */
import { GuessThrottle } from './guess-throttle.ts';

/** Per client address and process: thirty at once, then one per second. */
const LIMITS = { intervalMs: 1_000, burst: 30, maxWaitMs: 0 };
/** The id under which they are counted. */
export const PUBLIC_USAGE_ID = 'public';

export class PublicLookups {
  readonly #throttle = new GuessThrottle(undefined, LIMITS);

  /** Counts a lookup of the client. False if it has made too many. */
  isAllowed(address: string): boolean {
    return this.#throttle.attempt(address) !== undefined;
  }
}
