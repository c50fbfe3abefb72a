/**
 * What a key is: its rules for a name and for permissions, its allowance, and the shape in which it is shown. Rules for
 * its other attributes are in `key-attributes`.
 */
import type { StoredKey } from '../storage/stores/key-store.ts';
import { type KeyState, PERMISSIONS, type Permission, type Tier } from '../vocabulary.ts';
import { type Restrictions, restrictionsOf } from './restrictions.ts';
import { maskSecrets } from './secret.ts';
import { TIERS } from './tiers.ts';

export type Key = Omit<StoredKey, 'permissions' | 'tier'> & {
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** What the tier allows: requests a day, and how many a process takes at a time. */
  readonly allowance: { readonly limit: number; readonly lease: number };
  /** Undefined for a key without any. */
  readonly restrictions: Restrictions | undefined;
};

/** Attributes that a key may have from the beginning. */
export type KeyAttributes = Pick<StoredKey, 'note' | 'expiresAt' | 'allowedNetworks' | 'requestsPerSecond'>;
export type NewKey = Pick<Key, 'name' | 'tier' | 'permissions'> & KeyAttributes;

const MAX_NAME_CHARACTERS = 100;
const NAME_RULE = `a name has 1 to ${MAX_NAME_CHARACTERS} characters, none of them a control character`;

/** A rule that a name or another attribute breaks; the message says which. */
export class InvalidKey extends Error {
  override name = 'InvalidKey';
  /** In a request of the dashboard; empty if it is clear. */
  readonly path: string;

  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

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
    throw new InvalidKey(`permissions are some of ${PERMISSIONS.join(', ')}, separated by commas`, '/permissions');
  }
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

/** Undefined for a tier that this version does not know: it cannot say what the key is allowed. */
export function fromStored(stored: StoredKey): Key | undefined {
  const { tier, permissions } = stored;
  if (!Object.hasOwn(TIERS, tier)) return undefined;
  return {
    ...stored,
    restrictions: restrictionsOf(stored),
    tier: tier as Tier,
    allowance: allowanceOf(tier as Tier),
    permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
  };
}

export function allowanceOf(tier: Tier): Key['allowance'] {
  const { requestsPerDay, lease } = TIERS[tier];
  return { limit: requestsPerDay, lease };
}

export function stateOf({ revokedAt, expiresAt, pausedAt }: StoredKey, now: Date): KeyState {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt !== undefined && expiresAt <= now) return 'expired';
  return pausedAt === undefined ? 'active' : 'paused';
}

/** A key as JSON for people and programs: never the hash. */
export function describeKey(key: StoredKey) {
  const { id, name, masked, tier, permissions, createdAt, lastUsedAt, lastUsedFrom, revokedAt, revokedBy } = key;
  return {
    id,
    name,
    masked,
    tier,
    permissions,
    ...describeAttributes(key),
    created_at: createdAt.toISOString(),
    ...(lastUsedAt === undefined ? {} : { last_used_at: lastUsedAt.toISOString() }),
    ...(lastUsedFrom === undefined ? {} : { last_used_from: lastUsedFrom }),
    ...(revokedAt === undefined ? {} : { revoked_at: revokedAt.toISOString() }),
    ...(revokedBy === undefined ? {} : { revoked_by: revokedBy }),
  };
}

function describeAttributes(key: StoredKey) {
  const { note, expiresAt, pausedAt, allowedNetworks, requestsPerSecond, scheduledRevocation } = key;
  return {
    ...(note === undefined ? {} : { note }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    ...(pausedAt === undefined ? {} : { paused_at: pausedAt.toISOString() }),
    ...(allowedNetworks === undefined ? {} : { allowed_networks: [...allowedNetworks] }),
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
    ...(scheduledRevocation === undefined
      ? {}
      : { revoke_at: scheduledRevocation.at.toISOString(), revoke_scheduled_by: scheduledRevocation.by }),
  };
}
