/** `whence user create|list|reset-password|set-role|disable|setup-link`, as it is typed. */
import { Argument, type Command, Option } from 'commander';
import { ROLES, type Role } from '../accounts/role.ts';
import type { Invocation } from './invocation.ts';
import { jsonOption } from './options.ts';

export function defineUser(program: Command, { config, stdout, stderr, exitWith }: Invocation): void {
  const user = program.command('user').description('manage accounts of the dashboard');
  user
    .command('create')
    .description('create an account and print the one-time link with which its password is set')
    .argument('<name>', 'name to sign in with')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES).default('member'))
    .addOption(jsonOption())
    .action(async (name: string, options) => {
      const { userCreate } = await import('../commands/user/create.ts');
      exitWith(await userCreate(config(), name, options, stdout));
    });
  user
    .command('list')
    .description('list all accounts')
    .addOption(jsonOption())
    .action(async (options) => {
      const { userList } = await import('../commands/user/list.ts');
      exitWith(await userList(config(), options, stdout));
    });
  user
    .command('reset-password')
    .description('print a one-time link with which a new password is set')
    .argument('<name>', 'name or id of the account')
    .addOption(jsonOption())
    .action(async (name: string, options) => {
      const { userResetPassword } = await import('../commands/user/reset-password.ts');
      exitWith(await userResetPassword(config(), name, options, stdout));
    });
  user
    .command('set-role')
    .description('change what an account may do')
    .argument('<name>', 'name or id of the account')
    .addArgument(new Argument('<role>', 'new role').choices(ROLES))
    .addOption(jsonOption())
    .action(async (name: string, role: Role, options) => {
      const { userChange } = await import('../commands/user/change.ts');
      exitWith(await userChange(config(), name, { role }, options, stdout, stderr));
    });
  user
    .command('disable')
    .description('end all sessions of an account and let it sign in no more; its keys stay')
    .argument('<name>', 'name or id of the account')
    .option('--undo', 'let it sign in again')
    .addOption(jsonOption())
    .action(async (name: string, options) => {
      const { userChange } = await import('../commands/user/change.ts');
      exitWith(await userChange(config(), name, { isDisabled: options.undo !== true }, options, stdout, stderr));
    });
  user
    .command('setup-link')
    .description('print a one-time link with which an administrator account is made')
    .addOption(jsonOption())
    .action(async (options) => {
      const { userSetupLink } = await import('../commands/user/setup-link.ts');
      exitWith(await userSetupLink(config(), options, stdout));
    });
}
