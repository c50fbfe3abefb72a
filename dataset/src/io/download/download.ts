// Downloads one file: conditionally (ETag, Last-Modified), and continuing an earlier download that
// was interrupted. The body is stored as received, still compressed. A network failure is a result;
// a disk failure is an exception.
//
//   attempt --200--> body --whole--> fetched
//      |     206 (continued) --broken--> again, from where it broke; in the end: failed
//      |                     --too slow, too late--> failed; the next call continues
//      |     304 --> unchanged
//      |     416, 206 of something else --> part dropped, again
//      |     5xx, no connection --> again, twice; in the end: failed
//      +     429, 503 with Retry-After, anything else --> failed
import { readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  openRegular,
  renameSynced,
  UnusableFile,
  writeAtomically,
  writeChunksAtomically,
} from '../files.ts';
import { formatProgress, formatSize } from '../format-size.ts';
import { formatStatus } from './connection-error.ts';
import { userAgent } from './credentials.ts';
import {
  type DownloadRequest,
  type DownloadResult,
  failed,
  type Unreachable,
} from './download-request.ts';
import { BodyError, contentCoding, type HttpAnswer, httpGet, urlObjection } from './http-get.ts';
import { TransferTimeouts } from './transfer-timeouts.ts';

/** Before the second and the third attempt. */
const PAUSES_MS = [1000, 4000];
const MAX_JSON_BYTES = 4096;

export async function download(request: DownloadRequest): Promise<DownloadResult> {
  if (!URL.canParse(request.url)) return failed(`${JSON.stringify(request.url)} is not a URL`);
  const url = new URL(request.url);
  if (url.protocol === 'file:') return downloadLocal(url, request);
  const objection = urlObjection(url);
  if (objection !== undefined) return failed(`a URL ${objection}`);
  // The URL is stored in the cache and shown with the source, so it must not contain credentials.
  if (url.username !== '' || url.password !== '')
    return failed('a URL with a user name or password, which is refused');
  if (request.password !== undefined) url.password = encodeURIComponent(request.password);

  const timeouts = new TransferTimeouts(request.limits);
  try {
    for (let pauses = 0; ; ) {
      const outcome = await attempt(request, url, timeouts);
      if (outcome.kind === 'start over') continue;
      if (outcome.kind !== 'again') return outcome;
      const pause = PAUSES_MS[pauses++];
      if (pause === undefined)
        return failed(outcome.reason, outcome.isAnswered, outcome.unreachable);
      timeouts.pause();
      await request.sleep(pause);
    }
  } finally {
    timeouts.end();
  }
}

type Outcome =
  | DownloadResult
  | {
      readonly kind: 'again';
      readonly reason: string;
      readonly isAnswered: boolean;
      readonly unreachable?: Unreachable | undefined;
    }
  /** Follows only after a part was dropped, so it cannot happen twice in a row. */
  | { readonly kind: 'start over' };

async function attempt(
  request: DownloadRequest,
  url: URL,
  timeouts: TransferTimeouts,
): Promise<Outcome> {
  const { target, network } = request;
  const part = readPart(target, request.url);
  const answer = await httpGet(url, { headers: headersOf(request, part), timeouts, network });
  if (answer.kind === 'failure') {
    const { reason, isPassing, isAnswered, unreachable } = answer;
    return isPassing
      ? { kind: 'again', reason, isAnswered, unreachable }
      : failed(reason, isAnswered, unreachable);
  }
  const { status, headers } = answer;
  if (status === 200) return receive(request, answer, undefined);
  if (status === 206 && part !== undefined && isContinuation(headers, part))
    return receive(request, answer, part);
  const body = status === 403 || status === 503 ? await shortJson(answer) : '';
  answer.close();
  if (status === 304 && isConditional(request)) {
    dropPart(target);
    request.onHeaders?.(headers);
    return { kind: 'unchanged' };
  }
  if ((status === 206 || status === 416) && part !== undefined) {
    dropPart(target);
    return { kind: 'start over' };
  }
  const answered = `the server ${formatStatus(status)}`;
  const seconds = retryAfterSeconds(headers, request.now);
  if ((status === 429 || status === 503) && seconds !== undefined)
    return {
      ...failed(`${answered} and asks to try again in ${formatWait(seconds)}`, true),
      retryAfterSeconds: seconds,
      ...(body !== '' && { body }),
    };
  if (status >= 500) return { kind: 'again', reason: answered, isAnswered: true };
  return { ...failed(answered, true), ...(body !== '' && { body }) };
}

