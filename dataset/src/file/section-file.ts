// A file of named sections that is used in place: the reader makes typed arrays over them. All
// numbers are little-endian; every section starts at a multiple of 8 bytes.
//
//   0   8  magic; it has a line end, so that a copy in text mode is detected at once
//   8   4  format version
//  12   4  number of sections
//  16   8  file length, to tell a truncated file from a damaged one
//  24   4  CRC-32 of the section table
//  28   4  CRC-32 of bytes 0 to 27
//  32      section table: per section  16 bytes name (ASCII, zero-padded), u32 offset, u32 length, u32 CRC-32, u32 zero
//          sections
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';

export const HEADER_BYTES = 32;
export const SECTION_ROW_BYTES = 32;

/**
 * What kind of file it is: eight bytes at its start, its version, and the sections that it must
 * have.
 */
type SectionFormat<Name extends string> = {
  readonly magic: string;
  readonly version: number;
  readonly sections: readonly Name[];
};

export function encodeSections<Name extends string>(
  { magic, version, sections: names }: SectionFormat<Name>,
  sections: Record<Name, Uint8Array>,
): Buffer {
  const tableEnd = HEADER_BYTES + names.length * SECTION_ROW_BYTES;
  const offsets = new Map<Name, number>();
  let end = tableEnd;
  for (const name of names) {
    offsets.set(name, end);
    end = alignUp(end + sections[name].length);
  }
  const file = Buffer.alloc(end);
  file.write(magic, 0, 'latin1');
  file.writeUInt32LE(version, 8);
  file.writeUInt32LE(names.length, 12);
  file.writeBigUInt64LE(BigInt(end), 16);
  names.forEach((name, i) => {
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

/**
 * The version of a file of this kind; undefined if it is of another kind or its header is damaged.
 */
export function versionOf(file: Buffer, magic: string): number | undefined {
  if (!hasMagic(file, magic)) return undefined;
  return crc32(file.subarray(0, 28)) === file.readUInt32LE(28) ? file.readUInt32LE(8) : undefined;
}

export function hasMagic(file: Buffer, magic: string): boolean {
  return file.length >= HEADER_BYTES && file.toString('latin1', 0, 8) === magic;
}

/**
 * Sections as views. Magic and version are checked before; checksums of a file that `isChecked` are
 * not computed.
 */
export function decodeSections<Name extends string>(
  file: Buffer,
  names: readonly Name[],
  isChecked: boolean,
): Record<Name, Buffer> {
  if (new Uint8Array(new Uint32Array([1]).buffer)[0] !== 1)
    throw new DatasetError('datasets can only be read on a little-endian machine');
  const length = Number(file.readBigUInt64LE(16));
  if (file.length < length) throw new DatasetError(`truncated: ${file.length} of ${length} bytes`);
  if (file.length > length)
    throw new DatasetError(`damaged: ${file.length - length} bytes too many`);
  const tableEnd = HEADER_BYTES + file.readUInt32LE(12) * SECTION_ROW_BYTES;
  if (tableEnd > length || crc32(file.subarray(HEADER_BYTES, tableEnd)) !== file.readUInt32LE(24)) {
    throw new DatasetError('damaged: checksum mismatch in the section table');
  }
  const sections = new Map<string, Buffer>();
  for (let at = HEADER_BYTES; at < tableEnd; at += SECTION_ROW_BYTES) {
    const name = file.toString('latin1', at, at + 16).replace(/\0+$/, '');
    const start = file.readUInt32LE(at + 16);
    const size = file.readUInt32LE(at + 20);
    if (start % 8 !== 0 || start + size > length)
      throw new DatasetError(`damaged: section ${name} is not in the file`);
    const bytes = file.subarray(start, start + size);
    if (!isChecked && crc32(bytes) !== file.readUInt32LE(at + 24))
      throw new DatasetError(`damaged: checksum mismatch in section ${name}`);
    sections.set(name, bytes);
  }
  return Object.fromEntries(
    names.map((name) => {
      const bytes = sections.get(name);
      if (bytes === undefined) throw new DatasetError(`damaged: section ${name} is missing`);
      return [name, bytes];
    }),
  ) as Record<Name, Buffer>;
}

/** What `check` makes of the bytes of a file. Its DatasetErrors get the path. */
export function readSectionFile<T>(path: string, check: (bytes: Buffer<ArrayBuffer>) => T): T {
  const opened = openSync(path, 'r');
  try {
    return check(readWhole(opened, fstatSync(opened).size));
  } catch (error) {
    if (error instanceof DatasetError) error.message = `${path}: ${error.message}`;
    throw error;
  } finally {
    closeSync(opened);
  }
}

/** In a buffer of its own: typed arrays need an aligned start, which Node's pool has not. */
function readWhole(opened: number, size: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let end = 0;
  while (end < bytes.length) {
    const read = readSync(opened, bytes, end, bytes.length - end, end);
    if (read === 0) throw new DatasetError(`truncated: ${end} of ${bytes.length} bytes`);
    end += read;
  }
  return bytes;
}

const alignUp = (offset: number) => (offset + 7) & ~7;
