/** The limits of each tier. */
import type { Tier } from '../vocabulary.ts';

type TierLimits = {
  readonly requestsPerDay: number;
  readonly batchSize: number;
  /** How many requests a process takes from storage at a time. Small where a lost lease would be noticed. */
  readonly lease: number;
};

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
  free: { requestsPerDay: 1_000, batchSize: 10, lease: 5 },
  starter: { requestsPerDay: 10_000, batchSize: 100, lease: 50 },
  pro: { requestsPerDay: 100_000, batchSize: 500, lease: 250 },
  enterprise: { requestsPerDay: Number.POSITIVE_INFINITY, batchSize: 1_000, lease: 0 },
};
