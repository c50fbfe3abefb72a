/**
 * What every scope stands on: the HTTP server with its limits, a request id and a clock per request, the envelope for
 * every refusal, and the answers to paths and methods that no route takes. It knows neither keys nor lookups.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, METHODS, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from '../log.ts';
import { answerClientError, refuseOnSocket } from './client-error.ts';
import { COMMON_HEADERS } from './envelope.ts';
import { errorBody } from './error-body.ts';
import { handleError } from './error-handler.ts';
import { ApiError } from './errors.ts';
import { useLazyValidators } from './lazy-validators.ts';
import * as limits from './limits.ts';
import { trackAnswer } from './pending-answers.ts';
import { refuseUnknownRoutes } from './unknown-routes.ts';
import { requireWellFormed } from './well-formed.ts';

export type HttpParts = {
  readonly log: Logger;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly string[];
  /** Sees a request before the router does. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Time-out of a connection on which nothing moves; for tests. */
  readonly stalledMs?: number;
  /** Called when a request fails through our own fault, before it is answered. */
  readonly onFault: (request: FastifyRequest, reply: FastifyReply) => void;
};

declare module 'fastify' {
  interface FastifyRequest {
    startedMs: number;
  }
}

export function createHttpServer(parts: HttpParts): FastifyInstance {
  const { log, trustProxy, onRequest, onFault, stalledMs = limits.STALLED_MS } = parts;
  const app = Fastify({
    // Typed as the interface, so that the app's type does not carry the logger's.
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: limits.MAX_BODY_BYTES,
    routerOptions: {
      // A target that is too long is refused before it is routed.
      maxParamLength: limits.MAX_HEADER_BYTES,
      // A parameter that is sent twice is the last one, never a list.
      querystringParser: (query) => Object.fromEntries(new URLSearchParams(query)),
    },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    rewriteUrl,
    clientErrorHandler: answerClientError,
    // Generic in the route, of which there is none here.
    frameworkErrors: (_error, request, reply) =>
      refuseTarget(request as FastifyRequest, reply as unknown as FastifyReply),
    forceCloseConnections: 'idle',
    // What still comes over an open connection while the server stops is answered, with `Connection: close`.
    return503OnClosing: false,
    serverFactory: (handler) =>
      createNodeServer(stalledMs, (request, response) => {
        trackAnswer(request, response);
        onRequest(request, response);
        handler(request, response);
      }),
  });
  // Answers are objects that are right as they stand: schemas describe them for the reader, they do not filter them.
  app.setSerializerCompiler(() => JSON.stringify);
  useLazyValidators(app);
  app.removeContentTypeParser('text/plain');

  app.decorateRequest('startedMs', 0);
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    request.startedMs = performance.now();
    reply.headers(COMMON_HEADERS).header('X-Request-ID', request.id);
    requireWellFormed(request.raw);
  });
  // Methods without a route are refused like any other: with the methods that the path has.
  for (const method of METHODS)
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  refuseUnknownRoutes(app);
  app.setErrorHandler(handleError(log, onFault));
  return app;
}

/** For a target that the router cannot take apart, such as `https://`. No hook has run for it. */
function refuseTarget(request: FastifyRequest, reply: FastifyReply): void {
  const refusal = new ApiError('BAD_REQUEST');
  reply.headers(COMMON_HEADERS).header('X-Request-ID', request.id);
  reply.code(refusal.row.status).send(errorBody(refusal, 0));
}

/** Both are replaced. With Fastify's own, Ajv and fast-json-stringify would be loaded before it listens. */
const unused = () => () => {
  throw new Error('the compilers of schemas are set by the app');
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function createNodeServer(stalledMs: number, answer: Answer): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.MAX_HEADER_BYTES,
      headersTimeout: limits.HEADERS_TIMEOUT_MS,
      requestTimeout: limits.REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: limits.TIMEOUT_CHECK_MS,
      keepAliveTimeout: limits.KEEP_ALIVE_MS,
      // Node's own refusals have no envelope: `well-formed` makes these.
      requireHostHeader: false,
    },
    answer,
  );
  server.timeout = stalledMs;
  server.maxConnections = limits.MAX_CONNECTIONS;
  server.on('checkExpectation', answer);
  server.on('connect', (_request, socket: Socket) => {
    // Node no longer watches over it: what the client sends is thrown away, and its end is awaited for a while only.
    socket.setTimeout(limits.STALLED_MS, () => socket.destroy()).resume();
    refuseOnSocket(socket, 'METHOD_NOT_ALLOWED', { Allow: 'GET, HEAD, POST' });
  });
  return server;
}

/** A `%` that encodes nothing stands for itself, so that the route it belongs to can refuse the text. */
function rewriteUrl({ url = '/' }: IncomingMessage): string {
  if (!url.includes('%')) return url;
  const path = url.split('?', 1)[0] ?? '';
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
