/** Command-line definition of `whence crawlers`. */
import type { Command } from 'commander';
import { CRAWLER_STATUSES } from '../vocabulary.ts';
import { type Invocation, namesAmong } from './command.ts';

export function defineCrawlers(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  program
    .command('crawlers')
    .description(
      'list the crawlers and research scanners in an access log, and which crawlers are what they claim to be',
    )
    .argument(
      '[file]',
      'the log, plain or gzip, in the combined format or JSON lines (default: standard input, also as -)',
    )
    .option('--no-dns', 'verify by the ranges and networks in the local dataset only')
    .option(
      '--status <list>',
      `list only addresses that are ${CRAWLER_STATUSES.join(', ')}`,
      namesAmong(CRAWLER_STATUSES),
    )
    .option('--all', 'list all addresses, also the verified ones, and not only the first 50')
    .action(async (file: string | undefined, options) => {
      const { crawlersCommand } = await import('../commands/crawlers/crawlers.ts');
      await exitWith(crawlersCommand(file, options, config('read'), invocation));
    });
}
