/**
 * The link that sets up the dashboard: made at every start as long as there is no account. Like the first key it is
 * printed, or written to a file that only its owner can read.
 */
import { join } from 'node:path';
import { Accounts } from '../../accounts/accounts.ts';
import { linkPath } from '../../accounts/one-time-links.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import type { FirstKey } from '../../settings/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { PROGRAM } from '../../terminal/program-name.ts';
import { writeOwnerOnlyFile } from './owner-only-file.ts';

/** What to tell the person who started the server; empty if there is an account. */
export async function makeFirstSetupLink(
  storage: Storage,
  { firstKey, dataDir, url }: { firstKey: FirstKey; dataDir: string; url: string },
): Promise<string> {
  const accounts = new Accounts(storage, new AuditLog(storage.audit));
  if (firstKey === 'off' || !(await accounts.isEmpty())) return '';
  const link = `${url}${linkPath(await accounts.makeSetupLink({ name: 'whence serve' }, new Date()))}`;
  if (firstKey === 'print') return printed(link);
  const path = join(dataDir, 'setup-link');
  writeOwnerOnlyFile(path, link);
  return `\nA link that sets up the dashboard is in ${path}. It works once, for 24 hours.\n\n`;
}

function printed(link: string): string {
  return `
Set up the dashboard with this link. It works once, for 24 hours; ${PROGRAM} user setup-link makes another:

  ${link}

`;
}
