/**
 * What a key is: rules for name and permissions, its allowance, and how it is shown. See also
 * `key-attributes`.
 */
import { present } from '../present.ts';
import type { StoredKey } from '../storage/stores/key-store.ts';
import { type KeyState, PERMISSIONS, type Permission, type Tier } from '../vocabulary.ts';
import { fieldsOf, InvalidKey, type KeyAttributes } from './key-attributes.ts';
import { type Restrictions, restrictionsOf } from './restrictions.ts';
import { maskSecrets } from './secret.ts';
import { TIERS } from './tiers.ts';

export type Key = Omit<StoredKey, 'permissions' | 'tier'> & {
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** Requests a day, and how many a process takes at a time. */
  readonly allowance: { readonly limit: number; readonly lease: number };
  readonly restrictions: Restrictions | undefined;
};

export type NewKey = Pick<Key, 'name' | 'tier' | 'permissions'> & KeyAttributes;

const MAX_NAME_CHARACTERS = 100;
const NAME_RULE = `a name has 1 to ${MAX_NAME_CHARACTERS} characters, none of them a control character`;

export function parseName(text: string): string {
  const name = text.trim();
  // Names are shown in lists, statistics and the dashboard.
  if (maskSecrets(name) !== name) throw new InvalidKey('a name must not hold a key', '/name');
  if (name === '' || name.length > MAX_NAME_CHARACTERS || /\p{Cc}/u.test(name))
    throw new InvalidKey(NAME_RULE, '/name');
  return name;
}

/** In the order of `PERMISSIONS`, each once. */
export function parsePermissions(names: readonly string[]): Permission[] {
  const isUnknown = (name: string) => !(PERMISSIONS as readonly string[]).includes(name);
  if (names.length === 0 || names.some(isUnknown)) {
    throw new InvalidKey(
      `permissions are some of ${PERMISSIONS.join(', ')}, separated by commas`,
      '/permissions',
    );
  }
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

/** Undefined for a tier that this version does not know: it cannot say what the key is allowed. */
export function fromStored(stored: StoredKey): Key | undefined {
  const { tier, permissions } = stored;
  if (!Object.hasOwn(TIERS, tier)) return undefined;
  const parsed = {
    tier: tier as Tier,
    permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
  };
  return { ...stored, ...parsed, ...limitsOf({ ...stored, ...parsed }) };
}

/** More would be lost with a process that is killed, and hardly fewer statements be saved. */
const MAX_LEASE = 250;

/**
 * The key's own limit, if it has one, instead of the tier's. A lease is small where a lost one
 * would be noticed.
 */
export function limitsOf(
  key: StoredKey & Pick<Key, 'tier'>,
): Pick<Key, 'allowance' | 'restrictions'> {
  const limit = key.dailyLimit ?? TIERS[key.tier].requestsPerDay;
  return {
    allowance: { limit, lease: Math.min(MAX_LEASE, Math.ceil(limit / 200)) },
    restrictions: restrictionsOf(key),
  };
}

export function stateOf({ revokedAt, expiresAt, pausedAt }: StoredKey, now: Date): KeyState {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && expiresAt <= now) return 'expired';
  return pausedAt === undefined ? 'active' : 'paused';
}

/** A key as JSON for people and programs: never the hash. */
export function describeKey(key: StoredKey) {
  const { id, name, masked, tier, permissions, scheduledRevocation } = key;
  return {
    id,
    name,
    masked,
    tier,
    permissions,
    ...fieldsOf(key),
    created_at: key.createdAt.toISOString(),
    ...present({
      paused_at: key.pausedAt?.toISOString(),
      last_used_at: key.lastUsedAt?.toISOString(),
      last_used_from: key.lastUsedFrom,
      revoke_at: scheduledRevocation?.at.toISOString(),
      revoke_scheduled_by: scheduledRevocation?.by,
      revoked_at: key.revokedAt?.toISOString(),
      revoked_by: key.revokedBy,
    }),
  };
}
