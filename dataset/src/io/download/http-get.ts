// The HTTP client of this package: GET with redirects, credentials, proxies, timeouts, a minimum
// rate, a size limit; and POST without redirects. docs/decisions/0012 says why it is built on
// node:http.
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { formatSize } from '../format-size.ts';
import { connect, describeProxy, hostOf, type Network } from './connection.ts';
import { ConnectionError, connectionError, formatStatus } from './connection-error.ts';
import { basicCredentials, withoutCredentials } from './credentials.ts';
import type { Unreachable } from './download-request.ts';
import { TransferTimeout, type TransferTimeouts } from './transfer-timeouts.ts';

type HttpRequest = {
  readonly headers: Readonly<Record<string, string>>;
  /** The caller ends them when it is done with the answer. */
  readonly timeouts: TransferTimeouts;
  readonly network?: Network | undefined;
  readonly maxRedirects?: number | undefined;
};

export type HttpAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The final URL, after redirects, without credentials. */
  readonly url: URL;
  /** The body without content coding. Throws a BodyError. */
  body(maxBytes: number): AsyncGenerator<Buffer, void, void>;
  close(): void;
};

type HttpFailure = {
  readonly kind: 'failure';
  readonly reason: string;
  readonly isPassing: boolean;
  /** Whether a server answered at all. */
  readonly isAnswered: boolean;
  readonly unreachable?: Unreachable;
};

export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly cut: 'broken' | 'timeout' | 'too large';

  constructor(cut: BodyError['cut'], reason: string) {
    super(reason);
    this.cut = cut;
  }
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Credentials in `start` are sent only to its origin, and no longer after a redirect to another.
 */
export async function httpGet(
  start: URL,
  { headers, timeouts, network = {}, maxRedirects = MAX_REDIRECTS }: HttpRequest,
): Promise<HttpAnswer | HttpFailure> {
  let url = withoutCredentials(start);
  let authorization = basicCredentials(start);
  for (let redirects = 0; ; redirects++) {
    let response: IncomingMessage;
    try {
      const withCredentials = authorization === undefined ? headers : { ...headers, authorization };
      response = await send(url, withCredentials, timeouts, network);
    } catch (error) {
      return failureOf(error);
    }
    const { location } = response.headers;
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined)
      return answerOf(response, url, timeouts);
    response.destroy();
    if (maxRedirects === 0) return refusal('the server redirected, which is not allowed here');
    if (redirects === maxRedirects)
      return refusal(`the server redirected more than ${maxRedirects} times`);
    const next = followRedirect(url, location);
    if (typeof next === 'string') return refusal(`the server redirected ${next}`);
    if (next.origin !== url.origin) authorization = undefined;
    url = next;
  }
}

/** Redirects are answers like others: what was sent here is not for another place. */
export async function httpPost(
  start: URL,
  content: string,
  { headers, timeouts, network = {} }: Omit<HttpRequest, 'maxRedirects'>,
): Promise<HttpAnswer | HttpFailure> {
  const url = withoutCredentials(start);
  const authorization = basicCredentials(start);
  const allHeaders = {
    ...headers,
    'content-length': String(Buffer.byteLength(content)),
    ...(authorization !== undefined && { authorization }),
  };
  try {
    return answerOf(await send(url, allHeaders, timeouts, network, content), url, timeouts);
  } catch (error) {
    return failureOf(error);
  }
}

/** With `content`, a POST. */
async function send(
  url: URL,
  headers: Readonly<Record<string, string>>,
  timeouts: TransferTimeouts,
  network: Network,
  content?: string,
): Promise<IncomingMessage> {
  timeouts.wait(`no connection to ${hostOf(url)}`);
  const { socket, forwardedBy } = await timeouts.within(connect(url, network, timeouts.signal));
  timeouts.wait('no answer');
  const proxyCredentials = forwardedBy && basicCredentials(forwardedBy.url);
  const sending = request({
    method: content === undefined ? 'GET' : 'POST',
    path: `${forwardedBy === undefined ? '' : url.origin}${url.pathname}${url.search}`,
    setHost: false,
    headers: {
      host: url.host,
      ...headers,
      ...(proxyCredentials !== undefined && { 'proxy-authorization': proxyCredentials }),
    },
    createConnection: () => socket,
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    const { signal } = timeouts;
    const party = forwardedBy === undefined ? hostOf(url) : describeProxy(forwardedBy);
    sending.on('error', (error) =>
      reject(signal.aborted ? signal.reason : connectionError(error, party)),
    );
    sending.once('response', (response) => {
      // Errors of the body are thrown to its reader. Without a listener they would end the process.
      response.on('error', () => {});
      // Without a header that names the protocol, Node takes it for an ordinary answer.
      if (response.statusCode === 101) {
        response.destroy();
        return reject(unrequestedUpgrade(party));
      }
      if (response.statusCode !== 407 || forwardedBy === undefined) return resolve(response);
      response.destroy();
      const advice = `put user name and password into ${forwardedBy.variable}`;
      reject(new ConnectionError(`${party} ${formatStatus(407)}; ${advice}`, false));
    });
    // RFC 9110 §15.2.2: 101 answers a request to upgrade, which this is not. Without a listener,
    // Node closes the connection and neither `response` nor `error` comes.
    sending.once('upgrade', (_, upgraded) => {
      upgraded.destroy();
      reject(unrequestedUpgrade(party));
    });
    sending.once('close', () =>
      reject(new ConnectionError(`${party} closed the connection without an answer`, true)),
    );
    sending.end(content);
  });
  return timeouts.within(response);
}

