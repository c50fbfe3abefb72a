/**
 * The input format, by `--format`, other options, file name or first character, and the delimiter
 * of CSV.
 */
import { isIP } from 'node:net';
import { UsageError } from '../../terminal/exit.ts';
import { cellTexts, rowEndFinder } from './csv-row.ts';

export const FORMATS = ['auto', 'lines', 'ndjson', 'csv'] as const;
export type Format = Exclude<(typeof FORMATS)[number], 'auto'>;

export type FormatOptions = {
  readonly format: (typeof FORMATS)[number];
  /** Paths of ndjson, or the column of csv. */
  readonly address?: readonly string[];
  readonly as?: string;
  readonly all?: boolean;
  readonly delimiter?: string;
  readonly header?: boolean;
};

/** Undefined: detect it from the first character. */
export function requestedFormat(options: FormatOptions, file: string): Format | undefined {
  if (options.format !== 'auto') return options.format;
  if (options.delimiter !== undefined || options.header === false) return 'csv';
  return /\.[ct]sv(\.gz)?$/i.test(file) ? 'csv' : undefined;
}

export function detectFormat(head: Buffer, { address }: FormatOptions): Format {
  const text = head.toString('latin1');
  if (/^(\xef\xbb\xbf)?\s*\{/.test(text)) return 'ndjson';
  // Lines have no columns.
  return address === undefined ? 'lines' : 'csv';
}

/** An option without effect is a mistake, so it is rejected. */
export function rejectInapplicableOptions(options: FormatOptions, format: Format): void {
  const option = OPTIONS.find(
    ({ formats, isGiven }) => isGiven(options) && !formats.includes(format),
  );
  if (option !== undefined)
    throw new UsageError(`${option.name} does not apply to the format ${format}`);
}

type FormatOption = {
  readonly name: string;
  readonly formats: readonly Format[];
  readonly isGiven: (options: FormatOptions) => boolean;
};

const OPTIONS: readonly FormatOption[] = [
  {
    name: '--address',
    formats: ['ndjson', 'csv'],
    isGiven: ({ address }) => address !== undefined,
  },
  { name: '--as', formats: ['ndjson', 'csv'], isGiven: ({ as }) => as !== undefined },
  { name: '--all', formats: ['lines', 'ndjson'], isGiven: ({ all }) => all === true },
  { name: '--delimiter', formats: ['csv'], isGiven: ({ delimiter }) => delimiter !== undefined },
  { name: '--no-header', formats: ['csv'], isGiven: ({ header }) => header === false },
];

/** `head` is the beginning of the input. */
export function parseDelimiter(option: string | undefined, file: string, head: Buffer): string {
  if (option === undefined && /\.tsv(\.gz)?$/i.test(file)) return '\t';
  if (option === undefined) return detectDelimiter(head) ?? ',';
  const delimiter = option === 'tab' || option === '\\t' ? '\t' : option;
  // Not a character of addresses, numbers or quoted cells.
  if (!/^[\t -~]$/.test(delimiter) || /[A-Za-z0-9.:/"]/.test(delimiter))
    throw new UsageError(
      `--delimiter is ${JSON.stringify(option)}, but must be one ASCII character other than a letter, digit, quote, dot, colon or slash`,
    );
  return delimiter;
}

/** In order of preference, if they rank the same. */
const DELIMITERS = [',', ';', '\t'] as const;
const SAMPLE_ROWS = 10;
const SAMPLE_BYTES = 65_536;

/**
 * The delimiter of the first rows: .csv files also have semicolons, where the comma is the decimal
 * mark, and tabs. Undefined if none splits the first row: there may be a single column.
 */
function detectDelimiter(head: Buffer): string | undefined {
  let best: { delimiter: string; rank: number[] } | undefined;
  for (const delimiter of DELIMITERS) {
    const rows = firstRows(head, delimiter.charCodeAt(0));
    const columns = rows[0]?.length ?? 0;
    if (columns < 2) continue;
    // In `192.0.2.1;3,5` only the semicolon leaves an address. Rows of equal length come next, then
    // more columns.
    const hasAddress = rows.some((cells) => cells.some((cell) => isIP(cell.trim()) !== 0));
    const isEven = rows.every((cells) => cells.length === columns);
    const rank = [Number(hasAddress), Number(isEven), columns];
    if (best === undefined || isHigher(rank, best.rank)) best = { delimiter, rank };
  }
  return best?.delimiter;
}

function isHigher(rank: readonly number[], other: readonly number[]): boolean {
  const at = rank.findIndex((value, i) => value !== other[i]);
  return at >= 0 && (rank[at] as number) > (other[at] as number);
}

/** Without the last row if it may be cut off. */
function firstRows(head: Buffer, delimiter: number): string[][] {
  const bytes = head.subarray(0, SAMPLE_BYTES);
  const findEnd = rowEndFinder(delimiter);
  const rows: string[][] = [];
  for (let start = 0; start < bytes.length && rows.length < SAMPLE_ROWS; ) {
    const lineEnd = findEnd(bytes, start);
    if (lineEnd < 0 && rows.length > 0) break;
    const next = lineEnd < 0 ? bytes.length : lineEnd;
    const text = bytes.subarray(start, next).toString('latin1').trimEnd();
    if (text !== '') rows.push(cellTexts(bytes, start, start + text.length, delimiter));
    start = next;
  }
  return rows;
}
