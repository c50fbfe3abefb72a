// The HTTP server below every scope: limits, request ids, refusals, unknown paths; without keys or
// lookups.
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  METHODS,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from '../../log/log.ts';
import { COMMON_HEADERS, errorBody } from '../envelope.ts';
import { handleError } from '../error-handler.ts';
import { ApiError } from '../errors.ts';
import { parseJsonBodies } from '../json-body.ts';
import * as limits from '../limits.ts';
import { readQueries } from '../query.ts';
import { refuseUnknownRoutes } from '../unknown-routes.ts';
import { useValidators } from '../validators.ts';
import { answerClientError, refuseOnSocket } from './client-error.ts';
import { paceConnections, type ReadMode } from './paced-connections.ts';
import { pacerOf } from './request-pacer.ts';

export type HttpServerOptions = {
  readonly log: Logger;
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  readonly readMode: ReadMode;
  /** Timeout of a connection without traffic; for tests. */
  readonly stalledMs?: number;
  /** Called before a failure of the server itself is answered. */
  readonly onFault: (request: FastifyRequest, reply: FastifyReply) => void;
};

declare module 'fastify' {
  interface FastifyRequest {
    startedMs: number;
    /** The code of the refusal that was answered; empty otherwise. */
    refusalCode: string;
  }
}

export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, trustProxy, onRequest, onFault, readMode, stalledMs = limits.STALLED_MS } = options;
  const app = Fastify({
    // Typed as the interface, so that the logger's type does not become part of the app's type.
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    // A logger for each request would be made before it is known whether anything is logged.
    childLoggerFactory: (logger) => logger,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: limits.MAX_BODY_BYTES,
    routerOptions: {
      // A target that is too long is refused by a hook; this is the longest of the others, with
      // each `%` escaped.
      maxParamLength: 3 * limits.MAX_URI_CHARACTERS,
      // `http/query` reads it once the request is admitted.
      querystringParser: (query) => query as unknown as Record<string, unknown>,
    },
    schemaController: NO_COMPILERS,
    rewriteUrl,
    clientErrorHandler: answerClientError,
    // The types are generic in the route, and there is none here.
    frameworkErrors: (_error, request, reply) =>
      refuseTarget(request as FastifyRequest, reply as unknown as FastifyReply),
    forceCloseConnections: 'idle',
    // Requests on open connections while the server stops are answered, with `Connection: close`.
    return503OnClosing: false,
    serverFactory: (handler) =>
      createNodeServer(readMode, stalledMs, (request, response) => {
        pacerOf(request.socket)?.begin(request, response);
        onRequest(request, response);
        handler(request, response);
      }),
  });
  // Answers are serialized as they are: response schemas document them, and do not filter them.
  app.setSerializerCompiler(() => JSON.stringify);
  useValidators(app);
  app.removeContentTypeParser('text/plain');
  parseJsonBodies(app);

  app.decorateRequest('startedMs', 0);
  app.decorateRequest('refusalCode', '');
  // Hooks of every request use callbacks: promises would take several microseconds.
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now();
    reply.headers(COMMON_HEADERS).header('X-Request-ID', request.id);
    if (hasUnusedBody(request.raw)) reply.header('Connection', 'close');
    reply.raw.once('timeout', () => endStalled(request, reply));
    requireWellFormed(request.originalUrl, request.raw);
    done();
  });
  // Methods without a route are refused with 405 too, and the methods of the path.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  refuseUnknownRoutes(app);
  readQueries(app);
  app.setErrorHandler(handleError(log, onFault));
  return app;
}

/**
 * After STALLED_MS without traffic. Every cost class has a deadline before that; what stands still
 * all the same, by a bug or a disk that does not answer, gets a status too.
 */
function endStalled({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (reply.raw.headersSent || !raw.complete) raw.socket.destroy();
  else reply.send(new ApiError('QUEUE_FULL'));
}

/**
 * Refuses requests that Node's parser accepts although HTTP forbids them, and targets that are too
 * long.
 */
function requireWellFormed(
  url: string,
  { headers, rawHeaders, httpVersionMinor }: IncomingMessage,
): void {
  const queryAt = url.indexOf('?');
  const pathCharacters = queryAt === -1 ? url.length : queryAt;
  if (
    pathCharacters > limits.MAX_URI_CHARACTERS ||
    url.length - pathCharacters - 1 > limits.MAX_URI_CHARACTERS
  ) {
    throw new ApiError('URI_TOO_LONG');
  }
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1.
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) throw refused();
  // RFC 9112 §6.1: without `chunked` at its end the length of a body is unknown. Node reports it after
  // it has passed on the request, which may be answered by then.
  const codings = headers['transfer-encoding'];
  if (codings !== undefined && !/(?:^|[,\s])chunked\s*$/i.test(codings)) throw refused();
  // RFC 9110 §10.1.1: 100-continue is the only defined expectation, and Node has already answered
  // it.
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw refused();
}

// Such a request is answered before its body has come. A proxy may pass on the length of a body
// that it does not send: another client's next request would be read as the body.
function hasUnusedBody({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host') count++;
  return count;
}

/** Closes the connection: later requests on it cannot be trusted either. */
function refused(): ApiError {
  return new ApiError('BAD_REQUEST', { headers: { Connection: 'close' } });
}

/** For a target that the router cannot parse, such as `https://`. No hook has run for it. */
function refuseTarget(request: FastifyRequest, reply: FastifyReply): void {
  const refusal = new ApiError('BAD_REQUEST');
  reply.headers(COMMON_HEADERS).header('X-Request-ID', request.id);
  reply.code(refusal.row.status).send(errorBody(refusal, 0));
}

const unused = () => () => {
  throw new Error('the compilers of schemas are set by the app');
};
/**
 * For an app that sets both compilers itself. Fastify's defaults would load Ajv and
 * fast-json-stringify.
 */
export const NO_COMPILERS = {
  compilersFactory: { buildValidator: unused, buildSerializer: unused },
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function createNodeServer(readMode: ReadMode, stalledMs: number, answer: Answer): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.MAX_HEADER_BYTES,
      headersTimeout: limits.HEADERS_TIMEOUT_MS,
      requestTimeout: limits.REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: limits.TIMEOUT_CHECK_MS,
      keepAliveTimeout: limits.KEEP_ALIVE_MS,
      // Node's own refusal has no envelope; `requireWellFormed` checks the header instead.
      requireHostHeader: false,
    },
    answer,
  );
  paceConnections(server, readMode);
  server.timeout = stalledMs;
  server.maxConnections = limits.MAX_CONNECTIONS;
  server.on('checkExpectation', answer);
  server.on('connect', (_request, socket: Socket) => {
    // Node no longer manages this socket: incoming data is discarded, and a timeout closes it.
    socket.setTimeout(limits.STALLED_MS, () => socket.destroy()).resume();
    refuseOnSocket(socket, 'METHOD_NOT_ALLOWED', { Allow: 'GET, HEAD, POST' });
  });
  return server;
}

/**
 * A `%` that is not part of a valid escape is taken literally: the route refuses the text, as it
 * would any other.
 */
function rewriteUrl({ url = '/' }: IncomingMessage): string {
  if (!url.includes('%')) return url;
  const path = url.split('?', 1)[0] ?? '';
  return (
    path.replaceAll(/(?:%[\da-f]{2})+|%/gi, (text) =>
      isDecodable(text) ? text : text.replaceAll('%', '%25'),
    ) + url.slice(path.length)
  );
}

function isDecodable(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
