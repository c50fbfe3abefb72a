/**
 * Fetches one file. Asks only for what is new (ETag, Last-Modified), goes on where an earlier download broke off, and
 * leaves the body as it came, still compressed. Trouble of the network is a result and no exception; trouble of our own
 * disk is an exception.
 *
 *   attempt --200--> body --whole--> fetched
 *      |     206 (goes on)  --broken--> once more, from where it broke; in the end: failed
 *      |     304 --> unchanged
 *      |     416, 206 of something else --> part dropped, once more
 *      |     5xx, no connection --> once more, twice; in the end: failed
 *      +     429, 503 with Retry-After, anything else --> failed
 */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { renameSynced } from '../whole-file.ts';
import { Deadline, TooLate } from './deadline.ts';
import { downloadLocal } from './download-local.ts';
import { formatProgress, formatSize } from './format-size.ts';
import { dismiss, formatStatus, type HttpAnswer, httpGet, urlObjection } from './http-get.ts';
import { beginPart, dropPart, noteOf, type Part, partPath, readPart } from './part-file.ts';
import { userAgent } from './user-agent.ts';

export type DownloadRequest = {
  readonly url: string;
  /** Where the body goes. */
  readonly target: string;
  /** What the server said last time about the copy that we still have. */
  readonly etag?: string;
  readonly lastModified?: string;
  readonly limits: DownloadLimits;
  /** An address or page for whoever wonders who is asking. */
  readonly contact?: string;
  readonly now: Date;
  readonly sleep: (ms: number) => Promise<void>;
};

export type DownloadLimits = {
  readonly maxBytes: number;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
};

export type DownloadResult = Fetched | { readonly kind: 'unchanged' } | DownloadFailed;

export type Fetched = {
  readonly kind: 'fetched';
  readonly bytes: number;
  /** Where it was in the end, after redirects. */
  readonly url: string;
  readonly etag?: string;
  readonly lastModified?: string;
};

export type DownloadFailed = {
  readonly kind: 'failed';
  readonly reason: string;
  /** Whether a server was reached. */
  readonly isAnswered: boolean;
  readonly retryAfterSeconds?: number;
};

/** Before the second and the third attempt. */
const PAUSES_MS = [1000, 4000];

export async function download(request: DownloadRequest): Promise<DownloadResult> {
  if (!URL.canParse(request.url)) return failed(`${JSON.stringify(request.url)} is no address`);
  const url = new URL(request.url);
  if (url.protocol === 'file:') return downloadLocal(url, request);
  const objection = urlObjection(url);
  if (objection !== undefined) return failed(`the address cannot be used: ${objection}`);

  const deadline = new Deadline(request.limits);
  try {
    for (let pauses = 0; ; ) {
      const outcome = await attempt(request, url, deadline);
      if (outcome.kind === 'start over') continue;
      if (outcome.kind !== 'again') return outcome;
      const pause = PAUSES_MS[pauses++];
      if (pause === undefined) return failed(outcome.reason, outcome.isAnswered);
      deadline.pause();
      await request.sleep(pause);
    }
  } finally {
    deadline.end();
  }
}

type Outcome =
  | DownloadResult
  | { readonly kind: 'again'; readonly reason: string; readonly isAnswered: boolean }
  /** Only ever after a part was dropped, so it cannot happen twice in a row. */
  | { readonly kind: 'start over' };

async function attempt(request: DownloadRequest, url: URL, deadline: Deadline): Promise<Outcome> {
  const { target } = request;
  const part = readPart(target, request.url);
  const answer = await httpGet(url, headersOf(request, part), deadline);
  if (answer.kind === 'trouble') {
    const { reason, isPassing, isAnswered } = answer;
    return isPassing ? { kind: 'again', reason, isAnswered } : failed(reason, isAnswered);
  }
  const { response } = answer;
  const { status } = response;
  if (status === 200) return receive(request, answer, undefined, deadline);
  if (status === 206 && part !== undefined && isContinuation(response, part))
    return receive(request, answer, part, deadline);
  await dismiss(response);
  if (status === 304 && isConditional(request)) {
    dropPart(target);
    return { kind: 'unchanged' };
  }
  if ((status === 206 || status === 416) && part !== undefined) {
    dropPart(target);
    return { kind: 'start over' };
  }
  const retryAfterSeconds = retryAfter(response, request.now);
  if ((status === 429 || status === 503) && retryAfterSeconds !== undefined) {
    const reason = `${formatStatus(status)} and asks to come back in ${formatWait(retryAfterSeconds)}`;
    return { ...failed(reason, true), retryAfterSeconds };
  }
  if (status >= 500) return { kind: 'again', reason: formatStatus(status), isAnswered: true };
  return failed(formatStatus(status), true);
}

