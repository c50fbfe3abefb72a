/**
 * The accounts of the dashboard, for users who can read the data directory, and what all commands on them share.
 * Passwords are never arguments: a one-time link lets the person choose one.
 */
import { type Account, InvalidAccount } from '../../accounts/account.ts';
import { Accounts } from '../../accounts/accounts.ts';
import { linkPath, type MadeLink } from '../../accounts/one-time-links.ts';
import { type Actor, AuditLog } from '../../audit/audit-log.ts';
import type { Config } from '../../config.ts';
import { serverUrl } from '../../http/server-url.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import { operatorName } from '../operator-name.ts';

export type Options = { json?: boolean };
export type Place = Pick<Config, 'storageLocation' | 'publicUrl' | 'host' | 'port'>;

export async function withAccounts(
  { storageLocation }: Place,
  options: { mustExist: boolean },
  work: (accounts: Accounts) => Promise<ExitCode>,
): Promise<ExitCode> {
  const storage = await openStorage(storageLocation, options);
  try {
    return await work(new Accounts(storage, new AuditLog(storage.audit)));
  } catch (error) {
    throw error instanceof InvalidAccount ? new UsageError(error.message) : error;
  } finally {
    await storage.close();
  }
}

export async function withAccount(
  place: Place,
  name: string,
  work: (accounts: Accounts, account: Account) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withAccounts(place, { mustExist: true }, async (accounts) => {
    const account = (await accounts.findByName(name)) ?? (await accounts.find(name));
    if (account === undefined) throw new UsageError(`there is no account ${name}; whence user list shows them`);
    return work(accounts, account);
  });
}

/** As the audit log names it. */
export const operator = (): Actor => ({ name: operatorName() });

export function urlOf({ publicUrl, host, port }: Place, made: MadeLink): string {
  return `${publicUrl ?? serverUrl(host, port)}${linkPath(made)}`;
}

/** As it is printed. */
export function describe(account: Account) {
  const { id, name, role, createdAt, lastSignInAt, disabledAt, passwordHash, providerSubject } = account;
  const isWaiting = passwordHash === undefined && providerSubject === undefined;
  return {
    id,
    name,
    role,
    created_at: createdAt.toISOString(),
    ...(lastSignInAt === undefined ? {} : { last_sign_in_at: lastSignInAt.toISOString() }),
    state: disabledAt !== undefined ? 'disabled' : isWaiting ? 'has no password yet' : 'active',
  };
}
