/**
 * The commands as plain data: for scripts that complete them, and for the reference page of the
 * documentation.
 */
import { type Argument, type Command, Option } from 'commander';
import { EXAMPLES } from './examples.ts';

export type CommandNode = {
  /** `['key', 'create']`; empty for the program itself. */
  readonly path: readonly string[];
  /** Heading in the help of the program; empty for a subcommand. */
  readonly group: string;
  /** `wh key create [options]`. */
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  /** As they are typed, with `wh`. A group of commands that does nothing itself has none. */
  readonly examples: readonly string[];
  readonly subcommands: readonly CommandNode[];
};

type ValueNode = {
  readonly description: string;
  readonly default: string | undefined;
  readonly choices: readonly string[];
  readonly takesFiles: boolean;
};

/** `name` as it is in the usage: `<key>`, `[address...]`. */
type ArgumentNode = ValueNode & { readonly name: string };

export type OptionNode = ValueNode & {
  readonly short: string | undefined;
  readonly long: string;
  /** `<list>`; undefined if the option takes no value. */
  readonly value: string | undefined;
};

const HELP = new Option('-h, --help', 'display help for command');

export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  return {
    path,
    group: path.length === 1 ? command.helpGroup().replace(/:$/, '') : '',
    usage: command.createHelp().commandUsage(command),
    description: command.description(),
    arguments: command.registeredArguments.map(argumentNode),
    options: [...command.options, HELP].flatMap(optionNode),
    examples: EXAMPLES[path.join(' ')] ?? [],
    subcommands: command.commands.map((sub) => commandTree(sub, [...path, sub.name()])),
  };
}

function argumentNode(argument: Argument): ArgumentNode {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return {
    name: argument.required ? `<${name}>` : `[${name}]`,
    description: argument.description,
    default: defaultText(argument),
    choices: argument.argChoices ?? [],
    takesFiles: /\bfiles?\b/.test(`${name} ${argument.description}`),
  };
}

function optionNode(option: Option): OptionNode[] {
  const { flags, short, long, description, required, optional, argChoices, hidden } = option;
  if (long === undefined || long === null || hidden) return [];
  return [
    {
      short,
      long,
      description,
      value: required || optional ? /[<[].*[>\]]/.exec(flags)?.[0] : undefined,
      default: option.negate ? undefined : defaultText(option),
      choices: argChoices ?? [],
      takesFiles: /<(path|file|folder|place)>/.test(flags),
    },
  ];
}

const defaultText = ({ defaultValue }: Argument | Option): string | undefined =>
  defaultValue === undefined ? undefined : String(defaultValue);

export function everyNode(node: CommandNode): CommandNode[] {
  return [node, ...node.subcommands.flatMap(everyNode)];
}

export const nameOf = ({ path }: CommandNode): string => path.at(-1) ?? '';
