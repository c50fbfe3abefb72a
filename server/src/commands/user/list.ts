/** `whence user list`. */
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { formatTable } from '../../terminal/table.ts';
import { describe, type Options, type Place, withAccounts } from './with-accounts.ts';

export async function userList(place: Place, { json }: Options, stdout: Output): Promise<ExitCode> {
  return withAccounts(place, { mustExist: true }, async (accounts) => {
    const people = await accounts.list();
    if (json === true) stdout.write(`${JSON.stringify(people.map(describe))}\n`);
    else if (people.length === 0) stdout.write('there are no accounts; whence user setup-link makes the first\n');
    else {
      const rows = people.map((account) => {
        const { id, name, role, created_at, last_sign_in_at = 'never', state } = describe(account);
        return [id, name, role, created_at.slice(0, 10), last_sign_in_at.slice(0, 10), state];
      });
      stdout.write(formatTable([['id', 'name', 'role', 'created', 'signed in', 'state'], ...rows]));
    }
    return 0;
  });
}
