/**
 * Finds aggregate reports in a file, whatever its name and type say: XML, gzip, zip, and one archive in another. What is
 * unpacked is read as a stream, within limits: a megabyte can unpack to a gigabyte.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import { ReportXml } from './read-report-xml.ts';
import type { AggregateReport } from './report.ts';
import { type NotReadCode, Unreadable } from './unreadable.ts';

export const MAX_PACKED_BYTES = 10 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 200 * 1024 * 1024;
const MAX_RATIO = 200;
const MAX_FILES = 1_000;
/** An archive, and one in it. */
const MAX_ARCHIVES = 2;

/** `name` is that of the file, with those of archives and messages that it is in. */
export type Found =
  | { readonly kind: 'report'; readonly name: string; readonly report: AggregateReport; readonly digest: string }
  | { readonly kind: 'not_read'; readonly name: string; readonly code: NotReadCode };

/** What one input may still use. */
export class Budget {
  unpackedBytes = MAX_UNPACKED_BYTES;
  files = MAX_FILES;
}

export type Kind = 'gzip' | 'zip' | 'xml' | 'json' | 'message' | 'other';

/** By its first bytes. */
export function kindOf(head: Uint8Array): Kind {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head[0] === 0x50 && head[1] === 0x4b) return 'zip';
  const isWide = head.includes(0);
  const text = new TextDecoder(isWide && head[0] !== 0 && head[0] !== 0xfe ? 'utf-16le' : isWide ? 'utf-16be' : 'utf-8')
    .decode(head)
    .trimStart();
  if (text.startsWith('<')) return 'xml';
  if (text.startsWith('{')) return 'json';
  // RFC 5322 §2.2, after the line that begins a message of an mbox.
  return /^(?:>?From \S.*\r?\n)?[!-9;-~]+[ \t]*:/.test(text) ? 'message' : 'other';
}

/** Bytes that tell the kind of a file, and whether JSON is a TLS report. */
export const HEAD_BYTES = 4_096;

export async function* readFile(name: string, bytes: Buffer, budget: Budget): AsyncGenerator<Found> {
  if (bytes.length > MAX_PACKED_BYTES) yield { kind: 'not_read', name, code: 'too_large' };
  else yield* readPacked(name, bytes, { budget, archives: 0, leftBytes: bytes.length * MAX_RATIO });
}

/** `leftBytes`: what the archive may still unpack to. */
type Place = { readonly budget: Budget; readonly archives: number; leftBytes: number };

async function* readPacked(name: string, bytes: Buffer, place: Place): AsyncGenerator<Found> {
  const kind = kindOf(bytes.subarray(0, HEAD_BYTES));
  if (kind !== 'gzip' && kind !== 'zip') {
    yield await readPlain(name, Readable.from([bytes]), place, false);
    return;
  }
  if (place.archives >= MAX_ARCHIVES) {
    yield { kind: 'not_read', name, code: 'nested_too_deep' };
    return;
  }
  const inner = { ...place, archives: place.archives + 1 };
  try {
    if (kind === 'gzip') yield* readStream(name, Readable.from([withoutLineEnd(bytes)]).pipe(createGunzip()), inner);
    else yield* readZip(name, bytes, inner);
  } catch (error) {
    yield notRead(name, error, 'broken_archive');
  }
}

async function* readZip(name: string, bytes: Buffer, place: Place): AsyncGenerator<Found> {
  const zip = await fromBufferPromise(bytes);
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    const own = `${name}: ${entry.fileName}`;
    if (place.budget.files-- <= 0) throw new Unreadable('too_many_files');
    try {
      yield* readStream(own, await zip.openReadStreamPromise(entry), place);
    } catch (error) {
      yield notRead(own, error, 'broken_archive');
    }
  }
}

/** A file in an archive. Only another archive is collected, because it has to be read as a whole. */
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
  if (kind !== 'gzip' && kind !== 'zip') {
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
  const xml = new ReportXml();
  const digest = createHash('sha256');
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      if (isFirst) {
        const kind = kindOf(chunk.subarray(0, HEAD_BYTES));
        if (kind === 'json') throw new Unreadable(isTlsReport(chunk) ? 'tls_report' : 'not_a_report');
        if (kind !== 'xml') throw new Unreadable(isUnpacked ? 'no_report' : 'not_a_report');
      }
      isFirst = false;
      if (!isUnpacked) budget.unpackedBytes -= chunk.length;
      digest.update(chunk);
      xml.write(chunk);
    }
    if (isFirst) throw new Unreadable(isUnpacked ? 'no_report' : 'not_a_report');
    return { kind: 'report', name, report: xml.end(), digest: digest.digest('hex') };
  } catch (error) {
    return notRead(name, error, isUnpacked ? 'broken_archive' : 'broken_xml');
  }
}

/** Some receivers end the file with a line break, which zlib takes for the beginning of another one. */
function withoutLineEnd(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.toString('latin1', bytes.length - 2) === '\r\n' ? -2 : bytes.length);
}

/** RFC 8460 §4.4 */
const isTlsReport = (bytes: Buffer) =>
  /"(?:organization-name|policies|date-range)"\s*:/.test(bytes.subarray(0, HEAD_BYTES).toString('latin1'));

async function* bounded(stream: Readable, place: Place): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    place.leftBytes -= chunk.length;
    place.budget.unpackedBytes -= chunk.length;
    if (place.leftBytes < 0 || place.budget.unpackedBytes < 0) throw new Unreadable('unpacked_too_large');
    yield chunk;
  }
}

async function* joined(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}

/** Errors of zlib and of the reader of zip files are about the bytes. */
function notRead(name: string, error: unknown, otherwise: NotReadCode): Found {
  return { kind: 'not_read', name, code: error instanceof Unreadable ? error.code : otherwise };
}
