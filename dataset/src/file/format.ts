// The dataset file, a file of sections (section-file.ts). The reader parses nothing but `meta`.
//
//   section      element            content
//   meta         JSON               version, time of the build, sources, counts
//   v4.top       u32 x 65536        per /16: a match for the whole /16 (top bit set), or the offset of its bucket
//   v4.buckets   u16                bucket: intervals - 1, then the low 16 bits of each start except the first, padded
//                                   to a multiple of 4 bytes; then a u32 match per interval
//   v6.top       u32 x 65537        per /19 of 2000::/3: number of entries of v6.first below it
//   v6.first     u32                the distinct first words of interval starts, ascending
//   v6.offset    u32                per first word: offset of its second words; one more at the end
//   v6.second    u32                second words of interval starts, ascending within a first word, from 0
//   v6.match     u32                match per second word; 0xffffffff: the /64 is divided further, see v6.deep
//   v6.deep      u32 x 5            intervals inside a /64: four words of the start, match; ascending
//   records      u32                attributes of each record. Record 0 is unused: match 0 means no record
//   records.row  groups             row in asns of each record: records are ordered by it (consecutive-groups.ts)
//   asns, asns.number, asns.text    networks, the largest first (networks/networks.ts)
//   origins, origins.at             where in the address tables the prefixes of each network are (origin-index.ts)
//   suffixes, suffixes.variant,     the fields of records from `country` on, and which sources decided them
//   variants, chunks, chunks.text,  (texts/attributes.ts)
//   decisions, decisions.at
//   covered      u32 x 2            announced IPv4 prefixes that more specific ones cover (covered.ts)
//   covered.v6   u32 x 5            the same for IPv6
//   otherOrigins u32 x 7            other origins of announced prefixes (other-origins.ts)
//
// A match is  prefix length << 24 | record.  No IPv4 length reaches the top bit, so v4.top can use that bit as a flag.
// An interval is a run of addresses with one match inside one prefix; unannounced space is an
// interval with match 0.
import { DatasetError } from '../dataset-error.ts';
import type { Match } from './match.ts';
import { decodeSections, encodeSections, hasMagic, versionOf } from './section-file.ts';

const MAGIC = 'WHENCE\r\n';
/** A change of the format raises it. */
export const FORMAT_VERSION = 8;

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
  'origins',
  'origins.at',
  'suffixes',
  'suffixes.variant',
  'variants',
  'chunks',
  'chunks.text',
  'decisions',
  'decisions.at',
  'covered',
  'covered.v6',
  'otherOrigins',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/**
 * Intervals in ascending order, each up to the next start; the first starts at the lowest address
 * of the family.
 */
export type Intervals = { readonly starts: readonly bigint[]; readonly matches: readonly Match[] };

export function encodeFile(sections: Record<SectionName, Uint8Array>): Buffer {
  return encodeSections({ magic: MAGIC, version: FORMAT_VERSION, sections: SECTIONS }, sections);
}

/**
 * The format of a file, whether it can be read or not; undefined if it is not a dataset or its
 * header is damaged.
 */
const formatOf = (file: Buffer): number | undefined => versionOf(file, MAGIC);

/** Throws a DatasetError unless the file begins like a dataset of this format. */
function checkHeader(file: Buffer): void {
  if (!hasMagic(file, MAGIC)) throw new DatasetError('not a whence dataset');
  const format = formatOf(file);
  if (format === undefined) throw new DatasetError('damaged: checksum mismatch in the header');
  if (format !== FORMAT_VERSION) throw new UnreadableFormat(format);
}

/**
 * The file, or what a static host offers, is of another release. `subject` names it: "the file".
 */
export class UnreadableFormat extends DatasetError {
  readonly format: number;

  constructor(format: number, subject = 'the file') {
    super(
      `${subject} has format ${format}, which this version of wh does not read; ${format > FORMAT_VERSION ? 'upgrade wh' : 'build the dataset again'}`,
    );
    this.format = format;
  }
}

/**
 * Checks the whole file and returns its sections as views, or throws a DatasetError that says what
 * is wrong.
 */
export function decodeFile(file: Buffer, isChecked = false): Record<SectionName, Buffer> {
  checkHeader(file);
  return decodeSections(file, SECTIONS, isChecked);
}

export function bytesOf(array: Uint8Array | Uint16Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * `bytes` must start at a multiple of 4 in its buffer. Sections do, if the file was read into a
 * buffer of its own.
 */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
