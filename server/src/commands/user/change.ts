/** `whence user set-role` and `whence user disable`. */
import type { Role } from '../../accounts/role.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { describe, type Options, operator, type Place, withAccount } from './with-accounts.ts';

export async function userChange(
  place: Place,
  name: string,
  change: { role?: Role; isDisabled?: boolean },
  { json }: Options,
  stdout: Output,
  stderr: Output,
): Promise<ExitCode> {
  return withAccount(place, name, async (accounts, account) => {
    const outcome = await accounts.change(account, change, operator(), new Date());
    if (outcome === 'last admin') {
      stderr.write(`error: ${account.name} is the last administrator; make another one first\n`);
      return 1;
    }
    const now = (await accounts.find(account.id)) ?? account;
    const { id, role, state } = describe(now);
    stdout.write(json === true ? `${JSON.stringify({ id, role, state })}\n` : `${account.name} is ${role}, ${state}\n`);
    return 0;
  });
}
