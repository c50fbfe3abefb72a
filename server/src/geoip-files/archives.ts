/**
 * gzip and tar.gz of a database, made of one compressed file. Its deflate blocks (RFC 1951) end at a byte and none of them
 * is the last, so blocks of other bytes fit before and behind them: the tar header with the credits, the padding, or just
 * an empty last block. Both are one gzip member (RFC 1952), because some readers stop after the first.
 */
import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { DatabaseFile, DatabaseVersion } from './file-index.ts';

/** The fastest: the usual 6 takes three times as long. */
const LEVEL = 1;
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const MAX_STORED_BYTES = 65_535;
const TAR_BLOCK = 512;

/** What comes before and behind the compressed file. */
export type Archive = { readonly head: Buffer; readonly tail: Buffer };

export function deflate(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH });
}

export function gzipArchive({ bytes, crc32: checksum }: Pick<DatabaseFile, 'bytes' | 'crc32'>): Archive {
  return { head: GZIP_HEADER, tail: Buffer.concat([stored(Buffer.alloc(0), true), trailer(checksum, bytes)]) };
}

type Described = Pick<DatabaseVersion, 'builtAt' | 'date' | 'notice'>;

/** A folder with the credits and the database, as MaxMind's archives have it. */
export function tarGzArchive(version: Described, file: Pick<DatabaseFile, 'bytes' | 'edition' | 'tarCrc32'>): Archive {
  const { before, behind } = tarParts(version, file);
  const total = before.length + file.bytes + behind.length;
  return {
    head: Buffer.concat([GZIP_HEADER, stored(before, false)]),
    tail: Buffer.concat([stored(behind, true), trailer(file.tarCrc32, total)]),
  };
}

/** Checksum of the whole tar file. */
export function tarCrc32(version: Described, file: Pick<DatabaseFile, 'bytes' | 'edition'>, database: Buffer): number {
  const { before, behind } = tarParts(version, file);
  return crc32(behind, crc32(database, crc32(before)));
}

export const tarFolder = ({ date }: Pick<DatabaseVersion, 'date'>, { edition }: Pick<DatabaseFile, 'edition'>) =>
  `${edition}_${date.replaceAll('-', '')}`;

function tarParts(version: Described, file: Pick<DatabaseFile, 'bytes' | 'edition'>) {
  const folder = tarFolder(version, file);
  const notice = Buffer.from(version.notice);
  const before = Buffer.concat([
    tarHeader(`${folder}/NOTICE.txt`, notice.length, version),
    notice,
    padding(notice.length),
    tarHeader(`${folder}/${file.edition}.mmdb`, file.bytes, version),
  ]);
  return { before, behind: Buffer.concat([padding(file.bytes), Buffer.alloc(2 * TAR_BLOCK)]) };
}

/** POSIX.1-1988 ustar. */
function tarHeader(path: string, bytes: number, { builtAt }: Described): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, '0'), at);
  header.write(path);
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes, 124, 11);
  octal(Math.floor(Date.parse(builtAt) / 1000), 136, 11);
  // The checksum is that of the header with blanks in its place.
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header.write('\0 ', 154);
  return header;
}

const padding = (bytes: number) => Buffer.alloc((TAR_BLOCK - (bytes % TAR_BLOCK)) % TAR_BLOCK);

/** Blocks without compression. */
function stored(bytes: Buffer, isLast: boolean): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += MAX_STORED_BYTES) {
    const part = bytes.subarray(at, at + MAX_STORED_BYTES);
    const header = Buffer.alloc(5);
    header[0] = isLast && at + part.length === bytes.length ? 1 : 0;
    header.writeUInt16LE(part.length, 1);
    header.writeUInt16LE(~part.length & 0xffff, 3);
    blocks.push(header, part);
  }
  return Buffer.concat(blocks);
}

function trailer(checksum: number, bytes: number): Buffer {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(checksum, 0);
  end.writeUInt32LE(bytes % 2 ** 32, 4);
  return end;
}
