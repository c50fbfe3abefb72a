/**
 * What the definitions of all commands share: the process they run in, common options, and argument
 * parsers.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../settings/config.ts';
import type { Purpose } from '../settings/data-folder.ts';
import type { ExitCode } from '../terminal/exit.ts';
import type { CommandStreams } from '../terminal/output.ts';

export type Invocation = CommandStreams & {
  /** Read when a command runs, so that --help works with an invalid setting. */
  readonly config: (purpose: Purpose) => Config;
  /**
   * The same for commands on keys, accounts and counts; says if a server that is running uses
   * another data directory.
   */
  readonly storage: () => Promise<Config>;
  readonly now: () => Date;
  readonly exitWith: (exitCode: ExitCode | Promise<ExitCode>) => Promise<void>;
  /** The program with all commands, whichever is running. */
  readonly everyCommand: () => Promise<Command>;
};

/** Creating something in a data directory that no server uses yet is rarely meant. */
export const newOption = () => new Option('--new', 'start an empty database if there is none');

/** Commands that need no data. The server has settings only. */
const WITHOUT_DATA = ['serve', 'completion', 'sync', 'watch run'];
/** Commands that can ask a server instead. */
const WITH_SERVER = [
  ...['ip', 'prefix', 'asn', 'search', 'email', 'reports', 'sync'],
  ...['watch add', 'watch list', 'watch remove', 'watch accept'],
];
/** Commands that print something else than an answer. */
const WITHOUT_JSON = ['serve', 'completion', 'mcp', 'watch run'];

export function addCommonOptions(command: Command, isUsingData = true): void {
  for (const subcommand of command.commands) {
    // What these commands are called is the name of others too.
    const name = command.name() === 'watch' ? `watch ${subcommand.name()}` : subcommand.name();
    const hasData = isUsingData && !WITHOUT_DATA.includes(name);
    addCommonOptions(subcommand, hasData);
    // Groups of commands have no arguments of their own.
    if (subcommand.commands.length > 0 && subcommand.registeredArguments.length === 0) continue;
    const hasJson =
      WITHOUT_JSON.includes(name) || subcommand.options.some(({ long }) => long === '--json');
    if (!hasJson) subcommand.addOption(jsonOption());
    if (WITH_SERVER.includes(name))
      subcommand
        .option('--url <url>', 'ask this server, not this machine (default: WHENCE_URL)')
        .option('--key <key>', 'API key for --url (default: WHENCE_KEY)');
    if (hasData)
      subcommand.option(
        '--data-dir <folder>',
        'data directory (default: WHENCE_DATA_DIR; docs/cli.md)',
      );
  }
}

export const jsonOption = () => new Option('--json', 'print JSON');

export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}

/**
 * Names separated by commas, each one of `allowed`; blanks around them are allowed, and duplicates
 * count once.
 */
export function namesAmong<Name extends string>(
  allowed: readonly Name[],
): (text: string) => ReadonlySet<Name> {
  return (text) => {
    const names = text.split(',').map((name) => name.trim());
    const chosen = allowed.filter((name) => names.includes(name));
    if (chosen.length < new Set(names).size)
      throw new InvalidArgumentError(`It must be a list of ${allowed.join(', ')}.`);
    return new Set(chosen);
  };
}

export function commaList(text: string): string[] {
  return text.split(',').map((value) => value.trim());
}
