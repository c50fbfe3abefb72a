// `POST /mcp`: MCP over streamable HTTP with an API key. A tool call becomes a request of the API
// with that key, so its limits and counts apply. Without sessions, any replica can answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../../admission/admission.ts';
import type { Declaration } from '../../admission/declaration.ts';
import { ApiError } from '../../http/errors.ts';
import type { EventLoopSlices } from '../../lookup/event-loop-slices.ts';
import { isRefusedMessage, MCP_ROUTE } from '../../metrics/metrics.ts';
import { identify, requesterOf } from '../admit.ts';
import { type ApiAnswer, answerMessage, type Call } from './answers.ts';
import { type Answer, MESSAGE_LIMITS, parseMessage } from './protocol.ts';

type McpDependencies = {
  readonly admission: Admission;
  readonly slices: Pick<EventLoopSlices, 'run'>;
  readonly nowMs: () => number;
  /** Whether the score of an address is complete. */
  readonly isThreatKnown: (ip: string) => boolean;
  /** Origins whose pages may call the API; `*` for all. */
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
};

/**
 * A call of a tool is a request of the API, which is charged there, and may use the classes of its
 * route; other messages are free.
 */
const DECLARATION: Declaration = {
  access: 'any key',
  counts: 'nothing',
  costs: [
    'lookup',
    'turn',
    'scan',
    'search',
    'hostname',
    'email_check',
    'judgement',
    'past_version',
  ],
};
/** A longer answer of the API waits for a turn in which it becomes a result. */
const AT_ONCE_BYTES = 16 * 1024;

type McpHttpRequest = FastifyRequest<{ Body: Buffer | undefined }>;

export function registerMcp(scope: FastifyInstance, dependencies: McpDependencies): void {
  const { admission, slices, nowMs, isThreatKnown } = dependencies;
  const countFree = async ({ key }: McpHttpRequest) => {
    const { refusal } = key === undefined ? {} : await admission.charge(key, DECLARATION, nowMs());
    if (refusal !== undefined) throw refusal;
  };
  scope.decorateRequest('key', undefined);
  scope.decorateRequest('isWorkRefused', false);
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (_request, bytes, done) => done(null, bytes),
  );
  scope.addHook('onResponse', async ({ key, refusalCode }, { statusCode }) => {
    if (isRefusedMessage(statusCode))
      admission.countAnswer(key, MCP_ROUTE, statusCode, nowMs(), refusalCode);
  });
  scope.route({
    method: 'POST',
    url: '/mcp',
    schema: { hide: true } as object,
    config: { name: MCP_ROUTE, declaration: DECLARATION },
    onRequest: async (request) => {
      await identify(admission, request, secretOf(request));
      requireAllowedOrigin(request, dependencies);
    },
    handler: async (request: McpHttpRequest, reply: FastifyReply) => {
      const { body = Buffer.alloc(0), headers } = request;
      const parsed = parseMessage(body);
      if ('problem' in parsed || Array.isArray(parsed.value)) {
        await countFree(request);
        throw 'problem' in parsed && parsed.problem === 'too large'
          ? new ApiError('PAYLOAD_TOO_LARGE', { extra: { details: { expected: MESSAGE_LIMITS } } })
          : new ApiError('INVALID_REQUEST', {
              extra: { details: { path: '', expected: 'one JSON-RPC 2.0 object' } },
            });
      }
      const answer = answerMessage(parsed.value, {
        version: headers['mcp-protocol-version'],
        method: headers['mcp-method'],
        name: headers['mcp-name'],
      });
      if ('request' in answer) {
        const requester = requesterOf(request, reply);
        const response = await ask(scope, request, requester.signal, answer);
        const finish = () => answer.finish({ ...response, isThreatKnown });
        return send(
          reply,
          response.body.length <= AT_ONCE_BYTES ? finish() : await slices.run(requester, finish),
        );
      }
      // A call that makes no request of the API is free as well.
      await countFree(request);
      return send(reply, answer);
    },
  });
}

/** One JSON object: nothing is announced before it, and no stream stays open. */
function send(reply: FastifyReply, { status, text }: Answer): FastifyReply {
  return reply.code(status).send(text);
}

/** Many MCP clients can send a key only as a bearer token. */
function secretOf({ headers }: FastifyRequest): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string') return own;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

// A page whose name points to this machine (DNS rebinding) sends that name as origin and Host, so
// only configured origins are allowed. Programs send none.
function requireAllowedOrigin(
  { headers }: FastifyRequest,
  { corsOrigins, publicUrl }: McpDependencies,
): void {
  const { origin } = headers;
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return;
  throw new ApiError('FORBIDDEN', {
    extra: { details: { required: 'an origin in WHENCE_CORS_ORIGINS' } },
  });
}

/** The request made inside the process comes from the same client, and ends with it. */
async function ask(
  scope: FastifyInstance,
  request: McpHttpRequest,
  signal: AbortSignal,
  { request: { method, url, body } }: Call,
): Promise<Omit<ApiAnswer, 'isThreatKnown'>> {
  const injected = scope.inject({
    method,
    url,
    headers: { 'x-api-key': secretOf(request) ?? '' },
    remoteAddress: request.ip,
    signal,
    ...(body === undefined ? {} : { payload: body }),
  });
  const { headers, payload } = await injected.catch((error) => {
    // The client has left, so there is nothing to answer: no fault of the server.
    throw signal.aborted ? new ApiError('BAD_REQUEST') : error;
  });
  const retryAfter = headers['retry-after'];
  return { retryAfter: retryAfter === undefined ? undefined : String(retryAfter), body: payload };
}
