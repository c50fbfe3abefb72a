/**
 * Finds aggregate and TLS reports in a file, whatever its name and type say: XML, JSON, gzip, zip,
 * and one archive in another. What is unpacked is read as a stream, within limits: a megabyte can
 * unpack to a gigabyte.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import type { AggregateReport } from '../report.ts';
import type { TlsReport } from '../tls-report.ts';
import { ReportXml } from './read-report-xml.ts';
import { MAX_TLS_BYTES, readTlsReport } from './read-tls-report.ts';
import { type NotReadCode, Unreadable } from './unreadable.ts';

export const MAX_PACKED_BYTES = 10 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;
const MAX_RATIO = 200;
const MAX_FILES = 1_000;
/** An archive, and one in it. */
const MAX_ARCHIVES = 2;

/** `name` is that of the file, with those of archives and messages that it is in. */
export type Found = { readonly name: string } & (
  | { readonly kind: 'report'; readonly report: AggregateReport; readonly digest: string }
  | { readonly kind: 'tls_report'; readonly report: TlsReport; readonly digest: string }
  | { readonly kind: 'not_read'; readonly code: NotReadCode }
);

/** What one input may still use. */
export class Budget {
  unpackedBytes = MAX_UNPACKED_BYTES;
  files = MAX_FILES;
}

export type Kind = 'gzip' | 'zlib' | 'zip' | 'xml' | 'json' | 'message' | 'other';

/** By its first bytes. */
export function kindOf(head: Uint8Array): Kind {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x50 && head[1] === 0x4b) return 'zip';
  // RFC 1950 §2.2: deflate with a window of 32 KiB, and a sum that 31 divides. No text begins so.
  if (head[0] === 0x78 && (head[0] * 256 + (head[1] ?? 0)) % 31 === 0) return 'zlib';
  const isWide = head.subarray(0, 4).includes(0);
  const isBigEndian = head[0] === 0 || head[0] === 0xfe;
  const wideEncoding = isBigEndian ? 'utf-16be' : 'utf-16le';
  const text = new TextDecoder(isWide ? wideEncoding : 'utf-8').decode(head).trimStart();
  if (text.startsWith('<')) return 'xml';
  if (text.startsWith('{')) return 'json';
  // RFC 5322 §2.2, after the line that begins a message of an mbox.
  return /^(?:>?From \S.*\r?\n)?[!-9;-~]+[ \t]*:/.test(text) ? 'message' : 'other';
}

/** Bytes that tell the kind of a file, and whether JSON is a TLS report. */
export const HEAD_BYTES = 4_096;

export async function* readFile(
  name: string,
  bytes: Buffer,
  budget: Budget,
): AsyncGenerator<Found> {
  if (bytes.length > MAX_PACKED_BYTES) yield { kind: 'not_read', name, code: 'too_large' };
  else yield* readPacked(name, bytes, { budget, archives: 0, leftBytes: bytes.length * MAX_RATIO });
}

/** `leftBytes`: what the archive may still unpack to. */
type Place = { readonly budget: Budget; readonly archives: number; leftBytes: number };

async function* readPacked(name: string, bytes: Buffer, place: Place): AsyncGenerator<Found> {
  const kind = kindOf(bytes.subarray(0, HEAD_BYTES));
  if (!isArchive(kind)) {
    yield await readPlain(name, Readable.from([bytes]), place, false);
    return;
  }
  if (place.archives >= MAX_ARCHIVES) {
    yield { kind: 'not_read', name, code: 'nested_too_deep' };
    return;
  }
  const inner = { ...place, archives: place.archives + 1 };
  try {
    if (kind === 'zip') yield* readZip(name, withoutRest(bytes), inner);
    else {
      const [unpack, packed] =
        kind === 'gzip' ? [createGunzip(), withoutLineEnd(bytes)] : [createInflate(), bytes];
      yield* readStream(name, Readable.from([packed]).pipe(unpack), inner);
    }
  } catch (error) {
    yield notRead(name, error, 'broken_archive');
  }
}

async function* readZip(name: string, bytes: Buffer, place: Place): AsyncGenerator<Found> {
  const zip = await fromBufferPromise(bytes);
  let isEmpty = true;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    isEmpty = false;
    const own = `${name}: ${entry.fileName}`;
    if (place.budget.files-- <= 0) throw new Unreadable('too_many_files');
    try {
      yield* readStream(own, await zip.openReadStreamPromise(entry), place);
    } catch (error) {
      yield notRead(own, error, 'broken_archive');
    }
  }
  if (isEmpty) yield { kind: 'not_read', name, code: 'empty' };
}

