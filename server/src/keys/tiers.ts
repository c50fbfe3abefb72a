/** The limits of each tier. */
export const TIERS = {
  // `lease`: how many requests a process takes from storage at a time. Small where a lost lease would be felt.
  free: { requestsPerDay: 1_000, batchSize: 10, lease: 5 },
  starter: { requestsPerDay: 10_000, batchSize: 100, lease: 50 },
  pro: { requestsPerDay: 100_000, batchSize: 500, lease: 250 },
  enterprise: { requestsPerDay: Number.POSITIVE_INFINITY, batchSize: 1_000, lease: 0 },
} as const;

export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as Tier[];

export const PERMISSIONS = ['ip:read', 'ip:batch', 'asn:read', 'email:read'] as const;
export type Permission = (typeof PERMISSIONS)[number];