function headersOf(request: DownloadRequest, part: Part | undefined): Record<string, string> {
  return {
    'user-agent': userAgent(request.contact),
    // A transfer encoding on top would make lengths and ranges those of something else than the file.
    'accept-encoding': 'identity',
    ...(request.etag === undefined ? {} : { 'if-none-match': request.etag }),
    ...(request.lastModified === undefined ? {} : { 'if-modified-since': request.lastModified }),
    ...(part === undefined ? {} : { range: `bytes=${part.bytes}-`, 'if-range': part.if_range }),
  };
}

function isConditional({ etag, lastModified }: DownloadRequest): boolean {
  return etag !== undefined || lastModified !== undefined;
}

/** RFC 9110 §15.3.7: the server says which bytes it sends, and they must be those that are missing. */
function isContinuation({ headers }: Response, part: Part): boolean {
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (range === null || isEncoded(headers)) return false;
  const [first, last, total] = [Number(range[1]), Number(range[2]), range[3] === '*' ? undefined : Number(range[3])];
  if (first !== part.bytes || last < first) return false;
  return total === undefined || (total === (part.total ?? total) && last === total - 1);
}

async function receive(
  request: DownloadRequest,
  { response, url }: HttpAnswer,
  part: Part | undefined,
  deadline: Deadline,
): Promise<Outcome> {
  const { target, limits } = request;
  const { headers } = response;
  const before = part?.bytes ?? 0;
  const total = isEncoded(headers) ? undefined : (lengthOf(headers, before) ?? part?.total);
  const tooLarge = failed(`larger than ${formatSize(limits.maxBytes)}`, true);
  if (total !== undefined && total > limits.maxBytes) {
    await dismiss(response);
    dropPart(target);
    return tooLarge;
  }
  const note = part ?? (isEncoded(headers) ? undefined : noteOf(request.url, headers, total));
  if (part === undefined) beginPart(target, note);

  const body = await append(partPath(target), response, before, limits.maxBytes, deadline);
  if (body.end === 'too large') {
    dropPart(target);
    return tooLarge;
  }
  if (body.end === 'broken' || (total !== undefined && body.bytes < total)) {
    if (note === undefined || body.bytes === 0) dropPart(target);
    const progress = total === undefined ? formatSize(body.bytes) : formatProgress(body.bytes, total);
    const next = note === undefined || body.bytes === 0 ? 'starts over' : 'goes on from there';
    const late = body.end === 'broken' ? body.late : undefined;
    const what = late === undefined ? `the connection broke after ${progress}` : `${late}, with ${progress} here`;
    const reason = `${what}; the next update ${next}`;
    return late === undefined ? { kind: 'again', reason, isAnswered: true } : failed(reason, true);
  }
  renameSynced(partPath(target), target);
  dropPart(target);
  const etag = headers.get('etag') ?? part?.etag;
  const lastModified = headers.get('last-modified') ?? part?.last_modified;
  return {
    kind: 'fetched',
    bytes: body.bytes,
    url: url.href,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

type Body =
  | { readonly end: 'whole' | 'too large'; readonly bytes: number }
  | { readonly end: 'broken'; readonly bytes: number; readonly late?: string };

/** Writes the body after the `before` bytes that are there. However it ends, what counts as written is synced. */
async function append(
  path: string,
  response: Response,
  before: number,
  maxBytes: number,
  deadline: Deadline,
): Promise<Body> {
  const reader = response.body?.getReader();
  const file = await open(path, 'a');
  let bytes = before;
  try {
    for (;;) {
      let piece: Uint8Array | undefined;
      try {
        deadline.restart('nothing more came');
        piece = (await reader?.read())?.value;
      } catch (error) {
        await file.sync();
        return { end: 'broken', bytes, ...(error instanceof TooLate ? { late: error.message } : {}) };
      }
      deadline.pause();
      if (piece === undefined) break;
      bytes += piece.length;
      if (bytes > maxBytes) return { end: 'too large', bytes };
      await file.appendFile(piece);
    }
    await file.sync();
    return { end: 'whole', bytes };
  } catch (error) {
    // The disk is full or gone. A part of unknown length is no part.
    rmSync(path, { force: true });
    throw error;
  } finally {
    await file.close();
    await reader?.cancel().catch(() => {});
  }
}

/** Servers that ignore what we accept: fetch has decoded the body, and lengths and ranges are those of the encoded one. */
function isEncoded(headers: Headers): boolean {
  return (headers.get('content-encoding') ?? 'identity') !== 'identity';
}

function lengthOf(headers: Headers, before: number): number | undefined {
  const length = headers.get('content-length');
  return length !== null && /^\d+$/.test(length) ? before + Number(length) : undefined;
}

/** RFC 9110 §10.2.3: seconds, or a date. */
function retryAfter({ headers }: Response, now: Date): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

function formatWait(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}

function failed(reason: string, isAnswered = false): DownloadFailed {
  return { kind: 'failed', reason, isAnswered };
}