const isArchive = (kind: Kind) => kind === 'gzip' || kind === 'zlib' || kind === 'zip';

/**
 * A file in an archive. Only another archive is collected, because it has to be read as a whole.
 */
async function* readStream(name: string, stream: Readable, place: Place): AsyncGenerator<Found> {
  const chunks = bounded(stream, place);
  const first: Buffer[] = [];
  let size = 0;
  let next = await chunks.next();
  while (next.done !== true) {
    first.push(next.value);
    size += next.value.length;
    if (size >= HEAD_BYTES) break;
    next = await chunks.next();
  }
  const head = Buffer.concat(first);
  const kind = kindOf(head.subarray(0, HEAD_BYTES));
  if (size === 0) {
    yield { kind: 'not_read', name, code: 'empty' };
    return;
  }
  if (!isArchive(kind)) {
    yield await readPlain(name, joined(head, chunks), place, true);
    return;
  }
  const parts: Buffer[] = [head];
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > MAX_PACKED_BYTES) throw new Unreadable('too_large');
  }
  yield* readPacked(name, Buffer.concat(parts), place);
}

async function readPlain(
  name: string,
  chunks: AsyncIterable<Buffer>,
  { budget }: Place,
  isUnpacked: boolean,
): Promise<Found> {
  let reader: ReportXml | JsonBytes | undefined;
  const digest = createHash('sha256');
  try {
    for await (const chunk of chunks) {
      reader ??= readerOf(chunk, isUnpacked);
      if (!isUnpacked) budget.unpackedBytes -= chunk.length;
      digest.update(chunk);
      reader.write(chunk);
    }
    if (reader === undefined) throw new Unreadable(isUnpacked ? 'no_report' : 'not_a_report');
    const file = { name, digest: digest.digest('hex') };
    return reader instanceof ReportXml
      ? { kind: 'report', ...file, report: reader.end() }
      : { kind: 'tls_report', ...file, report: readTlsReport(name, reader.end()) };
  } catch (error) {
    return notRead(name, error, isUnpacked ? 'broken_archive' : 'broken_xml');
  }
}

function readerOf(head: Buffer, isUnpacked: boolean): ReportXml | JsonBytes {
  const kind = kindOf(head.subarray(0, HEAD_BYTES));
  if (kind === 'xml') return new ReportXml();
  if (kind === 'json' && isTlsReport(head)) return new JsonBytes();
  throw new Unreadable(isUnpacked && kind !== 'json' ? 'no_report' : 'not_a_report');
}

/** JSON is read as a whole. */
class JsonBytes {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  write(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > MAX_TLS_BYTES) throw new Unreadable('large_tls_report');
    this.#chunks.push(chunk);
  }

  end(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/**
 * Some receivers end the file with a line break, which gunzip takes for the beginning of another
 * one. The sum at the end of a zlib file may be one.
 */
function withoutLineEnd(bytes: Buffer): Buffer {
  const end = /\r?\n$/.exec(bytes.toString('latin1', Math.max(0, bytes.length - 2)))?.[0] ?? '';
  return bytes.subarray(0, bytes.length - end.length);
}

/** A zip file ends with its directory; what mail systems add behind that is not read. */
function withoutRest(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (at < 0 || at + DIRECTORY_END_BYTES > bytes.length) return bytes;
  const comment = bytes.readUInt16LE(at + DIRECTORY_END_BYTES - 2);
  return bytes.subarray(0, at + DIRECTORY_END_BYTES + comment);
}

const DIRECTORY_END_BYTES = 22;

/** RFC 8460 §4.4 */
const isTlsReport = (bytes: Buffer) =>
  /"(?:organization-name|policies|date-range)"\s*:/.test(
    bytes.subarray(0, HEAD_BYTES).toString('latin1'),
  );

async function* bounded(stream: Readable, place: Place): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    place.leftBytes -= chunk.length;
    place.budget.unpackedBytes -= chunk.length;
    if (place.leftBytes < 0 || place.budget.unpackedBytes < 0)
      throw new Unreadable('unpacked_too_large');
    yield chunk;
  }
}

async function* joined(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

/** Errors of zlib and of the reader of zip files are about the bytes. */
function notRead(name: string, error: unknown, otherwise: NotReadCode): Found {
  return { kind: 'not_read', name, code: error instanceof Unreadable ? error.code : otherwise };
}
