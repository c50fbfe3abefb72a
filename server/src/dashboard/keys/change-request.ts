/** Requests of the dashboard to create or change a key, by the rules of its attributes. */

import type { Account } from '../../accounts/account.ts';
import { HOUR_MS } from '../../day.ts';
import { isAllowedEntry } from '../../domains/allowed-domains.ts';
import type { ValueOf } from '../../http/json-schema.ts';
import { type Key, type NewKey, parseName, parsePermissions } from '../../keys/key.ts';
import { attributesOf, changesOf } from '../../keys/key-attributes.ts';
import { TIERS } from '../../keys/tiers.ts';
import { present } from '../../present.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import { type Role, TIER_NAMES, type Tier } from '../../vocabulary.ts';
import { invalid } from '../requests/refusal.ts';
import type { requests } from '../wire/requests.ts';

export function parseNewKey(
  body: ValueOf<typeof requests.createKey.body>,
  account: Account,
  now: Date,
): NewKey {
  const { name, tier, permissions, ...fields } = body;
  const newKey = {
    name: parseName(name),
    tier,
    permissions: parsePermissions(permissions),
    ...attributesOf(changesOf(fields, now)),
  };
  requireLimits(account, newKey);
  return { ...newKey, ...domainsFor(account, newKey.allowedDomains) };
}

export function parseKeyChange(
  body: ValueOf<typeof requests.changeKey.body>,
  key: Key,
  { account, by, now }: { account: Account; by: string; now: Date },
): KeyChange {
  const { name, tier, permissions, revoke_in_hours: hours, expires_at, ...fields } = body;
  // An expiry that stays as it is may have passed.
  const isSameExpiry = expires_at != null && Date.parse(expires_at) === key.expiresAt?.getTime();
  const change = {
    ...present({
      name: name === undefined ? undefined : parseName(name),
      tier,
      permissions: permissions === undefined ? undefined : parsePermissions(permissions),
      scheduledRevocation: hours
        ? { at: new Date(now.getTime() + hours * HOUR_MS), by }
        : (hours as null | undefined),
    }),
    ...changesOf({ ...fields, ...(isSameExpiry ? {} : present({ expires_at })) }, now),
  };
  const { dailyLimit = key.dailyLimit } = change;
  if ((tier ?? key.tier) !== key.tier || dailyLimit !== key.dailyLimit)
    requireLimits(account, {
      tier: tier ?? key.tier,
      ...present({ dailyLimit: dailyLimit ?? undefined }),
    });
  if (change.allowedDomains === undefined) return change;
  return { ...change, ...domainsFor(account, change.allowedDomains ?? undefined) };
}

/** A key of a limited account has a list within that of the account. */
function domainsFor(
  { allowedDomains: own }: Account,
  requested: readonly string[] | undefined,
): { allowedDomains?: readonly string[] } {
  if (own === undefined) return {};
  const refused = requested?.findIndex((entry) => !isAllowedEntry(entry, own)) ?? -1;
  if (refused >= 0)
    throw invalid(`/allowed_domains/${refused}`, `within ${own.join(', ')}, as your account`);
  return { allowedDomains: requested ?? own };
}

/**
 * Tiers that an account may give to a key. A key without a limit is an administrator's decision.
 */
export function tiersFor(role: Role): Tier[] {
  if (role === 'viewer') return [];
  return TIER_NAMES.filter(
    (tier) => role === 'admin' || Number.isFinite(TIERS[tier].requestsPerDay),
  );
}

/** Others than administrators give no limit that is higher than those of their tiers. */
export function requireLimits(
  { role }: Account,
  { tier, dailyLimit = 0 }: Pick<NewKey, 'tier' | 'dailyLimit'>,
): void {
  const tiers = tiersFor(role);
  if (!tiers.includes(tier))
    throw invalid('/tier', `one of ${tiers.join(', ')}; others are for administrators`);
  const most = Math.max(...tiers.map((tier) => TIERS[tier].requestsPerDay));
  if (dailyLimit > most)
    throw invalid(
      '/daily_limit',
      `at most ${most.toLocaleString('en')}; more is for administrators to give`,
    );
}
