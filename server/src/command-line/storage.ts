/** `whence storage migrate|check`, as it is typed. */
import type { Command } from 'commander';
import type { Invocation } from './invocation.ts';
import { jsonOption } from './options.ts';

export function defineStorage(program: Command, { config, stdout, exitWith }: Invocation): void {
  const storage = program.command('storage').description('move and check the storage of keys, counts and accounts');
  storage
    .command('migrate')
    .description('copy the storage to another database and compare the copy; stop all servers first')
    .requiredOption('--to <place>', 'postgres:// URL (PGPASSWORD for its password), or a data directory for SQLite')
    .option('--replace', 'also if the target has keys that this storage does not have')
    .addOption(jsonOption())
    .action(async (options) => {
      const { storageMigrate } = await import('../commands/storage/migrate.ts');
      exitWith(await storageMigrate(config(), options, stdout));
    });
  storage
    .command('check')
    .description('show what is in the storage, how fast it answers and what is wrong with it')
    .addOption(jsonOption())
    .action(async (options) => {
      const { storageCheck } = await import('../commands/storage/check.ts');
      exitWith(await storageCheck(config(), options, stdout));
    });
}
