/** What a key is: its rules for a name and for permissions, its allowance, and the shape in which it is shown. */
import type { StoredKey } from '../storage/stores/key-store.ts';
import { PERMISSIONS, type Permission, type Tier } from '../vocabulary.ts';
import { maskSecrets } from './secret.ts';
import { TIERS } from './tiers.ts';

export type Key = Omit<StoredKey, 'permissions' | 'tier'> & {
  readonly permissions: readonly Permission[];
  readonly tier: Tier;
  /** What the tier allows: requests a day, and how many a process takes at a time. */
  readonly allowance: { readonly limit: number; readonly lease: number };
};

export type NewKey = Pick<Key, 'name' | 'tier' | 'permissions'>;

const MAX_NAME_CHARACTERS = 100;
const NAME_RULE = `a name has 1 to ${MAX_NAME_CHARACTERS} characters, none of them a control character`;

/** A rule that a name or a list of permissions breaks; the message says which. */
export class InvalidKey extends Error {
  override name = 'InvalidKey';
}

export function parseName(text: string): string {
  const name = text.trim();
  // Names are shown in lists, statistics and the dashboard.
  if (maskSecrets(name) !== name) throw new InvalidKey('a name must not hold a key');
  if (name === '' || name.length > MAX_NAME_CHARACTERS || /\p{Cc}/u.test(name)) throw new InvalidKey(NAME_RULE);
  return name;
}

/** In the order of `PERMISSIONS`, each once. */
export function parsePermissions(names: readonly string[]): Permission[] {
  const isUnknown = (name: string) => !(PERMISSIONS as readonly string[]).includes(name);
  if (names.length === 0 || names.some(isUnknown)) {
    throw new InvalidKey(`permissions are some of ${PERMISSIONS.join(', ')}, separated by commas`);
  }
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

/** Undefined for a tier that this version does not know: it cannot say what the key is allowed. */
export function fromStored(stored: StoredKey): Key | undefined {
  const { tier, permissions } = stored;
  if (!Object.hasOwn(TIERS, tier)) return undefined;
  return {
    ...stored,
    tier: tier as Tier,
    allowance: allowanceOf(tier as Tier),
    permissions: PERMISSIONS.filter((permission) => permissions.includes(permission)),
  };
}

export function allowanceOf(tier: Tier): Key['allowance'] {
  const { requestsPerDay, lease } = TIERS[tier];
  return { limit: requestsPerDay, lease };
}

/** A key as JSON for people and programs: never the hash. */
export function describeKey(key: StoredKey) {
  const { id, name, masked, tier, permissions, createdAt, lastUsedAt, revokedAt, revokedBy } = key;
  return {
    id,
    name,
    masked,
    tier,
    permissions,
    created_at: createdAt.toISOString(),
    ...(lastUsedAt === undefined ? {} : { last_used_at: lastUsedAt.toISOString() }),
    ...(revokedAt === undefined ? {} : { revoked_at: revokedAt.toISOString(), revoked_by: revokedBy }),
  };
}
