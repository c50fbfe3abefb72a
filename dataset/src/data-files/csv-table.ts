// A table of facts in `dataset/data`: CSV whose columns data-files.ts declares. It is read and
// checked when its rows are first used; a file with a problem is refused as a whole, with the line.
import { readFileSync } from 'node:fs';
import { DatasetError } from '../dataset-error.ts';
import { csvRow } from '../io/csv-row.ts';

export type Column<T> = {
  /** Undefined for a text that is not a value of this column. */
  readonly parse: (text: string) => T | undefined;
  readonly wanted: string;
  readonly isOptional?: boolean;
};

type Columns = Readonly<Record<string, Column<unknown>>>;
type Row<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer T> ? T : never;
};
type Content<C extends Columns> = {
  /** The first is in line 2 of the file. */
  readonly rows: readonly Row<C>[];
  /** Positions in `rows`, by the text of their key. */
  readonly positions: ReadonlyMap<string, number>;
};

const MAX_PROBLEMS = 10;

export class CsvTable<C extends Columns> {
  readonly file: string;
  readonly #columns: C;
  readonly #key: readonly (keyof C & string)[];
  readonly #sortedBy: (keyof C & string) | undefined;
  #content: Content<C> | undefined;

  /**
   * `key`: the columns whose values no two rows share. `sortedBy`: a column of numbers that ascend.
   */
  constructor(
    file: string,
    columns: C,
    key: readonly (keyof C & string)[],
    sortedBy?: keyof C & string,
  ) {
    this.file = file;
    this.#columns = columns;
    this.#key = key;
    this.#sortedBy = sortedBy;
  }

  get path(): string {
    return `dataset/data/${this.file}`;
  }

  get rows(): readonly Row<C>[] {
    return this.#load().rows;
  }

  find(...key: readonly (string | number)[]): Row<C> | undefined {
    const { rows, positions } = this.#load();
    // Most keys are one value, and most lookups of a build find nothing.
    const at = positions.get(key.length === 1 ? String(key[0]) : key.join(','));
    return at === undefined ? undefined : rows[at];
  }

  /** What is made of the rows, once, when it is first asked for. */
  derived<T>(make: (rows: readonly Row<C>[]) => T): () => T {
    let made: { readonly value: T } | undefined;
    return () => {
      made ??= { value: make(this.rows) };
      return made.value;
    };
  }

  /**
   * For a sorted table: the line of the row with this value, or else the line after which it
   * belongs.
   */
  lineOf(value: number): number {
    return this.#lastLineUpTo(value, this.rows);
  }

  get asOf(): string {
    return latest(this.rows);
  }

  parse(text: string): Content<C> {
    const names = Object.keys(this.#columns);
    // Spreadsheets write a byte order mark, and CR LF at the end of a line.
    const [header, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    if (header !== names.join(','))
      throw new DatasetError(`${this.file}:1: the columns must be ${names.join(',')}`);
    const rows: Row<C>[] = [];
    const positions = new Map<string, number>();
    const problems: string[] = [];
    for (const line of lines) {
      const at = rows.length;
      const report = (problem: string) => problems.push(`${this.file}:${at + 2}: ${problem}`);
      const cells = csvRow(line);
      const misshapen = problemOfShape(line, cells, names.length);
      if (misshapen !== undefined) report(misshapen);
      const row = misshapen === undefined ? this.#parseRow(cells, report) : {};
      // Incomplete only if there is a problem, and then none of the rows is used.
      rows.push(row as Row<C>);
      if (misshapen !== undefined) continue;
      const key = this.#key.map((name) => cells[names.indexOf(name)]).join(',');
      const first = positions.get(key);
      if (first !== undefined) report(`${key} appears twice (first in line ${first + 2})`);
      positions.set(key, first ?? at);
    }
    if (problems.length === 0) problems.push(...this.#misplaced(rows));
    const more = problems.length - MAX_PROBLEMS;
    if (more > 0) problems.splice(MAX_PROBLEMS, more, `and ${more} more problems`);
    if (problems.length > 0) throw new DatasetError(problems.join('\n'));
    return { rows, positions };
  }

  #parseRow(cells: readonly string[], report: (problem: string) => void): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    let at = 0;
    for (const name in this.#columns) {
      const { parse, wanted, isOptional } = this.#columns[name] as Column<unknown>;
      const cell = cells[at++] ?? '';
      if (cell === '' && isOptional === true) continue;
      row[name] = parse(cell);
      if (row[name] === undefined)
        report(`${name} is ${JSON.stringify(cell)}, but must be ${wanted}`);
    }
    return row;
  }

  #misplaced(rows: readonly Row<C>[]): string[] {
    const valueAt = (at: number) => Number(rows[at]?.[this.#sortedBy ?? '']);
    return rows.flatMap((_, at) => {
      if (!(valueAt(at) < valueAt(at - 1))) return [];
      // If the row would be in its place without the one before, that one is too early.
      const wrong = valueAt(at) >= valueAt(at - 2) ? at - 1 : at;
      const line = this.#lastLineUpTo(valueAt(wrong), rows, wrong);
      return `${this.file}:${wrong + 2}: ${valueAt(wrong)} belongs after line ${line}`;
    });
  }

  #lastLineUpTo(value: number, rows: readonly Row<C>[], except?: number): number {
    return (
      rows.findLastIndex((row, at) => at !== except && Number(row[this.#sortedBy ?? '']) <= value) +
      2
    );
  }

  #load(): Content<C> {
    if (this.#content === undefined) {
      let text: string;
      try {
        text = readFileSync(new URL(`../../data/${this.file}`, import.meta.url), 'utf8');
      } catch (error) {
        throw new DatasetError(
          `the table ${this.file} cannot be read: ${(error as Error).message}`,
        );
      }
      this.#content = this.parse(text);
    }
    return this.#content;
  }
}

export function latest(rows: readonly { readonly as_of?: unknown }[]): string {
  return rows.reduce((day, { as_of }) => (String(as_of) > day ? String(as_of) : day), '');
}

function problemOfShape(
  line: string,
  cells: readonly string[],
  columns: number,
): string | undefined {
  if (line === '') return 'the line is empty';
  if (line.split('"').length % 2 === 0) return 'a quote is not closed';
  if (cells.length === columns) return undefined;
  return `${cells.length} cells instead of ${columns}; a value with a comma must be in quotes`;
}
