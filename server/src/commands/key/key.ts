/**
 * `whence key create|list|revoke`, on the storage that the settings name. Processes of a running server see a change at
 * once.
 */
import { describeKey, fromStored, type NewKey, parseName, stateOf } from '../../keys/key.ts';
import type { Keys } from '../../keys/keys.ts';
import { TIERS } from '../../keys/tiers.ts';
import { NoDatabase, StorageUnavailable } from '../../storage/storage-unavailable.ts';
import type { StoredKey } from '../../storage/stores/key-store.ts';
import { CommandError, type ExitCode } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { print, type Style, type Terminal } from '../../terminal/style.ts';
import { type Cell, formatCount, formatTable } from '../../terminal/table.ts';
import { DEFAULT_PERMISSIONS, PERMISSIONS, type Tier } from '../../vocabulary.ts';
import { operator } from '../operator.ts';
import { type AttributeOptions, attributesFrom, parsePermissionList } from './attribute-options.ts';
import { findId, noSuchKey, parsed, withKeys } from './open-keys.ts';

/** Prints the secret, which is not shown again. */
export async function keyCreate(
  location: string,
  options: AttributeOptions & { name: string; tier: Tier; permissions?: string; new?: boolean; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const now = new Date();
  const newKey = parsed(() => parseNewKey(options, now));
  const create = async (keys: Keys): Promise<ExitCode> => {
    const { key, secret } = await keys.create(newKey, operator(), now);
    return print(streams, options, { ...describeKey(key), key: secret }, () => `${secret}\n`);
  };
  return withKeys(location, create, options.new);
}

type NewKeyOptions = AttributeOptions & { name: string; tier: Tier; permissions?: string };

function parseNewKey({ name, tier, permissions, ...attributes }: NewKeyOptions, now: Date): NewKey {
  const { note, expiresAt, allowedNetworks, requestsPerSecond } = attributesFrom(attributes, now);
  return {
    name: parseName(name),
    tier,
    permissions: parsePermissionList(permissions ?? DEFAULT_PERMISSIONS.join()),
    ...(note == null ? {} : { note }),
    ...(expiresAt == null ? {} : { expiresAt }),
    ...(allowedNetworks == null ? {} : { allowedNetworks }),
    ...(requestsPerSecond == null ? {} : { requestsPerSecond }),
  };
}

export async function keyList(location: string, options: { json?: boolean }, terminal: Terminal): Promise<ExitCode> {
  return withKeys(location, async (keys) => {
    const all = await keys.list();
    return print(terminal, options, all.map(describeKey), (style) => {
      if (all.length === 0) return 'there are no keys\n';
      const head = ['id', 'name', 'key', 'tier', 'a day', 'permissions', 'created', 'last used', 'state'];
      const rows = all.map((key) => tableRow(key, new Date(), style));
      return formatTable(rows, style, { head });
    });
  });
}

/** Name of a usual set of permissions. */
function nameOf(permissions: readonly string[]): string | undefined {
  const has = (set: readonly string[]) =>
    permissions.length === set.length && set.every((name) => permissions.includes(name));
  if (has(PERMISSIONS)) return 'all';
  return has(DEFAULT_PERMISSIONS) ? 'default' : undefined;
}

function tableRow(stored: StoredKey, now: Date, style: Style): Cell[] {
  const key = fromStored(stored);
  return [
    stored.id,
    stored.name,
    stored.masked,
    stored.tier,
    key === undefined ? 'unknown' : limitOf(key.tier),
    nameOf(stored.permissions) ?? stored.permissions.join(' '),
    day(stored.createdAt),
    stored.lastUsedAt === undefined ? 'never' : day(stored.lastUsedAt),
    stateCell(stored, now, style),
  ];
}

export function stateCell(key: StoredKey, now: Date, { green, yellow, red }: Style): Cell {
  const paints = { active: green, paused: yellow, expired: yellow, revoked: red };
  return [stateText(key, now), paints[stateOf(key, now)]];
}

function stateText(key: StoredKey, now: Date): string {
  const since = { revoked: key.revokedAt, expired: key.expiresAt, paused: key.pausedAt, active: undefined };
  const state = stateOf(key, now);
  const at = since[state];
  if (at !== undefined) return `${state} ${day(at)}`;
  const ends = [key.expiresAt, key.scheduledRevocation?.at].filter((end) => end !== undefined);
  const [first] = ends.sort((a, b) => a.getTime() - b.getTime());
  return first === undefined ? state : `active until ${day(first)}`;
}

export function limitOf(tier: Tier): string {
  const { requestsPerDay } = TIERS[tier];
  return requestsPerDay === Number.POSITIVE_INFINITY ? 'unlimited' : formatCount(requestsPerDay);
}

const day = (date: Date) => date.toISOString().slice(0, 10);

/** When this returns, no process of the deployment accepts the key. */
export async function keyRevoke(
  location: string,
  name: string,
  options: { json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  let hasBegun = false;
  try {
    return await withKeys(location, async (keys) => {
      const id = await findId(keys, name);
      hasBegun = true;
      const outcome = await keys.revoke(id, operator(), new Date());
      if (outcome === 'unknown') throw noSuchKey(id);
      return print(streams, options, { id, outcome }, () => `${id} is ${outcome}\n`);
    });
  } catch (error) {
    if (hasBegun || error instanceof NoDatabase || !(error instanceof StorageUnavailable)) throw error;
    throw new CommandError(`the key is not revoked and still valid: ${error.message}`);
  }
}