/** Empty for another type, a longer body, and one that is not received completely. */
async function shortJson({ headers, body }: HttpAnswer): Promise<string> {
  if (headers['content-type']?.startsWith('application/json') !== true) return '';
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body(MAX_JSON_BYTES)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } catch (error) {
    if (error instanceof BodyError) return '';
    throw error;
  }
}

function headersOf(request: DownloadRequest, part: Part | undefined): Record<string, string> {
  return {
    'user-agent': userAgent(request.contact),
    // With a content coding, lengths and ranges would refer to the encoded body and not to the
    // file.
    'accept-encoding': 'identity',
    ...(request.etag === undefined ? {} : { 'if-none-match': request.etag }),
    ...(request.lastModified === undefined ? {} : { 'if-modified-since': request.lastModified }),
    ...(part === undefined ? {} : { range: `bytes=${part.bytes}-`, 'if-range': part.if_range }),
  };
}

function isConditional({ etag, lastModified }: DownloadRequest): boolean {
  return etag !== undefined || lastModified !== undefined;
}

/** RFC 9110 §15.3.7: the server states which bytes it sends, and they must be the missing ones. */
function isContinuation(headers: IncomingHttpHeaders, part: Part): boolean {
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  if (range === null || contentCoding(headers) !== undefined) return false;
  const first = Number(range[1]);
  const last = Number(range[2]);
  const total = range[3] === '*' ? undefined : Number(range[3]);
  if (first !== part.bytes || last < first) return false;
  return total === undefined || (total === (part.total ?? total) && last === total - 1);
}

