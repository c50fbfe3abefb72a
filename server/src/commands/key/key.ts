/**
 * `wh key create|list|revoke`, on the configured storage. A running server sees a change at once.
 */
import { dayOfMs } from '../../day.ts';
import {
  describeKey,
  fromStored,
  type Key,
  type NewKey,
  parseName,
  parsePermissions,
  stateOf,
} from '../../keys/key.ts';
import {
  type AttributeOptions,
  attributesOf,
  changesOfOptions,
  wordsOf,
} from '../../keys/key-attributes.ts';
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
import { findId, noSuchKey, parsed, withKeys } from './open-keys.ts';

type NewKeyOptions = AttributeOptions & { name: string; tier: Tier; permissions?: string };

/** Prints the secret, which is not shown again. What the key may do is said on standard error. */
export async function keyCreate(
  location: string,
  options: NewKeyOptions & { new?: boolean; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const now = new Date();
  const newKey = parsed(() => parseNewKey(options, now));
  const create = async (keys: Keys): Promise<ExitCode> => {
    const { key, secret } = await keys.create(newKey, operator(), now);
    const batch = formatCount(TIERS[key.tier].batchSize);
    streams.stderr.write(
      `created key ${key.name}: tier ${key.tier}, ${limitOf(key)} requests a day, ${batch} addresses per batch\n`,
    );
    return print(streams, options, { ...describeKey(key), key: secret }, () => `${secret}\n`);
  };
  return withKeys(location, create, options.new);
}

function parseNewKey({ name, tier, permissions, ...attributes }: NewKeyOptions, now: Date): NewKey {
  return {
    name: parseName(name),
    tier,
    permissions:
      permissions === undefined ? DEFAULT_PERMISSIONS : parsePermissions(wordsOf(permissions)),
    ...attributesOf(changesOfOptions(attributes, now)),
  };
}

export async function keyList(
  location: string,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withKeys(location, async (keys) => {
    const all = await keys.list();
    return print(terminal, options, all.map(describeKey), (style) => {
      if (all.length === 0) return 'there are no keys\n';
      const head = [
        'id',
        'name',
        'key',
        'tier',
        'a day',
        'permissions',
        'created',
        'last used',
        'state',
      ];
      const rows = all.map((key) => tableRow(key, new Date(), style));
      return formatTable(rows, style, { head });
    });
  });
}

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
    key === undefined ? 'unknown' : limitOf(key),
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
  const since = {
    revoked: key.revokedAt,
    expired: key.expiresAt,
    paused: key.pausedAt,
    active: undefined,
  };
  const state = stateOf(key, now);
  const at = since[state];
  if (at !== undefined) return `${state} ${day(at)}`;
  const ends = [key.expiresAt, key.scheduledRevocation?.at].filter((end) => end !== undefined);
  const [first] = ends.sort((a, b) => a.getTime() - b.getTime());
  return first === undefined ? state : `active until ${day(first)}`;
}

export function limitOf({ allowance: { limit } }: Key): string {
  return Number.isFinite(limit) ? formatCount(limit) : 'unlimited';
}

const day = (date: Date) => dayOfMs(date.getTime());

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
    if (hasBegun || error instanceof NoDatabase || !(error instanceof StorageUnavailable))
      throw error;
    throw new CommandError(`the key is not revoked and still valid: ${error.message}`);
  }
}
