/**
 * The map of the server. A request goes: request id and clock → route → key → permission → quota → handler → envelope; any refusal on the
 * way is an ApiError, and everything thrown ends in the one error handler. Read this file first.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { getAsn, searchAsn } from './api/asn.ts';
import { authenticate, requirePermission } from './api/authenticate.ts';
import { postBatch } from './api/batch.ts';
import { answerClientError } from './api/client-error.ts';
import { getDataset, getDatasetDiff } from './api/dataset.ts';
import { documentation } from './api/documentation.ts';
import { getEmailDomain } from './api/email.ts';
import { COMMON_HEADERS } from './api/envelope.ts';
import { handleError } from './api/error-handler.ts';
import { ApiError } from './api/errors.ts';
import { healthz, readyz } from './api/health.ts';
import { getIp } from './api/ip.ts';
import { ipLane, type LaneParts } from './api/ip-lane.ts';
import { methodNotAllowed } from './api/method-not-allowed.ts';
import { rateLimit } from './api/rate-limit.ts';
import * as schema from './api/schemas.ts';
import type { DatasetDiffs } from './dataset-diffs.ts';
import type { EmailChecks } from './email-checks.ts';
import type { Permission } from './keys/tiers.ts';
import type { Logger } from './log.ts';
import type { RouteName } from './metrics.ts';
import type { Storage, StoredKey } from './storage/storage.ts';
import type { UpdateReport } from './update-report.ts';

export type AppParts = LaneParts & {
  storage: Storage;
  emailChecks: EmailChecks;
  datasetDiffs: DatasetDiffs;
  log: Logger;
  lastUpdate: () => UpdateReport | undefined;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  trustProxy: string[];
};

declare module 'fastify' {
  interface FastifyRequest {
    startedMs: number;
    key: StoredKey | undefined;
    /** Whether the key's day was charged for this request. */
    isCounted: boolean;
  }
  interface FastifyContextConfig {
    /** Its name in metrics and statistics. */
    name?: RouteName;
    permission?: Permission;
  }
}

const MAX_BODY_BYTES = 256 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Longer than any text that a route takes, so that an over-long one is the handler's to refuse, in its own words. */
const MAX_PARAMETER_CHARACTERS = 4096;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;

export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const {
    keys,
    quota,
    usage,
    live,
    metrics,
    overload,
    storage,
    emailChecks,
    datasetDiffs,
    log,
    lastUpdate,
    trustProxy,
    nowMs,
  } = parts;

  const lane = ipLane(parts);
  const app = Fastify({
    // Typed as the interface, so that the app's type does not carry the logger's.
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: {
      maxParamLength: MAX_PARAMETER_CHARACTERS,
      // A parameter that is sent twice is the last one, never a list.
      querystringParser: (query) => Object.fromEntries(new URLSearchParams(query)),
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    rewriteUrl,
    clientErrorHandler: answerClientError,
    forceCloseConnections: 'idle',
    serverFactory: (handler) => {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        if (!lane(request, response)) handler(request, response);
      };
      return createServer(
        {
          maxHeaderSize: MAX_HEADER_BYTES,
          headersTimeout: HEADERS_TIMEOUT_MS,
          requestTimeout: REQUEST_TIMEOUT_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
        answer,
      );
    },
  });
  // Answers are objects that are right as they stand: schemas describe them for the reader, they do not filter them.
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeContentTypeParser('text/plain');

  app.decorateRequest('startedMs', 0);
  app.decorateRequest('key', undefined);
  app.decorateRequest('isCounted', false);

  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    request.startedMs = performance.now();
    reply.headers(COMMON_HEADERS).header('X-Request-ID', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { name = 'none' } = request.routeOptions.config;
    metrics.count(name, reply.statusCode, (performance.now() - request.startedMs) / 1000);
    if (request.key !== undefined) usage.count(request.key.id, name, reply.statusCode, nowMs());
    request.log.debug({ method: request.method, route: name, status: reply.statusCode, ip: request.ip }, 'request');
  });
  app.setErrorHandler(handleError(quota, log));
  app.setNotFoundHandler(() => {
    throw new ApiError('ROUTE_NOT_FOUND');
  });

  await app.register(documentation);

  app.get('/healthz', { schema: schema.healthz, config: { name: 'healthz' } }, healthz);
  app.get('/readyz', { schema: schema.readyz, config: { name: 'readyz' } }, readyz(live, storage, lastUpdate, nowMs));

  await app.register(async (api) => {
    api.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      if (overload.isOverloaded) throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '1' } });
      await authenticate(keys, request);
      const refusal = await rateLimit(quota, request, reply, nowMs());
      const { permission } = request.routeOptions.config;
      if (permission !== undefined) requirePermission(request, permission);
      if (refusal !== undefined) throw refusal;
    });
    api.get('/v1/ip/:ip', { schema: schema.ip, config: { name: 'ip', permission: 'ip:read' } }, getIp(live, metrics));
    api.post(
      '/v1/ip/batch',
      { schema: schema.batch, config: { name: 'batch', permission: 'ip:batch' } },
      postBatch(live),
    );
    api.get(
      '/v1/asn/search',
      { schema: schema.asnSearch, config: { name: 'asn_search', permission: 'asn:read' } },
      searchAsn(live),
    );
    api.get(
      '/v1/email/domain/:domain/dns',
      { schema: schema.emailDomain, config: { name: 'email', permission: 'email:read' } },
      getEmailDomain(emailChecks),
    );
    api.get(
      '/v1/dataset',
      { schema: schema.dataset, config: { name: 'dataset', permission: 'ip:read' } },
      getDataset(live, nowMs),
    );
    api.get(
      '/v1/dataset/diff',
      { schema: schema.datasetDiff, config: { name: 'dataset_diff', permission: 'ip:read' } },
      getDatasetDiff(live, datasetDiffs),
    );
    api.get('/v1/asn/:asn', { schema: schema.asn, config: { name: 'asn', permission: 'asn:read' } }, getAsn(live));
  });

  methodNotAllowed(app);
  return app;
}

/** A `%` that encodes nothing is taken for itself, so that the route it belongs to can refuse the text. */
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
