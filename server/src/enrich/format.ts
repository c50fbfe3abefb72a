/** Which format the input has: what was asked for, what the other options are for, the name of the file, its first character. */
import { UsageError } from '../terminal.ts';

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

/** Undefined: only the first character tells. */
export function askedFormat(options: FormatOptions, file: string | undefined): Format | undefined {
  if (options.format !== 'auto') return options.format;
  if (options.column !== undefined || options.delimiter !== undefined || options.header === false) return 'csv';
  if (options.field !== undefined) return 'ndjson';
  return file !== undefined && /\.[ct]sv(\.gz)?$/i.test(file) ? 'csv' : undefined;
}

export function formatOf(head: Buffer): Format {
  return /^(\xef\xbb\xbf)?\s*\{/.test(head.toString('latin1')) ? 'ndjson' : 'lines';
}

/** An option that would do nothing is a mistake that somebody would search for long. */
export function refuseForeignOptions(options: FormatOptions, format: Format): void {
  const foreign = OPTIONS.find(({ formats, isGiven }) => isGiven(options) && !formats.includes(format));
  if (foreign !== undefined) throw new UsageError(`${foreign.name} means nothing for the format ${format}`);
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

export function delimiterOf(asked: string | undefined, file: string | undefined): string {
  if (asked === undefined) return file !== undefined && /\.tsv(\.gz)?$/i.test(file) ? '\t' : ',';
  const delimiter = asked === 'tab' || asked === '\\t' ? '\t' : asked;
  // Not what an address, a number or a quoted cell is written with.
  if (!/^[\t -~]$/.test(delimiter) || /[A-Za-z0-9.:/"]/.test(delimiter))
    throw new UsageError(
      `--delimiter is ${JSON.stringify(asked)}, but must be one ASCII character that is no letter, digit, quote, dot, colon or slash`,
    );
  return delimiter;
}