function unrequestedUpgrade(party: string): ConnectionError {
  return new ConnectionError(`${party} ${formatStatus(101)}, which was not requested`, false);
}

function answerOf(
  response: IncomingMessage,
  url: URL,
  timeouts: TransferTimeouts,
): HttpAnswer | HttpFailure {
  const { statusCode: status = 0, headers } = response;
  timeouts.pause();
  const coding = contentCoding(headers);
  if (coding !== undefined && !isKnownCoding(coding)) {
    response.destroy();
    return refusal(
      `the server sent the content coding ${JSON.stringify(coding.slice(0, 50))}, which is not supported`,
    );
  }
  return {
    kind: 'answer',
    status,
    headers,
    url,
    body: (maxBytes) => readBody(response, maxBytes, timeouts),
    close: () => void response.destroy(),
  };
}

async function* readBody(
  response: IncomingMessage,
  maxBytes: number,
  timeouts: TransferTimeouts,
): AsyncGenerator<Buffer, void, void> {
  const tooLarge = () => new BodyError('too large', `larger than ${formatSize(maxBytes)}`);
  const { headers } = response;
  const isEncoded = contentCoding(headers) !== undefined;
  try {
    if (!isEncoded && Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks = decodedBody(response)[Symbol.asyncIterator]();
    timeouts.startBody();
    for (let bytes = 0; ; ) {
      timeouts.wait('no more data');
      const { value: chunk, done } = await timeouts.within(chunks.next());
      if (done === true) break;
      timeouts.received(chunk.length);
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof BodyError) throw error;
    const timeout = timeouts.signal.aborted ? timeouts.signal.reason : error;
    if (timeout instanceof TransferTimeout) throw new BodyError('timeout', timeout.message);
    const { code = '' } = error as NodeJS.ErrnoException;
    const isDamaged = code.startsWith('Z_') && code !== 'Z_BUF_ERROR';
    throw new BodyError(
      'broken',
      isDamaged ? 'the content coding is damaged' : 'the connection broke',
    );
  } finally {
    timeouts.pause();
    response.destroy();
  }
}

function refusal(reason: string): HttpFailure {
  return { kind: 'failure', reason, isPassing: false, isAnswered: true };
}

function failureOf(error: unknown): HttpFailure {
  if (error instanceof TransferTimeout)
    return {
      kind: 'failure',
      reason: error.message,
      isPassing: false,
      isAnswered: false,
      unreachable: 'connection',
    };
  if (error instanceof ConnectionError) {
    const { message: reason, isPassing, isUnresolved } = error;
    return {
      kind: 'failure',
      reason,
      isPassing,
      isAnswered: false,
      unreachable: isUnresolved ? 'dns' : 'connection',
    };
  }
  throw error;
}

/** The address that a redirect leads to, or why it is not followed, as the rest of a sentence. */
export function followRedirect(from: URL, location: string): URL | string {
  if (!URL.canParse(location, from.href))
    return `to ${JSON.stringify(location)}, which is not a URL`;
  const to = new URL(location, from);
  const objection = urlObjection(to);
  if (objection !== undefined) return `to a URL ${objection}`;
  // Credentials come from the operator only; those in a redirect would be chosen by the server.
  if (to.username !== '' || to.password !== '')
    return 'to a URL with a user name or password, which is refused';
  if (from.protocol === 'https:' && to.protocol === 'http:')
    return `from https to http (${to.host}), which is refused`;
  return to;
}

/** Why this URL cannot be requested, as the rest of a sentence. */
export function urlObjection({ protocol }: URL): string | undefined {
  return protocol === 'https:' || protocol === 'http:'
    ? undefined
    : `with the scheme ${protocol} and not https: or http:`;
}

// RFC 9110 §8.4.1. Requests ask for none, because ranges would refer to the encoded body; some
// servers send one anyway.
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Undefined if the body is not encoded. */
export function contentCoding(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? undefined : coding;
}

function isKnownCoding(coding: string): boolean {
  return Object.hasOwn(DECODERS, coding);
}

function decodedBody(response: IncomingMessage): AsyncIterable<Buffer> {
  const decoder = DECODERS[contentCoding(response.headers) ?? ''];
  // Closes both streams when either ends. Errors are thrown to the reader of the decoder.
  return decoder === undefined ? response : pipeline(response, decoder(), () => {});
}
