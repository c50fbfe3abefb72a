/**
 * `POST /mcp`: the MCP server over streamable HTTP, for clients with an API key. Every call of a tool becomes a request of
 * the API with the same key, made inside the process, so that permissions, limits, counts and statistics are those of
 * the API. There are no sessions: each request is answered by itself, by any replica.
 */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/errors.ts';
import { disconnectSignal } from '../../http/requests.ts';
import { authenticate } from '../authenticate.ts';
import type { ApiDependencies } from '../routes.ts';
import type { Ask } from './mcp-server.ts';

type McpDependencies = Pick<ApiDependencies, 'keys' | 'overload'> & {
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
};

type Handler = Awaited<ReturnType<typeof loadHandler>>;

/** Headers that are not for the SDK: the key, and what describes the connection. */
const WITHHELD = new Set(['x-api-key', 'authorization', 'cookie', 'connection', 'content-length', 'transfer-encoding']);

export function registerMcp(scope: FastifyInstance, dependencies: McpDependencies): void {
  const { keys, overload } = dependencies;
  let handler: Promise<Handler> | undefined;
  scope.decorateRequest('key', undefined);
  refuseOtherMethods(scope);
  scope.addHook('onClose', async () => (await handler)?.close());
  scope.route({
    method: 'POST',
    url: '/mcp',
    schema: { hide: true } as object,
    config: { name: 'mcp' },
    onRequest: async (request) => {
      if (overload.isOverloaded) throw new ApiError('OVERLOADED');
      await authenticate(keys, request, secretOf(request));
      requireAllowedOrigin(request, dependencies);
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      // Lists of messages are no longer part of the protocol (2025-06-18), and one could hold any number of calls.
      if (Array.isArray(request.body)) throw new ApiError('INVALID_REQUEST', { extra: { details: { path: '' } } });
      handler ??= loadHandler();
      const signal = disconnectSignal(reply);
      const ask = asker(scope, request, signal);
      const { fetch } = await handler;
      const authInfo = { token: '', clientId: request.key?.id ?? '', scopes: [], extra: { ask } };
      const response = await fetch(webRequest(request, signal), { parsedBody: request.body, authInfo });
      reply.code(response.status);
      for (const [name, value] of response.headers) reply.header(name, value);
      if (response.body === null) return reply.send();
      return reply.send(Readable.fromWeb(response.body as ReadableStream));
    },
  });
}

/** A stream that a client would open, and the end of a session. Without these routes, GET would be a page of the dashboard. */
function refuseOtherMethods(scope: FastifyInstance): void {
  scope.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    schema: { hide: true } as object,
    config: { name: 'mcp' },
    onRequest: async () => {
      throw new ApiError('METHOD_NOT_ALLOWED', { headers: { Allow: 'POST' } });
    },
    handler: () => {},
  });
}

/** The SDK takes 25 MB of memory, which only a server with MCP clients needs. */
async function loadHandler() {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./mcp-server.ts'),
  ]);
  return createMcpHandler(({ authInfo }) => createMcpServer(authInfo?.extra?.['ask'] as Ask), {
    // Nothing is announced before the result, and no stream stays open.
    responseMode: 'json',
    maxSubscriptions: 0,
  });
}

/** Many MCP clients can send a key only as a bearer token. */
function secretOf({ headers }: FastifyRequest): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * A page whose name was pointed to this machine (DNS rebinding) sends its own origin, and the same name as Host. So the
 * origin is compared with configured ones only. Programs send none.
 */
function requireAllowedOrigin({ headers }: FastifyRequest, { corsOrigins, publicUrl }: McpDependencies): void {
  const { origin } = headers;
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return;
  throw new ApiError('FORBIDDEN', { extra: { details: { required: 'an origin in WHENCE_CORS_ORIGINS' } } });
}

/** The request made inside the process comes from the same client, and ends with it. */
function asker(scope: FastifyInstance, request: FastifyRequest, signal: AbortSignal): Ask {
  const secret = secretOf(request) ?? '';
  return async ({ method, url, body }) => {
    const { headers, payload } = await scope.inject({
      method,
      url,
      headers: { 'x-api-key': secret },
      remoteAddress: request.ip,
      signal,
      ...(body === undefined ? {} : { payload: body }),
    });
    const retryAfter = headers['retry-after'];
    return { retryAfter: retryAfter === undefined ? undefined : String(retryAfter), body: payload };
  };
}

/** The body is passed beside it. */
function webRequest({ headers, method, url }: FastifyRequest, signal: AbortSignal): Request {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && !WITHHELD.has(name) ? [[name, value] as [string, string]] : [],
  );
  return new Request(new URL(url, 'http://localhost'), { method, headers: passed, signal });
}
