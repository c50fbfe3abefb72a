// The file of what changed after a version: the ranges of addresses whose record differs in the next version, with
// their records in this version. With the next version it answers everything that this version answered about addresses.
//
//   whence-changes 1 <bytes of the header> <CRC-32 of the header>\n
//   header, JSON   dates: per source the date that this version has for it
//                  pages: per family, in ascending order: first and last address, offset after the header, then bytes
//                  and CRC-32 of its rows, and of its texts, which follow the rows
//   pages          rows in ascending order, compressed: first and last address (8 or 32 digits each), prefix length (2), or ff
//                  without a record, positions of the network and of the attributes in the texts (4 each); hexadecimal
//                  texts, a compressed JSON list
//
// A lookup reads the header, which can be kept, and the rows of one page. Most lookups find no change there and need no
// texts, and rows of equal width are searched without parsing them, which would take longer than all the rest. The name
// of a file says which versions it is about, so a file never changes.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Address } from '../address.ts';
import { DatasetError } from '../dataset-error.ts';
import type { Dataset } from '../file/read.ts';
import { Numbers } from '../get-or-insert.ts';
import { writeWhole } from '../io/whole-file.ts';
import { lowerBound } from '../lower-bound.ts';
import { addressBits, toBigInt } from '../prefix.ts';
import { type ChangedRange, changedRanges } from './changed-ranges.ts';
import { type RecordText, type SourceDates, sourceDates } from './record-text.ts';

const FORMAT = 1;
const FIRST_LINE = /^whence-changes (\d{1,9}) (\d{1,9}) (\d{1,10})\n/;
const FIRST_LINE_BYTES = 64;
/** Larger pages are smaller on disk and slower to read. */
const ROWS_PER_PAGE = 256;
/** Two texts for each row; the longest text of a common dataset has 430 bytes. */
const MAX_PART_BYTES = 64 << 20;
/** Instead of a prefix length. */
const NO_RECORD = 'ff';

type PageContent = { readonly rows: string; readonly texts: string[] };
type Part = [bytes: number, crc: number];
type Page = [first: string, last: string, offset: number, rows: Part, texts: Part];
type Header = { dates: [id: string, date: string][]; pages: Record<4 | 6, Page[]> };

/** Writes the changes from `before` to `after`. Returns the size of the file. */
export function writeChanges(path: string, before: Dataset, after: Dataset): { bytes: number; ranges: number } {
  const changed = changedRanges(before, after);
  const parts: Buffer[] = [];
  let offset = 0;
  const pagesOf = (version: 4 | 6): Page[] =>
    inPages(changed.ranges[version]).map((ranges) => {
      const digits = digitsOf(version);
      const content = pageContent(ranges, changed.texts, digits);
      const [rows, rowsPart] = compressed(content.rows);
      const [texts, textsPart] = compressed(JSON.stringify(content.texts));
      const at = offset;
      parts.push(rows, texts);
      offset += rows.length + texts.length;
      const lastRow = content.rows.slice(-rowWidth(digits));
      return [content.rows.slice(0, digits), lastRow.slice(digits, 2 * digits), at, rowsPart, textsPart];
    });
  const header: Header = { dates: [...sourceDates(before.meta)], pages: { 4: pagesOf(4), 6: pagesOf(6) } };
  const text = Buffer.from(JSON.stringify(header));
  const file = Buffer.concat([Buffer.from(`whence-changes ${FORMAT} ${text.length} ${crc32(text)}\n`), text, ...parts]);
  writeWhole(path, file);
  return { bytes: file.length, ranges: changed.ranges[4].length + changed.ranges[6].length };
}

/** Texts are ASCII but for the place of a date, which Latin-1 has too. */
function compressed(text: string): [bytes: Buffer, part: Part] {
  const bytes = deflateRawSync(Buffer.from(text, 'latin1'), { level: 9 });
  return [bytes, [bytes.length, crc32(bytes)]];
}

function inPages(ranges: readonly ChangedRange[]): ChangedRange[][] {
  const count = Math.ceil(ranges.length / ROWS_PER_PAGE);
  return Array.from({ length: count }, (_, i) => ranges.slice(i * ROWS_PER_PAGE, (i + 1) * ROWS_PER_PAGE));
}

