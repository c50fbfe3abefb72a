/** `whence key create|list|revoke`: on the same functions as the server, and known to it at once. */
import { mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Keys } from '../keys/keys.ts';
import { PERMISSIONS, type Permission, TIERS, type Tier } from '../keys/tiers.ts';
import { sqlitePath } from '../server.ts';
import { openSqlite, sqliteStorage } from '../storage/sqlite.ts';
import type { StoredKey } from '../storage/storage.ts';
import { type ExitCode, formatCount, formatTable, type Output, UsageError } from '../terminal.ts';

type Options = { json?: boolean };
const MAX_NAME_CHARACTERS = 100;

export async function keyCreate(
  dataDir: string,
  options: Options & { name: string; tier: Tier; permissions?: string },
  stdout: Output,
): Promise<ExitCode> {
  const name = options.name.trim();
  if (name === '' || name.length > MAX_NAME_CHARACTERS)
    throw new UsageError(`a name has 1 to ${MAX_NAME_CHARACTERS} characters`);
  const permissions = parsePermissions(options.permissions);
  return withKeys(dataDir, async (keys) => {
    const { key, secret } = await keys.create({ name, tier: options.tier, permissions }, new Date());
    stdout.write(options.json === true ? `${JSON.stringify({ ...describe(key), key: secret })}\n` : `${secret}\n`);
    return 0;
  });
}

export async function keyList(dataDir: string, options: Options, stdout: Output): Promise<ExitCode> {
  return withKeys(dataDir, async (keys) => {
    const all = await keys.list();
    if (options.json === true) stdout.write(`${JSON.stringify(all.map(describe))}\n`);
    else if (all.length === 0) stdout.write('there are no keys\n');
    else {
      const rows = all.map((key) => [
        key.id,
        key.name,
        key.masked,
        key.tier,
        limitOf(key.tier),
        key.permissions.length === PERMISSIONS.length ? 'all' : key.permissions.join(' '),
        day(key.createdAt),
        key.lastUsedAt === undefined ? 'never' : day(key.lastUsedAt),
        key.revokedAt === undefined ? 'active' : `revoked ${day(key.revokedAt)}`,
      ]);
      stdout.write(
        formatTable([['id', 'name', 'key', 'tier', 'a day', 'permissions', 'created', 'last used', 'state'], ...rows]),
      );
    }
    return 0;
  });
}

/** When this returns, no process of the deployment accepts the key. */
export async function keyRevoke(
  dataDir: string,
  id: string,
  options: Options,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  return withKeys(dataDir, async (keys) => {
    const outcome = await keys.revoke(id, new Date(), `command line, ${userInfo().username}`);
    if (outcome === 'unknown') {
      stderr.write(`error: there is no key ${id}; whence key list shows them\n`);
      return 1;
    }
    stdout.write(options.json === true ? `${JSON.stringify({ id, outcome })}\n` : `${id} is ${outcome}\n`);
    return 0;
  });
}

async function withKeys(dataDir: string, work: (keys: Keys) => Promise<ExitCode>): Promise<ExitCode> {
  mkdirSync(dataDir, { recursive: true });
  const storage = sqliteStorage(openSqlite(sqlitePath(dataDir)));
  try {
    return await work(new Keys(storage));
  } finally {
    await storage.close();
  }
}

function parsePermissions(text: string | undefined): Permission[] {
  if (text === undefined) return [...PERMISSIONS];
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const unknown = names.filter((name) => !(PERMISSIONS as readonly string[]).includes(name));
  if (unknown.length > 0 || names.length === 0) {
    throw new UsageError(`permissions are some of ${PERMISSIONS.join(', ')}, separated by commas`);
  }
  return PERMISSIONS.filter((permission) => names.includes(permission));
}

function describe({ id, name, masked, tier, permissions, createdAt, lastUsedAt, revokedAt, revokedBy }: StoredKey) {
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

function limitOf(tier: Tier): string {
  const { requestsPerDay } = TIERS[tier];
  return requestsPerDay === Number.POSITIVE_INFINITY ? 'unlimited' : formatCount(requestsPerDay);
}

const day = (date: Date) => date.toISOString().slice(0, 10);