async function receive(
  request: DownloadRequest,
  answer: HttpAnswer,
  part: Part | undefined,
): Promise<Outcome> {
  const { target, limits } = request;
  const { headers, url } = answer;
  request.onHeaders?.(headers);
  const before = part?.bytes ?? 0;
  const isEncoded = contentCoding(headers) !== undefined;
  const total = isEncoded ? undefined : (lengthOf(headers, before) ?? part?.total);
  const note = part ?? (isEncoded ? undefined : noteOf(request.url, headers, total));
  if (part === undefined) beginPart(target, note);

  const { bytes, error } = await append(partPath(target), answer, before, limits.maxBytes);
  if (error?.cut === 'too large') {
    dropPart(target);
    return failed(`larger than ${formatSize(limits.maxBytes)}`, true);
  }
  if (error !== undefined || (total !== undefined && bytes < total)) {
    const isLost = note === undefined || bytes === 0;
    if (isLost) dropPart(target);
    const progress = total === undefined ? formatSize(bytes) : formatProgress(bytes, total);
    const next = isLost ? 'starts over' : 'continues from there';
    const reason = `${error?.message ?? 'the connection broke'} after ${progress}; the next update ${next}`;
    return error?.cut === 'timeout'
      ? failed(reason, true)
      : { kind: 'again', reason, isAnswered: true };
  }
  renameSynced(partPath(target), target);
  dropPart(target);
  const etag = headers.etag ?? part?.etag;
  const lastModified = headers['last-modified'] ?? part?.last_modified;
  return {
    kind: 'fetched',
    bytes,
    url: url.href,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

/** The bytes that it returns as written are synced, also on errors. */
async function append(
  path: string,
  answer: HttpAnswer,
  before: number,
  maxBytes: number,
): Promise<{ readonly bytes: number; readonly error?: BodyError }> {
  let bytes = before;
  const file = await open(path, 'a');
  try {
    try {
      for await (const chunk of answer.body(maxBytes - before)) {
        await file.appendFile(chunk);
        bytes += chunk.length;
      }
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      await file.sync();
      return { bytes, error };
    }
    await file.sync();
    return { bytes };
  } catch (error) {
    // The disk is full or failed. A part of unknown length cannot be continued.
    rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function lengthOf(
  { 'content-length': length }: IncomingHttpHeaders,
  before: number,
): number | undefined {
  return length !== undefined && /^\d+$/.test(length) ? before + Number(length) : undefined;
}

/** Retry-After (RFC 9110 §10.2.3): seconds, or a date. */
function retryAfterSeconds(
  { 'retry-after': text }: IncomingHttpHeaders,
  now: Date,
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200
    ? `${Math.round(seconds / 60)} minutes`
    : `${Math.round(seconds / 3600)} hours`;
}

/**
 * The part of a download that was received so far. A later request continues it if the content on
 * the server is the same:
 *
 *   <target>.part        the beginning of the body
 *   <target>.part.json   where it came from, and the validator for If-Range (RFC 9110 §13.1.5)
 *
 * Without a strong validator it cannot be continued: the file could be joined from two different
 * versions.
 */
type PartNote = {
  readonly url: string;
  readonly if_range: string;
  readonly etag?: string | undefined;
  readonly last_modified?: string | undefined;
  readonly total?: number | undefined;
};

type Part = PartNote & { readonly bytes: number };

const partPath = (target: string): string => `${target}.part`;

/** The part that was received from this URL, or undefined if it cannot be continued. */
function readPart(target: string, url: string): Part | undefined {
  try {
    const note = JSON.parse(readFileSync(notePath(target), 'utf8')) as PartNote;
    const bytes = statSync(partPath(target)).size;
    const isUsable =
      note.url === url &&
      typeof note.if_range === 'string' &&
      bytes > 0 &&
      bytes < (note.total ?? Infinity);
    return isUsable ? { ...note, bytes } : undefined;
  } catch {
    // Missing or damaged: the download starts from the beginning, which is always correct.
    return undefined;
  }
}

function dropPart(target: string): void {
  rmSync(partPath(target), { force: true });
  rmSync(notePath(target), { force: true });
}

/** Called before the first byte, so that a part never exists with the note of another one. */
function beginPart(target: string, note: PartNote | undefined): void {
  dropPart(target);
  if (note !== undefined)
    writeAtomically(notePath(target), Buffer.from(`${JSON.stringify(note)}\n`));
}

/** Undefined if the answer has no strong validator. */
function noteOf(
  url: string,
  headers: IncomingHttpHeaders,
  total: number | undefined,
): PartNote | undefined {
  const { etag, 'last-modified': lastModified, date } = headers;
  const ifRange =
    etag !== undefined && !etag.startsWith('W/') ? etag : strongDate(lastModified, date);
  if (ifRange === undefined) return undefined;
  return {
    url,
    if_range: ifRange,
    etag,
    last_modified: lastModified,
    total,
  };
}

/**
 * RFC 9110 §8.8.2.2: a date counts if the content could not have changed again within the same
 * second.
 */
function strongDate(
  lastModified: string | undefined,
  date: string | undefined,
): string | undefined {
  if (lastModified === undefined || date === undefined) return undefined;
  return Date.parse(date) - Date.parse(lastModified) >= 1000 ? lastModified : undefined;
}

const notePath = (target: string) => `${partPath(target)}.json`;

/** A feed that the operator fetches by other means. Size and time of the file serve as an ETag. */
async function downloadLocal(url: URL, request: DownloadRequest): Promise<DownloadResult> {
  let path: string;
  try {
    path = fileURLToPath(url);
  } catch {
    return failed(`${url.href} is not a path; it should look like file:///folder/name`);
  }
  let file: FileHandle;
  try {
    file = await openRegular(path);
  } catch (error) {
    if (error instanceof UnusableFile) return failed(`${path} ${error.message}`);
    return failed(openError(path, error as NodeJS.ErrnoException));
  }
  try {
    return await copy(file, path, url, request);
  } finally {
    await file.close();
  }
}

async function copy(
  file: FileHandle,
  path: string,
  url: URL,
  request: DownloadRequest,
): Promise<DownloadResult> {
  const stats = await file.stat();
  const etag = validatorOf(stats);
  if (etag === request.etag) return { kind: 'unchanged' };
  const { maxBytes } = request.limits;
  if (stats.size > maxBytes) return failed(`larger than ${formatSize(maxBytes)}`);
  try {
    await writeChunksAtomically(request.target, async (target) => {
      // A file that grows is read up to its initial size, and then reported as changed.
      const chunks = file.createReadStream({
        autoClose: false,
        start: 0,
        end: Math.max(0, stats.size - 1),
      });
      for await (const chunk of chunks) await target.appendFile(chunk);
      if (validatorOf(await file.stat()) !== etag) throw new Changed();
    });
  } catch (error) {
    if (error instanceof Changed) return failed(`${path} changed while it was read`);
    throw error;
  }
  return {
    kind: 'fetched',
    bytes: stats.size,
    url: url.href,
    etag,
    lastModified: stats.mtime.toUTCString(),
  };
}

class Changed extends Error {}

function validatorOf({ size, mtimeMs }: { size: number; mtimeMs: number }): string {
  return `"${size}-${mtimeMs}"`;
}

function openError(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return `no such file: ${path}`;
  if (code === 'EACCES' || code === 'EPERM') return `permission denied: ${path}`;
  return `${path} cannot be read: ${message}`;
}
