/** Tiers that an account may give to a key. A key without a limit is an administrator's decision. */
import type { Role } from '../../accounts/role.ts';
import { TIER_NAMES, TIERS, type Tier } from '../../keys/tiers.ts';

export function tiersFor(role: Role): Tier[] {
  if (role === 'viewer') return [];
  return TIER_NAMES.filter((tier) => role === 'admin' || Number.isFinite(TIERS[tier].requestsPerDay));
}
