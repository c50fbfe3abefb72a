/**
 * The dataset file. It is used in place: the reader makes typed arrays over the sections and parses nothing but `meta`.
 * All numbers are little-endian; every section starts at a multiple of 8 bytes.
 *
 *   0   8  magic "WHENCE\r\n"    a copy in text mode changes the line end and is detected at once
 *   8   4  format version
 *  12   4  number of sections
 *  16   8  file length, to tell a truncated file from a damaged one
 *  24   4  CRC-32 of the section table
 *  28   4  CRC-32 of bytes 0 to 27
 *  32      section table: per section  16 bytes name (ASCII, zero-padded), u32 offset, u32 length, u32 CRC-32, u32 zero
 *          sections
 *
 *   section      element            content
 *   meta         JSON               version, time of the build, sources, counts
 *   v4.top       u32 x 65536        per /16: a match for the whole /16 (top bit set), or the offset of its bucket
 *   v4.buckets   u16                bucket: intervals - 1, then the low 16 bits of each start except the first, padded
 *                                   to a multiple of 4 bytes; then a u32 match per interval
 *   v6.top       u32 x 65537        per /19 of 2000::/3: number of entries of v6.first below it
 *   v6.first     u32                the distinct first words of interval starts, ascending
 *   v6.offset    u32                per first word: offset of its second words; one more at the end
 *   v6.second    u32                second words of interval starts, ascending within a first word, from 0
 *   v6.match     u32                match per second word; 0xffffffff: the /64 is divided further, see v6.deep
 *   v6.deep      u32 x 5            intervals inside a /64: four words of the start, match; ascending
 *   records      u32                attributes of each record. Record 0 is unused: match 0 means no record
 *   records.row  groups             row in asns of each record: records are ordered by it (consecutive-groups.ts)
 *   asns, asns.number, asns.text    networks, the largest first (networks/networks.ts)
 *   words.*                         index of names and handles: words that several networks have (shared-words.ts),
 *   grams, grams.at                 parts of all other words and what is between words (name-grams.ts),
 *   texts, texts.at                 results for texts of one or two bytes (short-texts.ts)
 *   origins, origins.at             where in the address tables the prefixes of each network are (origin-index.ts)
 *   tails, tails.face, faces        the fields of records from `country` on, and which sources decided them
 *   pieces, pieces.text             (texts/attributes.ts)
 *   decisions, decisions.at
 *   covered      u32 x 2            announced IPv4 prefixes that more specific ones cover (covered.ts)
 *   covered.v6   u32 x 5            the same for IPv6
 *   rivals       u32 x 7            other origins of announced prefixes (other-origins.ts)
 *
 * A match is  prefix length << 24 | record.  No IPv4 length reaches the top bit, so v4.top can use that bit as a flag.
 * An interval is a run of addresses with one match inside one prefix; unannounced space is an interval with match 0.
 */
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';

const MAGIC = 'WHENCE\r\n';
export const FORMAT_VERSION = 5;
export const HEADER_BYTES = 32;
export const SECTION_ROW_BYTES = 32;

export const SECTIONS = [
  'meta',
  'v4.top',
  'v4.buckets',
  'v6.top',
  'v6.first',
  'v6.offset',
  'v6.second',
  'v6.match',
  'v6.deep',
  'records',
  'records.row',
  'asns',
  'asns.number',
  'asns.text',
  'words.text',
  'words.rows',
  'words.at',
  'grams',
  'grams.at',
  'texts',
  'texts.at',
  'origins',
  'origins.at',
  'tails',
  'tails.face',
  'faces',
  'pieces',
  'pieces.text',
  'decisions',
  'decisions.at',
  'covered',
  'covered.v6',
  'rivals',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** Prefix length and record number of an answer in one word; 0 where nothing is known. */
export type Match = number;

export const makeMatch = (length: number, record: number): Match => ((length << 24) | record) >>> 0;
export const prefixLength = (match: Match): number => match >>> 24;
export const recordNumber = (match: Match): number => match & MAX_RECORD;
export const MAX_RECORD = 0xffffff;

export const isMatch = (match: Match, bits: number, records: number): boolean =>
  match >>> 24 <= bits && (match & MAX_RECORD) < records;

/** Intervals in ascending order, each up to the next start; the first starts at the lowest address of the family. */
export type Intervals = { readonly starts: readonly bigint[]; readonly matches: readonly Match[] };

/** The current interval of a walk over a table, up to the next start. Call `advance` before reading the first. */
export type Cursor<Start> = { start: Start; match: Match; advance(): boolean };

/**
 * The same without bigints, from any address on: the start as unsigned words, of which IPv4 uses the first. The first
 * interval is the one that contains the address, and may start before it.
 */
export type WordCursor = { w0: number; w1: number; w2: number; w3: number; match: Match; advance(): boolean };

export function encodeFile(sections: Record<SectionName, Uint8Array>): Buffer {
  const tableEnd = HEADER_BYTES + SECTIONS.length * SECTION_ROW_BYTES;
  const offsets = new Map<SectionName, number>();
  let end = tableEnd;
  for (const name of SECTIONS) {
    offsets.set(name, end);
    end = alignUp(end + sections[name].length);
  }
  const file = Buffer.alloc(end);
  file.write(MAGIC, 0, 'latin1');
  file.writeUInt32LE(FORMAT_VERSION, 8);
  file.writeUInt32LE(SECTIONS.length, 12);
  file.writeBigUInt64LE(BigInt(end), 16);
  SECTIONS.forEach((name, i) => {
    const at = HEADER_BYTES + i * SECTION_ROW_BYTES;
    const bytes = sections[name];
    const offset = offsets.get(name) as number;
    file.set(bytes, offset);
    file.write(name, at, 'latin1');
    file.writeUInt32LE(offset, at + 16);
    file.writeUInt32LE(bytes.length, at + 20);
    file.writeUInt32LE(crc32(bytes), at + 24);
  });
  file.writeUInt32LE(crc32(file.subarray(HEADER_BYTES, tableEnd)), 24);
  file.writeUInt32LE(crc32(file.subarray(0, 28)), 28);
  return file;
}

/** The format of a file, whether it can be read or not; undefined if it is not a dataset or its header is damaged. */
export function formatOf(file: Buffer): number | undefined {
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, 8) !== MAGIC) return undefined;
  return crc32(file.subarray(0, 28)) === file.readUInt32LE(28) ? file.readUInt32LE(8) : undefined;
}

