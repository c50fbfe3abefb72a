/** Command-line definition of `whence crawlers`. */
import type { Command } from 'commander';
import { type Invocation, jsonOption } from './command.ts';

export function defineCrawlers(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  program
    .command('crawlers')
    .description('list the crawlers in an access log, and which of them are what they claim to be')
    .argument(
      '[file]',
      'the log, plain or gzip, in the combined format or JSON lines (default: standard input, also as -)',
    )
    .option('--no-dns', 'verify by the ranges in the local dataset only')
    .addOption(jsonOption())
    .action(async (file: string | undefined, options) => {
      const { crawlersCommand } = await import('../commands/crawlers/crawlers.ts');
      await exitWith(crawlersCommand(file, options, config(), invocation));
    });
}
