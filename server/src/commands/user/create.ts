/** `whence user create`. */
import type { Role } from '../../accounts/role.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { type Options, operator, type Place, urlOf, withAccounts } from './with-accounts.ts';

/** The account has no password until its link is used. */
export async function userCreate(
  place: Place,
  name: string,
  { json, role }: Options & { role: Role },
  stdout: Output,
): Promise<ExitCode> {
  return withAccounts(place, { mustExist: false }, async (accounts) => {
    const account = await accounts.create(name, role, operator(), new Date());
    const made = await accounts.makeResetLink(account, operator(), new Date());
    const { id } = account;
    if (json === true) stdout.write(`${JSON.stringify({ id, name: account.name, role, link: urlOf(place, made) })}\n`);
    else
      stdout.write(`${account.name} (${role}) sets a password here, within 24 hours:\n\n  ${urlOf(place, made)}\n\n`);
    return 0;
  });
}
