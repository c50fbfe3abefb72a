/** Command-line definitions of `wh summarize` and `wh grepip`: commands that find addresses in text. */
import type { Command } from 'commander';
import { type Invocation, positiveInteger } from './command.ts';

const FILES = 'files, plain or gzip (default: standard input, also as -)';

export function defineSummarize(program: Command, invocation: Invocation): void {
  program
    .command('summarize')
    .description('count the addresses of a log by country, network, type and flag')
    .argument('[file...]', FILES)
    .option('--all', 'count all addresses of a line, not only the first')
    .option('--limit <count>', 'entries per list', positiveInteger, 10)
    .action(async (files: string[], options) => {
      const { summarizeCommand } = await import('../commands/text/summarize.ts');
      await invocation.exitWith(summarizeCommand(invocation.config('read'), files, options, invocation));
    });
}

export function defineGrepip(program: Command, invocation: Invocation): void {
  program
    .command('grepip')
    .description('print the lines of a text that have an IP address')
    .argument('[file...]', FILES)
    .option('-o, --only-matching', 'print the addresses instead of the lines')
    .option('-4, --ipv4', 'only IPv4 addresses')
    .option('-6, --ipv6', 'only IPv6 addresses')
    .option('-x, --exclude-reserved', 'not those in private and other special ranges')
    .option('--no-filename', 'with several files, do not print their names')
    .action(async (files: string[], options) => {
      const { grepipCommand } = await import('../commands/text/grepip.ts');
      await invocation.exitWith(grepipCommand(files, options, invocation));
    });
}
