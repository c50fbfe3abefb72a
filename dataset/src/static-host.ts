/**
 * Files under one URL: `https:`, `http:` or `file:`. Knows what goes wrong on the way and says it in a sentence that begins with the address,
 * never with the user name, password or query in it. Redirects are followed, but not from https to http.
 */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatasetError } from './format.ts';

/** The host, or the way to it, is at fault: what was received so far is good and can be continued. */
export class HostError extends DatasetError {}

export type Wanted = {
  /** Of the answer that is known already. */
  etag?: string | undefined;
  /** Bytes that are here already. */
  offset?: number;
  /** In all, and without a byte arriving. */
  totalMs: number;
  idleMs: number;
  signal?: AbortSignal | undefined;
};

export type Answer =
  | { kind: 'not-modified' }
  /** `offset` is 0 where the host does not continue a file. */
  | { kind: 'body'; offset: number; etag: string | undefined; body: AsyncIterable<Uint8Array> };

export type StaticHost = {
  /** The address of a file, fit for a log. */
  describe(name: string): string;
  /** Asks for a file and lets `use` read the answer; the timeouts run until it is done. */
  get<T>(name: string, wanted: Wanted, use: (answer: Answer) => Promise<T>): Promise<T>;
};

/** Throws a sentence about what the URL must be. */
export function staticHost(text: string): StaticHost {
  const base = parseBase(text);
  if (base.protocol === 'file:') {
    const folder = fileURLToPath(base);
    return {
      describe: (name) => join(folder, name),
      get: (name, wanted, use) =>
        withTimeouts(wanted, (timeouts) => use(openFile(join(folder, name), wanted, timeouts))),
    };
  }
  const locate = (name: string) => {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/${name}`;
    return url;
  };
  return {
    describe: (name) => forPeople(locate(name)),
    get: (name, wanted, use) =>
      withTimeouts(wanted, async (timeouts) => use(await openHttp(locate(name), wanted, timeouts))),
  };
}

function parseBase(text: string): URL {
  const words = 'an http:, https: or file: URL';
  if (!URL.canParse(text)) throw new Error(words);
  const url = new URL(text);
  if (!['http:', 'https:', 'file:'].includes(url.protocol)) throw new Error(words);
  if (url.protocol === 'file:' && url.host !== '') throw new Error('a file: URL without a host: file:///folder');
  url.hash = '';
  return url;
}

const forPeople = ({ protocol, host, pathname }: URL) => `${protocol}//${host}${pathname}`;

/** `alive` is called whenever something has arrived. The reason of the signal is the sentence. */
type Timeouts = { signal: AbortSignal; alive: () => void };

async function withTimeouts<T>(
  { totalMs, idleMs, signal: stop }: Wanted,
  work: (timeouts: Timeouts) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (reason: string) => controller.abort(new HostError(reason));
  const stopped = () => end('was left because the program stops');
  if (stop?.aborted) stopped();
  stop?.addEventListener('abort', stopped);
  const total = setTimeout(() => end(`was not read within ${totalMs / 1000} s`), totalMs);
  const idle = setTimeout(() => end(`sent nothing for ${idleMs / 1000} s`), idleMs);
  try {
    return await work({ signal: controller.signal, alive: () => idle.refresh() });
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
    stop?.removeEventListener('abort', stopped);
    // Whatever was not read of an answer is not wanted: the connection goes.
    controller.abort();
  }
}

function openFile(path: string, { offset = 0 }: Wanted, timeouts: Timeouts): Answer {
  const body = createReadStream(path, { start: offset, signal: timeouts.signal });
  return { kind: 'body', offset, etag: undefined, body: watched(body, path, timeouts) };
}

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

async function openHttp(first: URL, wanted: Wanted, timeouts: Timeouts): Promise<Answer> {
  let url = first;
  let authorization = basicAuth(first);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await request(url, authorization, wanted, timeouts);
    if (!REDIRECTS.includes(response.status)) return answerOf(response, first, wanted, timeouts);
    await response.body?.cancel();
    const next = redirectTarget(url, response.headers.get('location'));
    // A password is for the host it was given for.
    if (next.origin !== url.origin) authorization = undefined;
    url = next;
  }
  throw new HostError(`${forPeople(first)} redirects more than ${MAX_REDIRECTS} times`);
}

async function request(
  url: URL,
  authorization: string | undefined,
  { etag, offset = 0 }: Wanted,
  { signal, alive }: Timeouts,
): Promise<Response> {
  const headers = {
    'User-Agent': 'whence',
    // Digests and ranges are over the file as it is.
    'Accept-Encoding': 'identity',
    ...(authorization !== undefined && { Authorization: authorization }),
    ...(etag !== undefined && { 'If-None-Match': etag }),
    ...(offset > 0 && { Range: `bytes=${offset}-` }),
  };
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  try {
    const response = await fetch(bare, { headers, redirect: 'manual', signal });
    alive();
    return response;
  } catch (error) {
    throw explain(error, forPeople(url), signal);
  }
}

async function answerOf(response: Response, url: URL, wanted: Wanted, timeouts: Timeouts): Promise<Answer> {
  const { status, headers, body } = response;
  const { etag, offset = 0 } = wanted;
  if (status === 304 && etag !== undefined) return { kind: 'not-modified' };
  if (status === 416 && offset > 0) {
    await body?.cancel();
    return openHttp(url, { ...wanted, offset: 0 }, timeouts);
  }
  if (status !== 200 && !(status === 206 && offset > 0)) throw new HostError(`${forPeople(url)} ${refusal(status)}`);
  if (status === 206 && !headers.get('content-range')?.startsWith(`bytes ${offset}-`))
    throw new HostError(`${forPeople(url)} answered with another part of the file than was asked for`);
  return {
    kind: 'body',
    offset: status === 206 ? offset : 0,
    etag: headers.get('etag') ?? undefined,
    body: watched(body ?? [], forPeople(url), timeouts),
  };
}

function refusal(status: number): string {
  if (status === 401 || status === 403) return `answered ${status}: user name and password are missing or wrong`;
  return `answered ${status}`;
}

export function redirectTarget(from: URL, location: string | null): URL {
  if (location === null || !URL.canParse(location, from.href))
    throw new HostError(`${forPeople(from)} redirects to nowhere`);
  const to = new URL(location, from);
  if (to.protocol !== 'https:' && (to.protocol !== 'http:' || from.protocol === 'https:'))
    throw new HostError(`${forPeople(from)} redirects from ${from.protocol} to ${to.protocol}, which is not followed`);
  return to;
}

function basicAuth({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')}`;
}

/** A lone % is a URL, but no escape: then it is meant as it stands. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function* watched(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  address: string,
  { signal, alive }: Timeouts,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      alive();
      yield piece;
    }
  } catch (error) {
    throw explain(error, address, signal);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'has a host name without an address',
  EAI_AGAIN: 'has a host name that cannot be resolved just now',
  UND_ERR_SOCKET: 'broke the connection off',
  ECONNRESET: 'broke the connection off',
  ENOENT: 'does not exist',
  EACCES: 'may not be read',
  EISDIR: 'is a folder',
};

function explain(error: unknown, address: string, signal: AbortSignal): HostError {
  if (signal.aborted && signal.reason instanceof HostError) return new HostError(`${address} ${signal.reason.message}`);
  // fetch says only "fetch failed" and keeps the reason.
  const cause = (error as Error).cause ?? error;
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return new HostError(`${address} ${WORDS[code] ?? `cannot be read: ${message || code}`}`);
}
