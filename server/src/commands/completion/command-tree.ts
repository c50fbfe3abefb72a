/** The commands as plain data, for scripts that complete them. */
import type { Command, Option } from 'commander';

export type CommandNode = {
  /** `['key', 'create']`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly subcommands: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  /** Values that an argument can have, if it is one of a list. */
  readonly choices: readonly string[];
  /** Whether an argument can be the name of a file. */
  readonly takesFiles: boolean;
};

export type OptionNode = {
  readonly short: string | undefined;
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly takesFiles: boolean;
  readonly choices: readonly string[];
};

export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help: OptionNode = {
    short: '-h',
    long: '--help',
    description: 'display help for command',
    takesValue: false,
    takesFiles: false,
    choices: [],
  };
  return {
    path,
    description: command.description(),
    subcommands: command.commands.map((sub) => commandTree(sub, [...path, sub.name()])),
    options: [...command.options.flatMap(optionNode), help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesFiles: command.registeredArguments.some((argument) =>
      /\bfiles?\b/.test(`${argument.name()} ${argument.description}`),
    ),
  };
}

function optionNode({ flags, short, long, description, required, optional, argChoices, hidden }: Option): OptionNode[] {
  if (long === undefined || long === null || hidden) return [];
  return [
    {
      short,
      long,
      description,
      takesValue: required || optional,
      takesFiles: /<(path|file|folder|place)>/.test(flags),
      choices: argChoices ?? [],
    },
  ];
}

/** The node and all below it. */
export function everyNode(node: CommandNode): CommandNode[] {
  return [node, ...node.subcommands.flatMap(everyNode)];
}

export const nameOf = ({ path }: CommandNode): string => path.at(-1) ?? '';
