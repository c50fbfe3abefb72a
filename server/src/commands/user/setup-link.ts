/** `whence user setup-link`. */
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { type Options, operator, type Place, urlOf, withAccounts } from './with-accounts.ts';

/** For a new administrator, also where there are others: a user who can run this owns the server. */
export async function userSetupLink(place: Place, { json }: Options, stdout: Output): Promise<ExitCode> {
  return withAccounts(place, { mustExist: false }, async (accounts) => {
    const link = urlOf(place, await accounts.makeSetupLink(operator(), new Date()));
    stdout.write(json === true ? `${JSON.stringify({ link })}\n` : `${link}\n`);
    return 0;
  });
}
