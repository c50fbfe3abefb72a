// Decompresses a downloaded feed. The first bytes tell the format: file names and content types are
// often wrong.
//
//   1f 8b                   gzip    zlib of Node
//   "BZh" 1..9 and a magic  bzip2   refused: no feed of the catalogue has it
//   fd "7zXZ" 00            xz      xz-decompress (xz-embedded as WebAssembly): dictionaries up to 64 MB, as `xz -9`
//                                   uses; CRC-32 and CRC-64; no filters beside LZMA2
//   anything else           copied unchanged
//
// Each file may consist of several streams. A truncated or damaged stream is refused even if most
// of it could be read, because half a list looks like a complete list.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import xz from 'xz-decompress';
import { fileContent, StreamError } from './content.ts';
import { writeChunksAtomically } from './files.ts';
import { formatSize } from './format-size.ts';

type Decompressed = { readonly bytes: number; readonly sha256: string };

/**
 * Writes the target whole or not at all. Throws a StreamError only if the content is the reason.
 */
export function decompressFile(
  from: string,
  to: string,
  limits: { readonly maxBytes: number },
): Promise<Decompressed> {
  return writeChunksAtomically(to, (file) => writeChunks(file, decoded(from), limits.maxBytes));
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function writeChunks(
  file: FileHandle,
  chunks: Chunks,
  maxBytes: number,
): Promise<Decompressed> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new StreamError(`larger than ${formatSize(maxBytes)} uncompressed`);
    hash.update(chunk);
    await file.appendFile(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function decoded(path: string): Chunks {
  const start = firstBytes(path);
  if (start.subarray(0, 2).equals(GZIP_MAGIC)) return gunzipped(path);
  if (start.subarray(0, 6).equals(XZ_MAGIC)) return unxzed(path);
  if (BZIP2_MAGIC.test(start.toString('latin1')))
    throw new StreamError('a bzip2 stream, which is not read; publish the file as gzip or xz');
  return fileContent(path).chunks();
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
const XZ_MAGIC = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
/** A text may begin with "BZh1". In a stream a block follows. */
const BZIP2_MAGIC = /^BZh[1-9]1AY&SY/;

function firstBytes(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(10);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

async function* gunzipped(path: string): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  // Closes both streams when either ends. Errors are thrown by the loop below, so the callback is
  // empty.
  pipeline(createReadStream(path), gunzip, () => {});
  try {
    yield* gunzip;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new StreamError('truncated gzip stream');
    if (code?.startsWith('Z_') === true) throw new StreamError(`damaged gzip stream: ${message}`);
    throw error;
  }
}

async function* unxzed(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  try {
    yield* new xz.XzReadableStream(Readable.toWeb(file) as ReadableStream<Uint8Array>);
  } catch (error) {
    const code = /error code (\d+)$/.exec((error as Error).message)?.[1];
    if (code === undefined) throw error;
    throw new StreamError(XZ_ERRORS[code] ?? 'damaged xz stream');
  } finally {
    file.destroy();
  }
}

/**
 * The results of xz-embedded's `xz_dec_run`. Input that ends too early makes no progress, which is
 * number 8.
 */
const XZ_ERRORS: Readonly<Record<string, string>> = {
  3: 'not enough memory for this xz stream',
  4: 'an xz stream with a dictionary of more than 64 MB, which is not read',
  6: 'an xz stream with a check or filter that is not read; `xz --check=crc64` writes one that is',
  8: 'truncated xz stream',
};
