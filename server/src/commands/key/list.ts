/** `whence key list`: every key, with its limit and state. */
import { describeKey, fromStored } from '../../keys/key.ts';
import { PERMISSIONS, TIERS, type Tier } from '../../keys/tiers.ts';
import type { StoredKey } from '../../storage/key-store.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { formatCount, formatTable } from '../../terminal/table.ts';
import { withKeys } from './with-keys.ts';

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
