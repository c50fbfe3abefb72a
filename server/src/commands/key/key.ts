/**
 * `whence key create|list|revoke`, on the storage that the settings name. Processes of a running server see a change at
 * once.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AuditLog } from '../../audit/audit-log.ts';
import { describeKey, fromStored, InvalidKey, parseName, parsePermissions } from '../../keys/key.ts';
import { Keys } from '../../keys/keys.ts';
import { isWellFormed, looksLikeSecret } from '../../keys/secret.ts';
import { TIERS } from '../../keys/tiers.ts';
import { isPostgresUrl, openStorage } from '../../storage/open-storage.ts';
import { NoDatabase } from '../../storage/storage-unavailable.ts';
import type { StoredKey } from '../../storage/stores/key-store.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { formatCount, formatTable } from '../../terminal/table.ts';
import { PERMISSIONS, type Tier } from '../../vocabulary.ts';
import { operator } from '../operator.ts';

/** Prints the secret, which is not shown again. */
export async function keyCreate(
  location: string,
  options: { name: string; tier: Tier; permissions?: string; json?: boolean },
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const newKey = parseNewKey(options);
  const isNew = !isPostgresUrl(location) && !existsSync(location);
  return withKeys(location, { mustExist: false }, async (keys) => {
    const { key, secret } = await keys.create(newKey, operator(), new Date());
    stdout.write(options.json === true ? `${JSON.stringify({ ...describeKey(key), key: secret })}\n` : `${secret}\n`);
    // In a wrong folder, a server elsewhere would not know the key.
    if (isNew) stderr.write(`note: the data directory ${resolve(location)} is new (WHENCE_DATA_DIR)\n`);
    return 0;
  });
}

function parseNewKey({ name, tier, permissions }: { name: string; tier: Tier; permissions?: string }) {
  try {
    const names = permissions?.split(/[\s,]+/).filter((item) => item !== '');
    return { name: parseName(name), tier, permissions: parsePermissions(names ?? PERMISSIONS) };
  } catch (error) {
    throw error instanceof InvalidKey ? new UsageError(error.message) : error;
  }
}

export async function keyList(location: string, options: { json?: boolean }, stdout: Output): Promise<ExitCode> {
  return withKeys(location, { mustExist: true }, async (keys) => {
    const all = await keys.list();
    if (options.json === true) stdout.write(`${JSON.stringify(all.map(describeKey))}\n`);
    else if (all.length === 0) stdout.write('there are no keys\n');
    else {
      const header = ['id', 'name', 'key', 'tier', 'a day', 'permissions', 'created', 'last used', 'state'];
      stdout.write(formatTable([header, ...all.map(tableRow)]));
    }
    return 0;
  });
}

function tableRow(stored: StoredKey): string[] {
  const key = fromStored(stored);
  const isAll = key?.permissions.length === PERMISSIONS.length;
  return [
    stored.id,
    stored.name,
    stored.masked,
    stored.tier,
    key === undefined ? 'unknown' : limitOf(key.tier),
    isAll ? 'all' : stored.permissions.join(' '),
    day(stored.createdAt),
    stored.lastUsedAt === undefined ? 'never' : day(stored.lastUsedAt),
    stored.revokedAt === undefined ? 'active' : `revoked ${day(stored.revokedAt)}`,
  ];
}

function limitOf(tier: Tier): string {
  const { requestsPerDay } = TIERS[tier];
  return requestsPerDay === Number.POSITIVE_INFINITY ? 'unlimited' : formatCount(requestsPerDay);
}

const day = (date: Date) => date.toISOString().slice(0, 10);

/**
 * When this returns, no process of the deployment accepts the key. It is named by its id, or by the secret itself or its
 * masked form: who finds a leaked key has that and not the id. A secret is never printed.
 */
export async function keyRevoke(
  location: string,
  name: string,
  options: { json?: boolean },
  stdout: Output,
): Promise<ExitCode> {
  return withKeys(location, { mustExist: true }, async (keys) => {
    const id = await findId(keys, name);
    const outcome = await keys.revoke(id, operator(), new Date());
    if (outcome === 'unknown') throw new CommandError(`there is no key ${id}; whence key list shows them`);
    stdout.write(options.json === true ? `${JSON.stringify({ id, outcome })}\n` : `${id} is ${outcome}\n`);
    return 0;
  });
}

async function findId(keys: Keys, name: string): Promise<string> {
  const unknown = (why: string) => new CommandError(`${why}; whence key list shows the keys and their ids`);
  if (isWellFormed(name)) {
    const key = await keys.findBySecret(name);
    if (key === undefined) throw unknown('there is no key with this secret');
    return key.id;
  }
  if (!looksLikeSecret(name)) return name;
  const masked = name.replace('...', '…');
  const matching = await keys.findByMasked(masked);
  const [key, ...others] = matching;
  if (key === undefined) throw unknown('this is neither the id nor the whole secret of a key');
  if (others.length > 0) throw unknown(`${matching.length} keys are shown like this`);
  return key.id;
}

/** `location` is as `openStorage` takes it. */
async function withKeys(
  location: string,
  options: { mustExist: boolean },
  work: (keys: Keys) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      const storage = await openStorage(location, options).catch((error) => {
        throw error instanceof NoDatabase && !isPostgresUrl(location) ? noKeysHere(location) : error;
      });
      try {
        return await work(new Keys(storage.keys, new AuditLog(storage.audit)));
      } finally {
        await storage.close();
      }
    },
    'keys',
  );
}

function noKeysHere(dataDir: string): CommandError {
  return new CommandError(
    `there are no keys in ${resolve(dataDir)}: set WHENCE_DATA_DIR to the data directory of the server, ` +
      'or run the command in the folder where the server was started',
  );
}
