// What a lookup command is asked for: arguments, and lines of files and standard input as a stream.
// An entry that cannot be parsed is reported in its place.
import { statSync } from 'node:fs';
import { type ExitCode, InputError, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams, Output } from '../../terminal/output.ts';
import { printable } from '../../terminal/printable.ts';

export type Invalid = {
  readonly kind: 'invalid';
  readonly text: string;
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
};
export type Entry<Item> = { readonly kind: 'item'; readonly item: Item } | Invalid;
type Parse<Item> = (text: string) => Entry<Item>;
type Source<Item> = { readonly kind: 'list'; readonly file: string } | Entry<Item>;

type StandardInput = CommandStreams['stdin'];

export type ListedArguments<Item> = {
  /** Whether every entry is an argument: few, and typed. */
  readonly areTyped: boolean;
  /** The typed ones that could be parsed. */
  readonly typed: readonly Item[];
  /** In groups as they are read. */
  entries(): AsyncGenerator<Entry<Item>[]>;
};

const STANDARD_INPUT = '-';
/** `access.log`, `lists/a.txt.gz`: more likely the name of a file than an address. */
const LIKE_A_FILE = /\.[a-z]+$|^\.?\.?\/./i;

/**
 * An argument that cannot be parsed but names a file stands for its lines. `parseLine` parses
 * these, if a line may be what an argument may not. Throws a UsageError if nothing is left.
 */
export function listedArguments<Item>(
  texts: readonly string[],
  parse: Parse<Item>,
  stdin: StandardInput,
  expected: string,
  parseLine = parse,
): ListedArguments<Item> {
  if (texts.length === 0 && stdin().isTTY === true)
    throw new UsageError(
      `nothing to look up: give ${expected} or files, or pipe a list to standard input`,
    );
  const given = texts.length === 0 ? [STANDARD_INPUT] : texts;
  const sources = given.map((text): Source<Item> => {
    if (text === STANDARD_INPUT) return { kind: 'list', file: text };
    const entry = parse(text.trim());
    if (entry.kind === 'item' || entry.code === TOO_LARGE) return entry;
    if (isFile(text)) return { kind: 'list', file: text };
    if (isDirectory(text)) return { ...entry, hint: 'it is a directory; name a file' };
    const hint = 'there is no file with this name';
    return LIKE_A_FILE.test(text) ? { ...entry, hint } : entry;
  });
  const invalid = sources.filter((source) => source.kind === 'invalid');
  if (invalid.length === sources.length)
    throw new UsageError([...new Set(invalid.map(describeInvalid))].join('; '));
  return {
    areTyped: sources.every(({ kind }) => kind !== 'list'),
    typed: sources.flatMap((source) => (source.kind === 'item' ? [source.item] : [])),
    async *entries() {
      let typed: Entry<Item>[] = [];
      for (const source of sources) {
        if (source.kind !== 'list') {
          typed.push(source);
          continue;
        }
        yield typed;
        typed = [];
        let isEmpty = true;
        for await (const lines of linesOf(source.file, stdin)) {
          isEmpty &&= lines.length === 0;
          yield lines.map(parseLine);
        }
        if (isEmpty)
          throw new InputError(
            `${nameOf(source.file)} has no entry: write ${expected}, one on each line`,
          );
      }
      yield typed;
    },
  };
}

/** Addresses of one CIDR or range, or numbers of one range: a /12 of IPv4. */
export const MAX_RANGE = 1 << 20;
/** The code of a range with more. */
export const TOO_LARGE = 'TOO_LARGE';

function describeInvalid({ text, error, code, hint }: Invalid): string {
  return code === TOO_LARGE
    ? error
    : `${error}: ${JSON.stringify(text)}${hint === undefined ? '' : `; ${hint}`}`;
}

export const printInvalid =
  (stderr: Output) =>
  (invalid: Invalid): void =>
    void stderr.write(`error: ${printable(describeInvalid(invalid))}\n`);

/**
 * 1 if an entry is invalid, or `use` has found nothing for one; the others are used all the same.
 */
export async function eachEntry<Item>(
  { entries }: ListedArguments<Item>,
  use: (item: Item) => Promise<boolean>,
  reject: (invalid: Invalid) => Promise<void> | void,
): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  for await (const group of entries())
    for (const entry of group) {
      if (entry.kind === 'invalid') await reject(entry);
      if (entry.kind === 'invalid' || !(await use(entry.item))) exitCode = 1;
    }
  return exitCode;
}

const nameOf = (file: string) => (file === STANDARD_INPUT ? 'standard input' : file);

export const isFile = (path: string): boolean => isDirectory(path) === false;

/** Undefined if there is nothing with this name. */
const isDirectory = (path: string): boolean | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory();

/** No entry is longer; the rest of such a line is skipped. */
const MAX_LINE_CHARACTERS = 300;

async function* linesOf(file: string, stdin: StandardInput): AsyncGenerator<string[]> {
  // Loaded if there is a list: most commands have an address or two.
  const { textLines } = await import('../../enrich/input.ts');
  for await (const lines of textLines(file, stdin, MAX_LINE_CHARACTERS))
    yield lines
      .flatMap((line) => line.split('\r'))
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
}
