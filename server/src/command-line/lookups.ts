/** Command-line definitions of `whence ip`, `whence asn` and `whence asn search`. */
import type { Command } from 'commander';
import { ADDRESS_SECTIONS } from '../vocabulary.ts';
import { type Invocation, jsonOption, namesAmong, positiveInteger } from './command.ts';

export function defineIp(program: Command, { config, stdout, exitWith }: Invocation): void {
  program
    .command('ip')
    .description('look up addresses in the local dataset')
    .argument('<address...>', 'IPv4 or IPv6 addresses')
    .option('--explain', 'show which source decided each field')
    .option(
      '--include <list>',
      `show more, comma-separated: ${ADDRESS_SECTIONS.join(', ')}`,
      namesAmong(ADDRESS_SECTIONS),
    )
    .addOption(jsonOption())
    .action(async (addresses: string[], options) => {
      const { ipCommand } = await import('../commands/ip.ts');
      exitWith(await ipCommand(config(), addresses, options, stdout));
    });
}

export function defineAsn(program: Command, { config, stdout, exitWith }: Invocation): void {
  const asn = program
    .command('asn')
    .description('look up a network by its AS number')
    .argument('<number>', '15169 or AS15169')
    .enablePositionalOptions()
    .option('--prefixes', 'list every prefix it announces')
    .addOption(jsonOption())
    .action(async (number: string, options) => {
      const { asnCommand } = await import('../commands/asn.ts');
      exitWith(asnCommand(config().dataDir, number, options, stdout));
    });
  asn
    .command('search')
    .description('find networks by name or handle')
    .argument('<text...>', 'part of a name, case-insensitive')
    .option('--limit <count>', 'number of results, at most 100', positiveInteger, 20)
    .addOption(jsonOption())
    .action(async (words: string[], options) => {
      const { asnSearchCommand } = await import('../commands/asn.ts');
      exitWith(asnSearchCommand(config().dataDir, words.join(' '), options, stdout));
    });
}
