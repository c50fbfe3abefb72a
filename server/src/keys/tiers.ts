/** The limits of each tier. */
import type { Tier } from '../vocabulary.ts';

type TierLimits = {
  readonly requestsPerDay: number;
  readonly batchSize: number;
};

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
  free: { requestsPerDay: 1_000, batchSize: 10 },
  starter: { requestsPerDay: 10_000, batchSize: 100 },
  pro: { requestsPerDay: 100_000, batchSize: 500 },
  enterprise: { requestsPerDay: Number.POSITIVE_INFINITY, batchSize: 1_000 },
};
