/** What one account may look up in the dashboard: enough for a person, not a way around the limits of keys. */

/** Requests in a UTC day, over all processes. A batch is one. */
export const LOOK_UPS_PER_DAY = 20_000;
/** Of them, how many a process takes from storage at a time. */
export const LOOK_UP_LEASE = 50;
/** Addresses of one batch. */
export const MAX_BATCH = 1_000;

/** Without an account, of one client address: thirty at once, then one per second, in each process. */
export const PUBLIC_LIMITS = { intervalMs: 1_000, burst: 30, maxWaitMs: 0 };
/** Under which look-ups without an account are counted. */
export const PUBLIC_USAGE_ID = 'public';

/** Under which look-ups of an account are counted: no API key has a colon in its id. */
export const usageIdOf = (accountId: string) => `account:${accountId}`;
