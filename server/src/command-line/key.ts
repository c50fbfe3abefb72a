/** Command-line definition of `whence key create|list|revoke`. */
import { type Command, Option } from 'commander';
import { PERMISSIONS, TIER_NAMES } from '../vocabulary.ts';
import { type Invocation, jsonOption } from './command.ts';

export function defineKey(program: Command, { config, stdout, stderr, exitWith }: Invocation): void {
  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--tier <tier>', 'limits of the key').choices(TIER_NAMES).default('free'))
    .option('--permissions <list>', `some of ${PERMISSIONS.join(',')} (default: all)`)
    .addOption(jsonOption())
    .action(async (options) => {
      const { keyCreate } = await import('../commands/key/key.ts');
      exitWith(await keyCreate(config().storageLocation, options, stdout, stderr));
    });
  key
    .command('list')
    .description('list all keys, including revoked ones')
    .addOption(jsonOption())
    .action(async (options) => {
      const { keyList } = await import('../commands/key/key.ts');
      exitWith(await keyList(config().storageLocation, options, stdout));
    });
  key
    .command('revoke')
    .description('revoke a key permanently; when this returns, no process accepts it')
    .argument('<key>', 'id from whence key list, or the key itself')
    .addOption(jsonOption())
    .action(async (name: string, options) => {
      const { keyRevoke } = await import('../commands/key/key.ts');
      exitWith(await keyRevoke(config().storageLocation, name, options, stdout));
    });
}
