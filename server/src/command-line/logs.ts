/** Command-line definitions of `wh enrich`, `wh summarize` and `wh crawlers`. */
import { FLAGS } from '@whence/dataset/record';
import { type Command, Option } from 'commander';
import { FORMATS } from '../enrich/formats/format.ts';
import { FIELDS } from '../fields/fields.ts';
import { CRAWLER_STATUSES, flagName } from '../vocabulary.ts';
import { commaList, type Invocation, namesAmong, positiveInteger } from './command.ts';

export function defineEnrich(program: Command, invocation: Invocation): void {
  program
    .command('enrich')
    .description('add network data to the addresses in a log, as a stream')
    .argument('[file]', 'the log, plain or gzip (default: standard input)')
    .addOption(
      new Option('--format <format>', 'format of the log').choices(FORMATS).default('auto'),
    )
    .option(
      '--address <list>',
      'where the address is: ndjson paths such as client.ip, the first that holds one; csv column, by name or number',
      commaList,
    )
    .option(
      '--delimiter <character>',
      'csv: column delimiter (default: detected among comma, semicolon, tab)',
    )
    .option('--no-header', 'csv: the first row is not a header')
    .option(
      '--as <name>',
      'ndjson: name of the new member (default: whence); csv: prefix of the new columns',
    )
    .option('--all', 'lines, ndjson: add an array for all addresses, not only the first')
    .option('--fields <list>', `fields to add, from ${FIELDS.join(', ')}`)
    .option('--full', 'add the whole record')
    .option(
      '--only <flags>',
      `only records whose address has one of these flags: ${FLAGS.map(flagName).join(', ')}`,
    )
    .option('--not <flags>', 'no records whose address has one of these flags')
    .option('--output <path>', 'write to a file, which appears when it is complete')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string | undefined, options) => {
      const { enrichCommand } = await import('../commands/enrich/enrich.ts');
      const { config, now, exitWith } = invocation;
      await exitWith(enrichCommand(config('read'), file, options, now, invocation));
    });
}

const FILES = 'files, plain or gzip (default: standard input)';

export function defineSummarize(program: Command, invocation: Invocation): void {
  program
    .command('summarize')
    .description('count the addresses of a log by country, network, type and flag')
    .argument('[file...]', FILES)
    .option('--all', 'count all addresses of a line, not only the first')
    .option('--limit <count>', 'entries per list', positiveInteger, 10)
    .action(async (files: string[], options) => {
      const { summarizeCommand } = await import('../commands/text/summarize.ts');
      await invocation.exitWith(
        summarizeCommand(invocation.config('read'), files, options, invocation),
      );
    });
}

export function defineCrawlers(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  program
    .command('crawlers')
    .description(
      'list the crawlers and research scanners in an access log, and which crawlers are what they claim to be',
    )
    .argument(
      '[file]',
      'the log, plain or gzip, in the combined format or JSON lines (default: standard input)',
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
