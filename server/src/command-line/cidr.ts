/** Command-line definition of `wh cidr`. */
import { type Command, Option } from 'commander';
import type { Invocation } from './command.ts';

const cidrs = () => import('../commands/cidr/cidr.ts');

const RANGES = 'CIDRs, ranges, addresses, files with one per line; - or a pipe: standard input';
const toOption = (description: string) => new Option('--to <form>', description).choices(['cidr', 'range']);

export function defineCidr(program: Command, invocation: Invocation): void {
  const { exitWith } = invocation;
  const cidr = program
    .command('cidr')
    .description('convert ranges to CIDRs and CIDRs to ranges; test, merge')
    .argument('[range...]', RANGES)
    .enablePositionalOptions()
    .addOption(toOption('what to print (default: the form that was not given)'))
    .action(async (ranges: string[], options) => exitWith((await cidrs()).cidrCommand(ranges, options, invocation)));
  cidr
    .command('contains')
    .description('whether a CIDR contains others; exit code 0 if it contains all')
    .argument('<container>', 'CIDR or range')
    .argument('[range...]', RANGES)
    .action(
      async (container: string, ranges: string[], options) =>
        await exitWith((await cidrs()).cidrContainsCommand(container, ranges, options, invocation)),
    );
  cidr
    .command('merge')
    .description('print the shortest list of CIDRs that has the same addresses')
    .argument('[range...]', RANGES)
    .addOption(toOption('what to print').default('cidr'))
    .action(
      async (ranges: string[], options) =>
        await exitWith((await cidrs()).cidrMergeCommand(ranges, options, invocation)),
    );
}
