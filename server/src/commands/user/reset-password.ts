/** `whence user reset-password`. */
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { type Options, operator, type Place, urlOf, withAccount } from './with-accounts.ts';

export async function userResetPassword(
  place: Place,
  name: string,
  { json }: Options,
  stdout: Output,
): Promise<ExitCode> {
  return withAccount(place, name, async (accounts, account) => {
    const made = await accounts.makeResetLink(account, operator(), new Date());
    if (json === true) stdout.write(`${JSON.stringify({ id: account.id, link: urlOf(place, made) })}\n`);
    else stdout.write(`${account.name} sets a new password here, within 24 hours:\n\n  ${urlOf(place, made)}\n\n`);
    return 0;
  });
}
