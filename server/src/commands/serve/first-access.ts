// The first key, made once if there is none, and the set-up link, made at every start without an
// account. Printed, or written to a file that only its owner can read.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Accounts } from '../../accounts/accounts.ts';
import { linkPath } from '../../accounts/one-time-links.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { Keys } from '../../keys/keys.ts';
import type { FirstKey } from '../../settings/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { FIRST_KEY_PERMISSIONS } from '../../vocabulary.ts';

/** In the audit log. */
const SERVE = { name: 'wh serve' };

/** Without a daily limit: it is for trying Whence on one's own machine. */
const FIRST = {
  name: 'quickstart',
  tier: 'enterprise',
  permissions: FIRST_KEY_PERMISSIONS,
} as const;

type Place = { readonly firstKey: FirstKey; readonly dataDir: string; readonly url: string };

/**
 * Output for the person who started the server: the key immediately, because it is shown only once,
 * and the example when a lookup can be answered.
 */
export type FirstKeyTexts = { readonly key: string; readonly example: string };
export const NO_FIRST_KEY: FirstKeyTexts = { key: '', example: '' };

/** Both texts are empty if there are keys. */
export async function makeFirstKey(
  storage: Pick<Storage, 'keys' | 'audit'>,
  { firstKey, dataDir, url }: Place,
): Promise<FirstKeyTexts> {
  const keys = new Keys(storage.keys, new AuditLog(storage.audit));
  if (firstKey === 'off') return (await keys.isEmpty()) ? { key: NONE, example: '' } : NO_FIRST_KEY;
  if (firstKey === 'print') {
    const created = await keys.createFirst(FIRST, SERVE, new Date());
    return created === undefined ? NO_FIRST_KEY : printed(created.secret, url);
  }
  return withDataDirErrors(
    dataDir,
    async () => {
      const path = join(dataDir, 'first-key');
      // Under a name of its own first: another process may be making the first key at the same
      // time.
      const unfinished = `${path}.${process.pid}`;
      const created = await keys.createFirst(FIRST, SERVE, new Date(), (secret) =>
        writeOwnerOnlyFile(unfinished, secret),
      );
      if (created === undefined) rmSync(unfinished, { force: true });
      else renameSync(unfinished, path);
      const isThere = created !== undefined || (await recover(keys, path));
      return isThere ? inFile(path, url) : NO_FIRST_KEY;
    },
    'keys',
  );
}

/**
 * A process that was killed after it stored the key and before it gave the file its name has left
 * it under another.
 */
async function recover(keys: Keys, path: string): Promise<boolean> {
  for (const name of readdirSync(dirname(path)).filter((name) =>
    name.startsWith(`${basename(path)}.`),
  )) {
    const unfinished = join(dirname(path), name);
    if ((await keys.findBySecret(readFileSync(unfinished, 'utf8').trim())) === undefined) continue;
    renameSync(unfinished, path);
    return true;
  }
  return false;
}

const NONE = `\nThere is no key yet, and WHENCE_FIRST_KEY is off: ${PROGRAM} key create --name NAME makes one.\n`;

function printed(secret: string, url: string): FirstKeyTexts {
  return {
    key: `
A first key, tier Enterprise (no daily limit), was made for you. It is shown only this once:

  ${secret}

`,
    example: exampleOf(`'X-API-Key: ${secret}'`, url),
  };
}

function inFile(path: string, url: string): FirstKeyTexts {
  return {
    key: `
A first key, tier Enterprise (no daily limit), is in ${path}, which only this user can read. Keep it elsewhere and
remove the file: only a hash of it is stored.

`,
    example: exampleOf(`"X-API-Key: $(cat ${path})"`, url),
  };
}

const exampleOf = (header: string, url: string): string => `
Try it:

  curl -H ${header} ${url}/v1/ip/8.8.8.8

`;

/** For a server without a decision on automatic updates. */
export const FRESH_DATA = `Without current lists a threat is not known. Fetch them: ${PROGRAM} dataset update\n`;

/** What to tell the person who started the server; empty if there is an account. */
export async function makeFirstSetupLink(
  storage: Storage,
  { firstKey, dataDir, url }: Place,
): Promise<string> {
  const accounts = new Accounts(storage, new AuditLog(storage.audit));
  if (firstKey === 'off' || !(await accounts.isEmpty())) return '';
  const link = `${url}${linkPath(await accounts.makeSetupLink(SERVE, new Date()))}`;
  if (firstKey === 'print')
    return `
Set up the dashboard with this link. It works once, for 24 hours; ${PROGRAM} user setup-link makes another:

  ${link}

`;
  const path = join(dataDir, 'setup-link');
  writeOwnerOnlyFile(path, link);
  return `\nA link that sets up the dashboard is in ${path}. It works once, for 24 hours.\n\n`;
}

/**
 * Replaces a file of that name, which may be readable by others or be a link to a file elsewhere.
 */
export function writeOwnerOnlyFile(path: string, line: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, `${line}\n`, { mode: 0o600, flag: 'wx', flush: true });
}
