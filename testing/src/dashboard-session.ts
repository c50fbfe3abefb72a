/**
 * Accounts of the dashboard, made as an operator makes them: a command prints a link, and the link
 * sets the password.
 */
import { ANY_CORE, type PinnedProcesses } from './pinned-processes.ts';
import { WHENCE } from './whence-program.ts';

export type DashboardSession = {
  readonly accountId: string;
  /** `name=value`, for the header Cookie. */
  readonly cookie: string;
  readonly csrfToken: string;
};

const COMMAND_MS = 10_000;
const PASSWORD = 'nine lighthouses at low tide';

export type MadeAccount = {
  readonly id: string;
  readonly name: string;
  readonly linkToken: string;
};

export async function createAccount(
  processes: PinnedProcesses,
  dataDir: string,
  name: string,
  role: 'viewer' | 'admin',
): Promise<MadeAccount> {
  const args = [WHENCE, 'user', 'create', '--new', name, '--role', role, '--json'];
  const output = await processes.run(ANY_CORE, process.execPath, args, COMMAND_MS, {
    WHENCE_DATA_DIR: dataDir,
  });
  // Printed by our own program, hence the cast.
  const { id, link } = JSON.parse(output) as { id: string; link: string };
  return { id, name, linkToken: link.slice(link.indexOf('#') + 1) };
}

/** Uses the link of an account, which signs it in. */
export async function openSession(
  port: number,
  { id, linkToken }: MadeAccount,
): Promise<DashboardSession> {
  const origin = `http://127.0.0.1:${port}`;
  const response = await fetch(`${origin}/dashboard/api/links/redeem`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin, 'X-CSRF-Token': 'none' },
    body: JSON.stringify({ token: linkToken, password: PASSWORD }),
  });
  const answer = (await response.json()) as { data: { csrf_token?: string; error?: string } };
  const cookie = response.headers.get('Set-Cookie')?.split(';')[0];
  const { csrf_token: csrfToken, error } = answer.data;
  if (cookie === undefined || csrfToken === undefined)
    throw new Error(`the link of the account was refused: ${response.status} ${error}`);
  return { accountId: id, cookie, csrfToken };
}