function pageContent(ranges: readonly ChangedRange[], texts: readonly string[], digits: number): PageContent {
  const positions = new Numbers<number>();
  const rows = ranges.map(({ start, end, length, network, attributes }) => {
    const range = hex(start, digits) + hex(end, digits);
    if (length < 0) return `${range}${NO_RECORD}00000000`;
    return range + hex(length, 2) + hex(positions.of(network), 4) + hex(positions.of(attributes), 4);
  });
  return { rows: rows.join(''), texts: [...positions.keys()].map((text) => texts[text] as string) };
}

const digitsOf = (version: 4 | 6) => addressBits(version) / 4;
const rowWidth = (digits: number) => 2 * digits + 2 + 4 + 4;
const hex = (value: bigint | number, digits: number) => value.toString(16).padStart(digits, '0');

/** What a file says about an address. `record` is absent if the version has none. */
export type Changed = { readonly record?: RecordText };

/** Not open between calls, so that removing files has its effect. */
export class ChangesFile {
  readonly dates: SourceDates;
  readonly #path: string;
  readonly #pages: Header['pages'];
  readonly #pagesAt: number;

  /** Throws a DatasetError if the file is damaged, and the error of the file system if it cannot be read. */
  constructor(path: string) {
    this.#path = path;
    const { header, pagesAt } = readHeader(path);
    this.dates = new Map(header.dates);
    this.#pages = header.pages;
    this.#pagesAt = pagesAt;
  }

  /** Undefined where the version has the same record as the next one. */
  find(address: Address): Changed | undefined {
    const { version } = address;
    const digits = digitsOf(version);
    const key = hex(toBigInt(address), digits);
    const pages = this.#pages[version];
    const page = pages[lastNotAfter(pages.length, key, (i) => (pages[i] as Page)[0])];
    if (page === undefined || page[1] < key) return undefined;
    const [, , offset, rowsPart, textsPart] = page;
    const rows = this.#read(offset, rowsPart);
    const width = rowWidth(digits);
    const at = lastNotAfter(rows.length / width, key, (i) => rows.slice(i * width, i * width + digits)) * width;
    if (at < 0 || rows.slice(at + digits, at + 2 * digits) < key) return undefined;
    const [, length, network, attributes] = /^(..)(....)(....)$/.exec(rows.slice(at + 2 * digits, at + width)) ?? [];
    if (length === NO_RECORD) return {};
    const texts = JSON.parse(this.#read(offset + rowsPart[0], textsPart)) as string[];
    const textAt = (position = ''): string => {
      const text = texts[Number.parseInt(position, 16)];
      if (text === undefined) throw new DatasetError(`${this.#path}: damaged: a text is missing`);
      return text;
    };
    const record = {
      length: Number.parseInt(length ?? '', 16),
      network: textAt(network),
      attributes: textAt(attributes),
    };
    return { record };
  }

  #read(offset: number, [size, crc]: Part): string {
    const bytes = readAt(this.#path, this.#pagesAt + offset, size);
    if (crc32(bytes) !== crc) throw new DatasetError(`${this.#path}: damaged: checksum mismatch in a page`);
    return inflateRawSync(bytes, { maxOutputLength: MAX_PART_BYTES }).toString('latin1');
  }
}

function readHeader(path: string): { header: Header; pagesAt: number } {
  const [line, format, size, crc] = FIRST_LINE.exec(readAt(path, 0, FIRST_LINE_BYTES, true).toString('latin1')) ?? [];
  if (line === undefined) throw new DatasetError(`${path}: not a file of changes`);
  if (Number(format) !== FORMAT) throw new DatasetError(`${path}: format ${format} is not readable by this version`);
  const bytes = readAt(path, line.length, Number(size));
  if (crc32(bytes) !== Number(crc)) throw new DatasetError(`${path}: damaged: checksum mismatch in the header`);
  return { header: JSON.parse(bytes.toString()) as Header, pagesAt: line.length + bytes.length };
}

function readAt(path: string, position: number, size: number, mayBeShort = false): Buffer {
  const file = openSync(path, 'r');
  try {
    const left = fstatSync(file).size - position;
    const bytes = Buffer.alloc(Math.max(0, Math.min(size, left)));
    let read = 0;
    while (read < bytes.length) {
      const more = readSync(file, bytes, read, bytes.length - read, position + read);
      if (more === 0) break;
      read += more;
    }
    if (!mayBeShort && read < size) throw new DatasetError(`${path}: truncated`);
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

/** The last of `count` ascending addresses that is not after the key; -1 if all are. */
function lastNotAfter(count: number, key: string, addressAt: (i: number) => string): number {
  return lowerBound(0, count, (i) => addressAt(i) <= key) - 1;
}
