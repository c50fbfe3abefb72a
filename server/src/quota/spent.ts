/**
 * What a request has spent of a day's limit. `remaining` may lag by what other processes hold on
 * lease.
 */
export type Spent = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** The day that was charged; absent for a key without a limit and for a refusal. */
  readonly chargedDay?: string;
};

/** What the headers say of a key without a limit. */
export const UNLIMITED = 2147483647;
