// Labels as CSV: a header, then a row per address or prefix with expected values. An empty cell
// expects nothing. Rows that cannot be read are reported with their line and skipped.
import { parsePrefixedAsn } from '../../as-number.ts';
import { csvRow } from '../../io/csv-row.ts';
import { parsePrefix, type Range } from '../../prefix.ts';
import { CONNECTION_TYPES, FLAGS, RIRS } from '../../record.ts';

export type LabelRow = {
  readonly line: number;
  /** The address or prefix as written. */
  readonly subject: string;
  readonly range: Range;
  readonly expected: ReadonlyMap<string, string>;
};

type BadRow = { readonly line: number; readonly reason: string };

export type Labels = {
  readonly rows: readonly LabelRow[];
  readonly bad: readonly BadRow[];
  /** Columns with expected values, in the order of the header. */
  readonly fields: readonly string[];
  /** Columns of the header that are no field of a record. */
  readonly ignored: readonly string[];
};

/** The file as a whole cannot be used. */
export class LabelsError extends Error {
  override name = 'LabelsError';
}

const SUBJECT_COLUMNS: readonly string[] = ['address', 'prefix', 'ip', 'network'];
const LEVELS: readonly string[] = ['low', 'medium', 'high', 'critical'];

/** Returns the value as the record has it, or undefined for a value that the field cannot have. */
type ParseValue = (text: string) => string | undefined;

const oneOf =
  (values: readonly string[]): ParseValue =>
  (text) =>
    values.find((value) => value.toLowerCase() === text.toLowerCase());

const flag: ParseValue = (text) => {
  if (/^(?:true|1|yes)$/i.test(text)) return 'true';
  return /^(?:false|0|no)$/i.test(text) ? 'false' : undefined;
};

const FIELDS: ReadonlyMap<string, ParseValue> = new Map<string, ParseValue>([
  ['asn', (text) => parsePrefixedAsn(text)?.toString()],
  ['country', (text) => (/^[a-z]{2}$/i.test(text) ? text.toUpperCase() : undefined)],
  ['rir', oneOf(RIRS)],
  ['connection_type', oneOf(CONNECTION_TYPES)],
  ...FLAGS.map((name) => [name, flag] as const),
  ['ai_company', (text) => text],
  ['cloud_provider', (text) => text],
  ['threat_level', oneOf(LEVELS)],
]);

export function parseLabels(lines: Iterable<string>): Labels {
  const rows: LabelRow[] = [];
  const bad: BadRow[] = [];
  let header: string[] | undefined;
  let line = 0;
  for (const text of lines) {
    line++;
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const cells = csvRow(text).map((cell) => cell.trim());
    if (header === undefined) {
      header = checkHeader(cells.map((cell) => cell.toLowerCase()));
      continue;
    }
    const row = parseRow(header, cells, line);
    if ('reason' in row) bad.push(row);
    else if (row.expected.size > 0) rows.push(row);
  }
  if (header === undefined) throw new LabelsError('it is empty; the first line must be a header');
  const fields = header.filter((name) => FIELDS.has(name));
  return {
    rows,
    bad,
    fields,
    ignored: header.filter((name) => !FIELDS.has(name) && !SUBJECT_COLUMNS.includes(name)),
  };
}

function checkHeader(header: string[]): string[] {
  if (!header.some((name) => SUBJECT_COLUMNS.includes(name)))
    throw new LabelsError(
      `its header has no column ${SUBJECT_COLUMNS.slice(0, 2).join(' or ')}: ${header.join(',')}`,
    );
  if (!header.some((name) => FIELDS.has(name)))
    throw new LabelsError(
      `its header has no field to compare; known are ${[...FIELDS.keys()].join(', ')}`,
    );
  const double = header.find((name, i) => name !== '' && header.indexOf(name) !== i);
  if (double !== undefined) throw new LabelsError(`its header has the column ${double} twice`);
  return header;
}

function parseRow(
  header: readonly string[],
  cells: readonly string[],
  line: number,
): LabelRow | BadRow {
  if (cells.length > header.length)
    return { line, reason: `${cells.length} cells, the header has ${header.length}` };
  const subject = cells[header.findIndex((name) => SUBJECT_COLUMNS.includes(name))] ?? '';
  const range = parsePrefix(subject);
  if (range === undefined)
    return { line, reason: `not an address or prefix: ${subject === '' ? 'empty' : subject}` };
  const expected = new Map<string, string>();
  for (const [i, name] of header.entries()) {
    const text = cells[i] ?? '';
    const parse = FIELDS.get(name);
    if (parse === undefined || text === '') continue;
    const value = parse(text);
    if (value === undefined) return { line, reason: `${name} cannot be ${text}` };
    expected.set(name, value);
  }
  return { line, subject, range, expected };
}
