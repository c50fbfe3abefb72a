/**
 * The map of the server. A request goes: request id and clock → route → key → quota → permission → handler → envelope.
 * Every refusal on the way is an ApiError, and everything thrown ends in the one error handler. Read this file first.
 */
import type { FastifyInstance } from 'fastify';
import { type ApiParts, registerApi } from './api/api.ts';
import { type HealthParts, healthz, readyz } from './api/health.ts';
import { openapi } from './api/openapi.ts';
import type { PlainConnections } from './api/plain/plain-connections.ts';
import { returnToPlainPath, usePlainPath } from './api/plain/plain-path.ts';
import { giveBack } from './api/rate-limit.ts';
import { healthzSchema, readyzSchema } from './api/schemas/health.ts';
import { registerDashboard } from './dashboard/dashboard.ts';
import type { DashboardSettings } from './dashboard/parts.ts';
import { allowOrigins } from './http/cors.ts';
import { createHttpServer, type HttpParts } from './http/http-server.ts';
import type { Storage } from './storage/storage.ts';

export type AppParts = ApiParts &
  HealthParts &
  Pick<HttpParts, 'log' | 'trustProxy'> & {
    /** Origins whose pages may call the API from a browser. */
    readonly corsOrigins: readonly string[];
    readonly dashboard: DashboardSettings;
    readonly storage: Storage;
  };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its name in metrics and statistics. */
    name?: string;
  }
}

/** The metrics are about the API: a person who signs in takes 50 ms, the first compression of a file a second. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['dashboard', 'pages', 'docs']);

export async function createApp(parts: AppParts): Promise<{ app: FastifyInstance; plain: PlainConnections }> {
  const { log, trustProxy, corsOrigins, quota, metrics } = parts;
  const app = createHttpServer({
    log,
    trustProxy,
    onRequest: returnToPlainPath,
    onFault: (request, reply) => giveBack(quota, request, reply),
  });
  app.addHook('onResponse', async (request, { statusCode }) => {
    const { name = 'none' } = request.routeOptions.config;
    if (!NOT_MEASURED.has(name)) metrics.count(name, statusCode, (performance.now() - request.startedMs) / 1000);
    request.log.debug({ method: request.method, route: name, status: statusCode, ip: request.ip }, 'request');
  });

  await allowOrigins(app, corsOrigins);
  await app.register(openapi, { publicUrl: parts.dashboard.publicUrl });
  app.get('/healthz', { schema: healthzSchema, config: { name: 'healthz' } }, healthz);
  app.get('/readyz', { schema: readyzSchema, config: { name: 'readyz' } }, readyz(parts));
  await app.register(async (scope) => registerApi(scope, parts));
  await app.register(async (scope) => registerDashboard(scope, { ...parts, settings: parts.dashboard }));
  return { app, plain: usePlainPath(app, parts) };
}
