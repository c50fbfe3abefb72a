/** What the definitions of all commands share: the process they run in, common options, and argument parsers. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../settings/config.ts';
import type { ExitCode } from '../terminal/exit.ts';
import type { CommandStreams } from '../terminal/output.ts';

export type Invocation = CommandStreams & {
  /** Read when a command runs, so that --help works with an invalid setting. */
  readonly config: () => Config;
  readonly now: () => Date;
  readonly exitWith: (exitCode: ExitCode | Promise<ExitCode>) => Promise<void>;
  /** The program with all commands, whichever is running. */
  readonly everyCommand: () => Promise<Command>;
};

export const jsonOption = () => new Option('--json', 'print JSON');
export const urlOption = () => new Option('--url <url>', 'ask this server, not this machine (default: WHENCE_URL)');
export const keyOption = () => new Option('--key <key>', 'API key for --url (default: WHENCE_KEY)');

export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}

/** For an option whose number has a maximum. */
export function integerUpTo(max: number): (text: string) => number {
  return (text) => {
    const number = positiveInteger(text);
    if (number > max) throw new InvalidArgumentError(`It must be at most ${max}.`);
    return number;
  };
}

/** Names separated by commas, each one of `allowed`; blanks around them are allowed, and duplicates count once. */
export function namesAmong<Name extends string>(allowed: readonly Name[]): (text: string) => ReadonlySet<Name> {
  return (text) => {
    const names = text.split(',').map((name) => name.trim());
    const known = allowed.filter((name) => names.includes(name));
    if (known.length < new Set(names).size)
      throw new InvalidArgumentError(`It must be a list of ${allowed.join(', ')}.`);
    return new Set(known);
  };
}

/** For an option that can be repeated. */
export function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}
