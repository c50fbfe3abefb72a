// A lease is a part of a key's day, spent in memory. What is granted counts as used until returned,
// and only what was *opened* may be spent, so nothing depends on a clock: a lease past its deadline
// is removed, what was not opened goes back to the day, the rest stays counted (decision 0018).
// Numbers of a lease only grow, so statements can be repeated.

export type DayOfKey = { readonly keyId: string; readonly day: string };

/**
 * `owner` names a process and one lease of it: after a lease has ended, its name is not used again.
 */
export type LeaseName = DayOfKey & { readonly owner: string };

export type LeaseRequest = {
  /** How much more; 0 only opens a further part of what was granted. */
  readonly wanted: number;
  readonly limit: number;
  readonly spent: number;
  /**
   * Opened part of this lease, as far as the caller knows: if the lease was removed, this is what
   * stayed counted.
   */
  readonly opened: number;
  /** Up to where the caller wants to spend, since the beginning of the lease. */
  readonly open: number;
};

type LeaseState = {
  /** Since the beginning of the lease. */
  readonly granted: number;
  /** Up to where it may be spent. */
  readonly opened: number;
};

export type Grant = LeaseState & {
  readonly left: number;
  /** How much of the day other leases hold and have not reported as spent. */
  readonly heldElsewhere: number;
};

export type LeaseTake = LeaseName & LeaseRequest;

export type LeaseChanges = {
  /**
   * Takes up to `wanted` of what is left of each key's day; a key is in it once. Answers are in the
   * same order.
   */
  take(takes: readonly LeaseTake[], leaseMs: number): Promise<Grant[]>;
  /**
   * Ends leases: what was not spent goes back to their days. Those that were ended already are left
   * alone.
   */
  end(leases: readonly (LeaseName & { readonly spent: number })[]): Promise<void>;
  /**
   * Ends leases past their deadline, of one key's day or at most `limit` days of keys. How many
   * leases.
   */
  reclaim(limit: number, of?: DayOfKey): Promise<number>;
  /**
   * Records a recall and removes all but the last `kept`. Numbers become visible in their order.
   */
  recall(of: DayOfKey, kept: number): Promise<void>;
};
