/** `whence key create`: prints the secret of a new key, which is not shown again. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeKey, InvalidKey, parseName, parsePermissions } from '../../keys/key.ts';
import { PERMISSIONS, type Tier } from '../../keys/tiers.ts';
import { isPostgresUrl } from '../../storage/open-storage.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { withKeys } from './with-keys.ts';

export async function keyCreate(
  location: string,
  options: { name: string; tier: Tier; permissions?: string; json?: boolean },
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  const newKey = parseNewKey(options);
  const isNew = !isPostgresUrl(location) && !existsSync(location);
  return withKeys(location, { mustExist: false }, async (keys) => {
    const { key, secret } = await keys.create(newKey, new Date());
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
