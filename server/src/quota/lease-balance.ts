/**
 * What this process holds of one key's day: its lease, the demand for more, and what storage has
 * said of the rest.
 */

export type Allowance = { readonly limit: number; readonly lease: number };

/** Numbers of the lease count from its beginning. */
export type LeaseBalance = {
  readonly keyId: string;
  readonly day: string;
  /** Allowance of the last request; it differs once the tier of the key was changed. */
  allowance: Allowance;
  /** The limit under which the lease was taken. Under another one it is returned, and not spent. */
  takenUnder: number;
  owner: string;
  granted: number;
  /** Up to where it may be spent. */
  opened: number;
  spent: number;
  /** How much has to be spent for more to be asked for, before requests have to wait for it. */
  askAheadAt: number;
  /** Whether storage may have a row of the lease. */
  isStored: boolean;
  /** What was left of the day after the last lease was granted. */
  left: number;
  lastSpentMs: number;
  /** Requests that wait for the lease being taken, and the question asked ahead of them. */
  waiting: number;
  taking: Promise<void> | undefined;
  /** Refused until then, on the monotonic clock, without asking storage. */
  emptyUntilMs: number;
  /** Other processes were asked to return what they hold, and had the time to do so. */
  wasRecalled: boolean;
  /**
   * Another process has asked for what is left of the lease, while more was being asked for ahead.
   */
  isRecalled: boolean;
};

/**
 * A lease is opened in parts: this much, then as much as was spent. A crash loses at most the open
 * part.
 */
const FIRST_PART = 5;

const newLease = (owner: string) => ({
  owner,
  granted: 0,
  opened: 0,
  spent: 0,
  askAheadAt: Number.POSITIVE_INFINITY,
  isStored: false,
});

export function newBalance(
  keyId: string,
  day: string,
  allowance: Allowance,
  owner: string,
): LeaseBalance {
  return {
    keyId,
    day,
    allowance,
    takenUnder: allowance.limit,
    ...newLease(owner),
    left: allowance.limit,
    lastSpentMs: 0,
    waiting: 0,
    taking: undefined,
    emptyUntilMs: 0,
    wasRecalled: false,
    isRecalled: false,
  };
}

/** What the balance takes next is another lease. */
export function startLease(balance: LeaseBalance, owner: string): void {
  Object.assign(balance, newLease(owner));
}

/** What is left of the day, as far as this process knows. */
export const remainingOf = ({ left, granted, spent }: LeaseBalance): number =>
  left + granted - spent;

/**
 * What may be taken beyond waiting requests: a sixteenth of the rest, so that no process holds much
 * near the end.
 */
export function shareOf({ left, allowance }: LeaseBalance): number {
  return Math.min(allowance.lease, Math.floor(left / 16));
}

export function openUpTo({ opened, spent, waiting, allowance }: LeaseBalance): number {
  return opened + Math.max(waiting, Math.min(allowance.lease, Math.max(FIRST_PART, spent)));
}
