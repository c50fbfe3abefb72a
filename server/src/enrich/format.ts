/** Chooses the input format: by `--format`, by other options, by the file name, or by the first character. */
import { UsageError } from '../terminal/exit.ts';
import { detectDelimiter } from './detect-delimiter.ts';

export const FORMATS = ['auto', 'lines', 'ndjson', 'csv'] as const;
export type Format = Exclude<(typeof FORMATS)[number], 'auto'>;

export type FormatOptions = {
  readonly format: (typeof FORMATS)[number];
  readonly field?: readonly string[];
  readonly as?: string;
  readonly all?: boolean;
  readonly column?: string;
  readonly delimiter?: string;
  readonly header?: boolean;
};

/** Undefined: detect it from the first character. */
export function requestedFormat(options: FormatOptions, file: string | undefined): Format | undefined {
  if (options.format !== 'auto') return options.format;
  if (options.column !== undefined || options.delimiter !== undefined || options.header === false) return 'csv';
  if (options.field !== undefined) return 'ndjson';
  return file !== undefined && /\.[ct]sv(\.gz)?$/i.test(file) ? 'csv' : undefined;
}

export function detectFormat(head: Buffer): Format {
  return /^(\xef\xbb\xbf)?\s*\{/.test(head.toString('latin1')) ? 'ndjson' : 'lines';
}

/** An option without effect is a mistake, so it is rejected. */
export function rejectInapplicableOptions(options: FormatOptions, format: Format): void {
  const option = OPTIONS.find(({ formats, isGiven }) => isGiven(options) && !formats.includes(format));
  if (option !== undefined) throw new UsageError(`${option.name} does not apply to the format ${format}`);
}

type FormatOption = {
  readonly name: string;
  readonly formats: readonly Format[];
  readonly isGiven: (options: FormatOptions) => boolean;
};

const OPTIONS: readonly FormatOption[] = [
  { name: '--field', formats: ['ndjson'], isGiven: ({ field }) => field !== undefined },
  { name: '--as', formats: ['ndjson', 'csv'], isGiven: ({ as }) => as !== undefined },
  { name: '--all', formats: ['lines', 'ndjson'], isGiven: ({ all }) => all === true },
  { name: '--column', formats: ['csv'], isGiven: ({ column }) => column !== undefined },
  { name: '--delimiter', formats: ['csv'], isGiven: ({ delimiter }) => delimiter !== undefined },
  { name: '--no-header', formats: ['csv'], isGiven: ({ header }) => header === false },
];

/** `head` is the beginning of the input. */
export function parseDelimiter(option: string | undefined, file: string | undefined, head: Buffer): string {
  if (option === undefined && file !== undefined && /\.tsv(\.gz)?$/i.test(file)) return '\t';
  if (option === undefined) return detectDelimiter(head) ?? ',';
  const delimiter = option === 'tab' || option === '\\t' ? '\t' : option;
  // Not a character of addresses, numbers or quoted cells.
  if (!/^[\t -~]$/.test(delimiter) || /[A-Za-z0-9.:/"]/.test(delimiter))
    throw new UsageError(
      `--delimiter is ${JSON.stringify(option)}, but must be one ASCII character other than a letter, digit, quote, dot, colon or slash`,
    );
  return delimiter;
}