/** Throws a DatasetError unless the file begins like a dataset of this format. */
function checkHeader(file: Buffer): void {
  if (file.length < HEADER_BYTES || file.toString('latin1', 0, 8) !== MAGIC)
    throw new DatasetError('not a whence dataset');
  const format = formatOf(file);
  if (format === undefined) throw new DatasetError('damaged: checksum mismatch in the header');
  if (format !== FORMAT_VERSION) throw new UnreadableFormat(format);
}

/** The file, or what a static host offers, is of another release. */
export class UnreadableFormat extends DatasetError {
  readonly format: number;

  constructor(format: number, message = unreadableText(format)) {
    super(message);
    this.format = format;
  }
}

function unreadableText(format: number): string {
  const advice = format > FORMAT_VERSION ? 'upgrade whence' : 'build the dataset again';
  return `format ${format} is not readable by this version, which reads format ${FORMAT_VERSION}; ${advice}`;
}

/**
 * Checks the whole file and returns its sections as views, or throws a DatasetError that says what is wrong. The
 * checksums of a file that is `isChecked` are not computed again: most of the time goes into them.
 */
export function decodeFile(file: Buffer, isChecked = false): Record<SectionName, Buffer> {
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1)
    throw new DatasetError('datasets can only be read on a little-endian machine');
  checkHeader(file);
  const length = Number(file.readBigUInt64LE(16));
  if (file.length < length) throw new DatasetError(`truncated: ${file.length} of ${length} bytes`);
  if (file.length > length) throw new DatasetError(`damaged: ${file.length - length} bytes too many`);
  const tableEnd = HEADER_BYTES + file.readUInt32LE(12) * SECTION_ROW_BYTES;
  if (tableEnd > length || crc32(file.subarray(HEADER_BYTES, tableEnd)) !== file.readUInt32LE(24)) {
    throw new DatasetError('damaged: checksum mismatch in the section table');
  }
  const found = new Map<string, Buffer>();
  for (let at = HEADER_BYTES; at < tableEnd; at += SECTION_ROW_BYTES) {
    const name = file.toString('latin1', at, at + 16).replace(/\0+$/, '');
    const start = file.readUInt32LE(at + 16);
    const size = file.readUInt32LE(at + 20);
    if (start % 8 !== 0 || start + size > length) throw new DatasetError(`damaged: section ${name} is not in the file`);
    const bytes = file.subarray(start, start + size);
    if (!isChecked && crc32(bytes) !== file.readUInt32LE(at + 24))
      throw new DatasetError(`damaged: checksum mismatch in section ${name}`);
    found.set(name, bytes);
  }
  return Object.fromEntries(
    SECTIONS.map((name) => {
      const bytes = found.get(name);
      if (bytes === undefined) throw new DatasetError(`damaged: section ${name} is missing`);
      return [name, bytes];
    }),
  ) as Record<SectionName, Buffer>;
}

export function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** `bytes` must start at a multiple of 4 in its buffer. Sections do, if the file was read into a buffer of its own. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

const alignUp = (offset: number) => (offset + 7) & ~7;
