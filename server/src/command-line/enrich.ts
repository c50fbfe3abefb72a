/** Command-line definition of `whence enrich`. */

import { FLAGS } from '@whence/dataset/record';
import { type Command, Option } from 'commander';
import { FORMATS } from '../enrich/formats/format.ts';
import { FIELDS } from '../fields/fields.ts';
import { flagName } from '../vocabulary.ts';
import { commaList, type Invocation, keyOption, positiveInteger, urlOption } from './command.ts';

export function defineEnrich(program: Command, invocation: Invocation): void {
  program
    .command('enrich')
    .description('add network data to the addresses in a log, as a stream')
    .argument('[file]', 'the log, plain or gzip (default: standard input, also as -)')
    .addOption(new Option('--format <format>', 'format of the log').choices(FORMATS).default('auto'))
    .option(
      '--address <list>',
      'where the address is: ndjson paths such as client.ip, the first that holds one; csv column, by name or number',
      commaList,
    )
    .option('--delimiter <character>', 'csv: column delimiter (default: detected among comma, semicolon, tab)')
    .option('--no-header', 'csv: the first row is not a header')
    .option('--as <name>', 'ndjson: name of the new member (default: whence); csv: prefix of the new columns')
    .option('--all', 'lines, ndjson: add an array for all addresses, not only the first')
    .option('--fields <list>', `fields to add, from ${FIELDS.join(', ')}`)
    .option('--full', 'add the whole record')
    .option('--only <flags>', `only records whose address has one of these flags: ${FLAGS.map(flagName).join(', ')}`)
    .option('--not <flags>', 'no records whose address has one of these flags')
    .option('--output <path>', 'write to a file, which appears when it is complete')
    .option('--jobs <count>', 'threads that work on the log; the order of lines is kept', positiveInteger, 1)
    .option('--json', 'print the summary as JSON')
    .addOption(urlOption())
    .addOption(keyOption())
    .action(async (file: string | undefined, options) => {
      const { enrichCommand } = await import('../commands/enrich/enrich.ts');
      const { config, now, exitWith } = invocation;
      await exitWith(enrichCommand(config('read'), file, options, now, invocation));
    });
}
