/** Command-line definitions of `wh ip`, `wh prefix`, `wh asn`, `wh asn search` and `wh mcp`. */
import { type Command, Option } from 'commander';
import { ASN_FIELDS } from '../commands/lookup/asn-answer.ts';
import { FIELDS } from '../fields/fields.ts';
import { ADDRESS_SECTIONS } from '../vocabulary.ts';
import { type Invocation, namesAmong, positiveInteger } from './command.ts';

const asns = () => import('../commands/lookup/asn.ts');
const mcp = () => import('../commands/mcp.ts');

export function defineIp(program: Command, invocation: Invocation): void {
  const { config, now, exitWith } = invocation;
  program
    .command('ip')
    .description('look up addresses in the local dataset')
    .argument(
      '[address...]',
      'addresses, CIDRs, ranges (192.0.2.0-192.0.2.9), files with one per line; - or a pipe: standard input',
    )
    .option('--fields <list>', `print these fields only, comma-separated: ${FIELDS.join(', ')}`)
    .option('--csv', 'print CSV')
    .option('--explain', 'show which source decided each field')
    .option(
      '--include <list>',
      `show more, comma-separated: ${ADDRESS_SECTIONS.join(', ')}`,
      namesAmong(ADDRESS_SECTIONS),
    )
    .addOption(
      new Option(
        '--dataset-version <version>',
        'answer from this version instead of the current one',
      )
        .argParser(positiveInteger)
        .conflicts(['at', 'include', 'history']),
    )
    .addOption(
      new Option(
        '--at <day>',
        'answer from the version that was the newest at the end of this day (UTC), 2026-11-15',
      ).conflicts(['include', 'history']),
    )
    .addOption(
      new Option(
        '--history',
        'show how the record changed over the versions that are kept',
      ).conflicts(['explain', 'include']),
    )
    .action(async (addresses: string[], options) => {
      if (
        options.history === true ||
        options.at !== undefined ||
        options.datasetVersion !== undefined
      ) {
        const { pastIpCommand } = await import('../commands/lookup/past-ip.ts');
        await exitWith(
          pastIpCommand(config('read').dataDir, addresses, options, now(), invocation),
        );
        return;
      }
      const { ipCommand } = await import('../commands/lookup/ip.ts');
      await exitWith(ipCommand(config('read'), addresses, options, invocation));
    });
}

export function definePrefix(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  program
    .command('prefix')
    .description(
      'show what is announced inside prefixes: networks, types, countries, flags, the largest parts',
    )
    .argument('[cidr...]', '192.0.2.0/24, files with one per line; - or a pipe: standard input')
    .action(async (cidrs: string[], options) => {
      const { prefixCommand } = await import('../commands/lookup/prefix.ts');
      await exitWith(prefixCommand(config('read'), cidrs, options, invocation));
    });
}

export function defineAsn(program: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  const asn = program
    .command('asn')
    .description('look up networks by AS number')
    .argument(
      '[number...]',
      '15169, AS15169, ranges (AS64496-AS64511), files with one per line; - or a pipe: standard input',
    )
    .enablePositionalOptions()
    .option('--prefixes', 'list every prefix of the network')
    .option('--fields <list>', `print these fields only, comma-separated: ${ASN_FIELDS.join(', ')}`)
    .option('--csv', 'print CSV')
    .action(async (numbers: string[], options) =>
      exitWith((await asns()).asnCommand(config('read'), numbers, options, invocation)),
    );
  asn
    .command('search')
    .description('find networks by name or handle')
    .argument('<text...>', 'part of a name, case-insensitive')
    .option('--limit <count>', 'number of results, at most 100', positiveInteger, 20)
    .action(async (words: string[], options) =>
      exitWith(
        (await asns()).asnSearchCommand(config('read'), words.join(' '), options, invocation),
      ),
    );
}

export function defineMcp(program: Command, { config, stdin, stdout, exitWith }: Invocation): void {
  program
    .command('mcp')
    .description(
      'answer a program that speaks the Model Context Protocol on standard input, from the local dataset',
    )
    .action(async () => exitWith((await mcp()).mcpCommand(config('read'), stdin(), stdout)));
}
