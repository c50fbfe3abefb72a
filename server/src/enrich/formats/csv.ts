// CSV: columns are added at the end of rows. The address column is found by name, or by value in
// the first row of data.
import { AddressFinder } from '@whence/dataset/find-address';
import { csvCell } from '../../csv-cell.ts';
import type { Field } from '../../fields/fields.ts';
import { UsageError } from '../../terminal/exit.ts';
import type { AddressLookup } from '../address-lookup.ts';
import type { OutputBuffer } from '../output-buffer.ts';
import { CsvRow, cellTexts } from './csv-row.ts';
import { ADDRESS_NAMES } from './field-paths.ts';

export type CsvOptions = {
  /** Name, or number from 1; undefined: detect it. */
  readonly column: string | undefined;
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly fields: readonly Field[];
  /** Prefix for the names of the new columns, joined with an underscore. */
  readonly prefix: string | undefined;
};

const BYTE_ORDER_MARK = '\ufeff';

export class CsvWriter {
  readonly #lookup: AddressLookup;
  readonly #options: CsvOptions;
  readonly #delimiter: number;
  readonly #emptyCells: Buffer;
  readonly #row = new CsvRow();
  readonly #finder = new AddressFinder();
  /** Undefined until the first row that is not empty. */
  #header: string[] | undefined;
  #columns = 0;
  /** From 0; -1 while unknown. */
  #column = -1;

  constructor(lookup: AddressLookup, options: CsvOptions) {
    this.#lookup = lookup;
    this.#options = options;
    this.#delimiter = options.delimiter.charCodeAt(0);
    this.#emptyCells = Buffer.from(options.delimiter.repeat(options.fields.length));
  }

  write(bytes: Buffer, start: number, end: number, output: OutputBuffer): void {
    if (start === end) return;
    if (this.#header === undefined) {
      this.#readFirstRow(cellTexts(bytes, start, end, this.#delimiter));
      if (this.#options.hasHeader) {
        output.copyTo(end);
        this.#appendColumnNames(output);
        this.#lookup.keepRecord();
        return;
      }
    }
    if (this.#column < 0)
      this.#column = this.#columnByValue(cellTexts(bytes, start, end, this.#delimiter));
    this.#row.read(bytes, start, end, this.#delimiter, this.#column);
    // In a shorter or longer row the new columns would not line up with the header.
    if (this.#row.count !== this.#columns) {
      this.#lookup.counts.unreadable++;
      return;
    }
    const address = this.#finder.next(bytes, this.#row.start, this.#row.end);
    output.copyTo(end);
    if (address === undefined) output.append(this.#emptyCells);
    else this.#lookup.append(address, output);
  }

  #readFirstRow(cells: readonly string[]): void {
    this.#columns = cells.length;
    this.#header = cells.map((cell, i) =>
      i === 0 && cell.startsWith(BYTE_ORDER_MARK) ? cell.slice(1) : cell,
    );
    const { column, hasHeader } = this.#options;
    if (column !== undefined)
      this.#column = this.#columnByName(column, hasHeader ? this.#header : []);
    else if (hasHeader) this.#column = this.#header.findIndex(isAddressName);
  }

  #columnByName(column: string, names: readonly string[]): number {
    const named = names.indexOf(column);
    if (named >= 0) return named;
    const number = /^[1-9][0-9]{0,5}$/.test(column) ? Number(column) : 0;
    if (number >= 1 && number <= this.#columns) return number - 1;
    throw new UsageError(
      names.length === 0
        ? `there is no column ${JSON.stringify(column)}: the first row has ${this.#columns} columns`
        : `there is no column ${JSON.stringify(column)}; the columns are ${names.map((name) => JSON.stringify(name)).join(', ')}`,
    );
  }

  #columnByValue(cells: readonly string[]): number {
    const column = cells.findIndex(
      (cell) => this.#finder.next(Buffer.from(cell), 0, Buffer.byteLength(cell)) !== undefined,
    );
    if (column < 0)
      throw new UsageError(
        'no address column found by name or in the first row of data; name it with --address',
      );
    return column;
  }

  #appendColumnNames(output: OutputBuffer): void {
    const { fields, prefix, delimiter } = this.#options;
    const names = fields.map((field) => (prefix === undefined ? field : `${prefix}_${field}`));
    const taken = names.find((name) => this.#header?.includes(name));
    if (taken !== undefined)
      throw new UsageError(
        `column ${JSON.stringify(taken)} already exists; use --as NAME to add NAME_${fields[0]} and so on`,
      );
    const text = Buffer.from(names.map((name) => delimiter + csvCell(name, delimiter)).join(''));
    output.append(text);
  }
}

/** `Client IP`, `client-ip` and `clientIp` are the same name. */
const normalizeName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
const NORMALIZED_NAMES = new Set(ADDRESS_NAMES.map(normalizeName));

function isAddressName(name: string): boolean {
  return NORMALIZED_NAMES.has(normalizeName(name));
}
