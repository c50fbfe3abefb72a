/** Command-line definition of `whence user create|list|reset-password|set-role|disable|setup-link|links|revoke-link`. */
import { Argument, type Command, Option } from 'commander';
import { ROLES, type Role } from '../vocabulary.ts';
import { type Invocation, jsonOption } from './command.ts';

const users = () => import('../commands/user/user.ts');

export function defineUser(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  const user = program.command('user').description('manage accounts of the dashboard');
  user
    .command('create')
    .description('create an account and print a one-time link for setting its password')
    .argument('<name>', 'name to sign in with')
    .addOption(new Option('--role <role>', 'role of the account').choices(ROLES).default('member'))
    .addOption(jsonOption())
    .action(async (name: string, options) => exitWith((await users()).userCreate(config(), name, options, invocation)));
  user
    .command('list')
    .description('list all accounts')
    .addOption(jsonOption())
    .action(async (options) => exitWith((await users()).userList(config(), options, invocation)));
  user
    .command('reset-password')
    .description('print a one-time link for setting a new password')
    .argument('<name>', 'name or id of the account')
    .addOption(jsonOption())
    .action(async (name: string, options) =>
      exitWith((await users()).userResetPassword(config(), name, options, invocation)),
    );
  user
    .command('set-role')
    .description('change the role of an account')
    .argument('<name>', 'name or id of the account')
    .addArgument(new Argument('<role>', 'new role').choices(ROLES))
    .addOption(jsonOption())
    .action(async (name: string, role: Role, options) =>
      exitWith((await users()).userChange(config(), name, { role }, options, invocation)),
    );
  user
    .command('disable')
    .description('disable an account and end all of its sessions; its keys remain valid')
    .argument('<name>', 'name or id of the account')
    .option('--undo', 'enable the account again')
    .addOption(jsonOption())
    .action(async (name: string, options) =>
      exitWith((await users()).userChange(config(), name, { isDisabled: options.undo !== true }, options, invocation)),
    );
  user
    .command('setup-link')
    .description('print a one-time link for creating an administrator account')
    .addOption(jsonOption())
    .action(async (options) => exitWith((await users()).userSetupLink(config(), options, invocation)));
  user
    .command('links')
    .description('list one-time links that have not been used: invitations, password resets, set-up')
    .addOption(jsonOption())
    .action(async (options) => exitWith((await users()).userLinks(config(), options, invocation)));
  user
    .command('revoke-link')
    .description('revoke a one-time link')
    .argument('<id>', 'id of the link')
    .addOption(jsonOption())
    .action(async (id: string, options) => exitWith((await users()).userRevokeLink(config(), id, options, invocation)));
}
