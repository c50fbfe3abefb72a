/** Command-line definitions of `wh serve` and `wh storage migrate|check`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROGRAM } from '../terminal/program-name.ts';
import type { Invocation } from './command.ts';

const servers = () => import('../commands/serve/serve.ts');
const storages = () => import('../commands/storage/storage.ts');

export function defineServe(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  program
    .command('serve')
    .addOption(settingOption('--host <address>', 'WHENCE_HOST'))
    .addOption(settingOption('--port <port>', 'WHENCE_PORT'))
    .addOption(settingOption('--data-dir <folder>', 'WHENCE_DATA_DIR'))
    .description(
      'serve the HTTP API; the first start builds or pulls the dataset and creates a key',
    )
    .action(async () => exitWith((await servers()).serve(config('serve'), invocation)));
}

export function defineStorage(program: Command, invocation: Invocation): void {
  const { storage, exitWith } = invocation;
  const group = program
    .command('storage')
    .description('move and check the storage of keys, counts and accounts');
  group
    .command('migrate')
    .description(
      'copy the storage to another database and compare the copy; stop all servers first',
    )
    .requiredOption(
      '--to <place>',
      'postgres:// URL (PGPASSWORD for its password), or a data directory for SQLite',
    )
    .option('--replace', 'remove keys of the target that this storage does not have')
    .action(async (options) =>
      exitWith((await storages()).storageMigrate(await storage(), options, invocation)),
    );
  group
    .command('check')
    .description('show content, response time and problems of the storage')
    .action(async (options) =>
      exitWith((await storages()).storageCheck(await storage(), options, invocation)),
    );
}

/**
 * The server is configured by variables only; options that other programs have name the variable.
 */
function settingOption(flags: string, variable: string): Option {
  return new Option(flags).hideHelp().argParser((): never => {
    throw new InvalidArgumentError(
      `Set ${variable} instead: settings are variables, which ${PROGRAM} serve --help lists.`,
    );
  });
}
