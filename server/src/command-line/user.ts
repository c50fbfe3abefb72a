/**
 * Command-line definition of `wh user
 * create|list|reset-password|set-role|disable|setup-link`.
 */
import { Argument, type Command, Option } from 'commander';
import { ROLES, type Role } from '../vocabulary.ts';
import { type Invocation, newOption } from './command.ts';

const users = () => import('../commands/user/user.ts');

export function defineUser(program: Command, invocation: Invocation): void {
  const { storage, exitWith } = invocation;
  const user = program.command('user').description('manage accounts of the dashboard');
  user
    .command('create')
    .description('create an account and print a one-time link for setting its password')
    .argument('<name>', 'name to sign in with')
    .addOption(new Option('--role <role>', 'role of the account').choices(ROLES).default('member'))
    .option(
      '--domains <list>',
      'domains whose reports it may use: example.com with all below, *.example.com only below; or all',
    )
    .addOption(newOption())
    .action(async (name: string, options) =>
      exitWith((await users()).userCreate(await storage(), name, options, invocation)),
    );
  user
    .command('list')
    .description('list all accounts')
    .action(async (options) =>
      exitWith((await users()).userList(await storage(), options, invocation)),
    );
  user
    .command('reset-password')
    .description('print a one-time link for setting a new password')
    .argument('<name>', 'name or id of the account')
    .action(async (name: string, options) =>
      exitWith((await users()).userResetPassword(await storage(), name, options, invocation)),
    );
  user
    .command('set-role')
    .description('change the role of an account')
    .argument('<name>', 'name or id of the account')
    .addArgument(new Argument('<role>', 'new role').choices(ROLES))
    .action(async (name: string, role: Role, options) =>
      exitWith((await users()).userChange(await storage(), name, { role }, options, invocation)),
    );
  user
    .command('set-domains')
    .description('change whose reports an account may use; its keys keep their lists')
    .argument('<name>', 'name or id of the account')
    .argument(
      '<domains>',
      'separated by commas: example.com with all below, *.example.com only below; or all',
    )
    .action(async (name: string, domains: string, options) =>
      exitWith((await users()).userSetDomains(await storage(), name, domains, options, invocation)),
    );
  user
    .command('disable')
    .description('disable an account and end all of its sessions; its keys remain valid')
    .argument('<name>', 'name or id of the account')
    .option('--undo', 'enable the account again')
    .action(async (name: string, options) =>
      exitWith(
        (await users()).userChange(
          await storage(),
          name,
          { isDisabled: options.undo !== true },
          options,
          invocation,
        ),
      ),
    );
  user
    .command('setup-link')
    .description('print a one-time link for creating an administrator account')
    .addOption(newOption())
    .action(async (options) =>
      exitWith((await users()).userSetupLink(await storage(), options, invocation)),
    );
}
