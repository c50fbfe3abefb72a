// The map of the server: its routes and scopes, in order; read this file first.
// docs/architecture.md draws a request's path. Every refusal is an ApiError, and everything thrown
// ends in `http/error-handler`.
import type { FastifyInstance } from 'fastify';
import { FREE, requireDeclaration } from '../admission/declaration.ts';
import { refundRequest } from '../api/admit.ts';
import { registerApi } from '../api/api.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { FastPathConnections } from '../api/fast-path/connections.ts';
import { useFastPath } from '../api/fast-path/fast-path.ts';
import { type HealthDependencies, healthz, readyz } from '../api/health.ts';
import { registerMcp } from '../api/mcp/mcp-route.ts';
import { openapi } from '../api/openapi.ts';
import { registerOwnAddress } from '../api/own-address.ts';
import { healthzSchema, readyzSchema } from '../api/schemas/health.ts';
import { registerDashboard } from '../dashboard/dashboard.ts';
import type { DashboardDependencies } from '../dashboard/dependencies.ts';
import { allowOrigins, headersWithoutOrigin } from '../http/cors.ts';
import { loggedIds } from '../http/requests.ts';
import { createHttpServer, type HttpServerOptions } from '../http/server/http-server.ts';
import { clientAddress } from '../limits/client.ts';
import { threatKnownBy } from '../lookup/threat-gap.ts';
import type { Stalls } from './stalls.ts';

type AppDependencies = ApiDependencies &
  HealthDependencies &
  DashboardDependencies &
  Pick<HttpServerOptions, 'trustProxy' | 'readMode'> & {
    /** Origins whose pages may call the API from a browser. */
    readonly corsOrigins: readonly string[];
    readonly stalls: Stalls;
  };

/**
 * The metrics describe the API. Signing in takes 50 ms and the first compression of a file a
 * second, by design.
 */
const NOT_MEASURED: ReadonlySet<string> = new Set(['dashboard', 'pages', 'docs']);

/** Load balancers and monitoring add parameters of their own. */
const HEALTH = { declaration: FREE, unknownParameters: 'ignored' } as const;

export async function createApp(
  dependencies: AppDependencies,
): Promise<{ app: FastifyInstance; fastPath: FastPathConnections }> {
  const {
    log,
    trustProxy,
    readMode,
    corsOrigins,
    admission,
    metrics,
    settings,
    stalls,
    isStopping,
  } = dependencies;
  const app = createHttpServer({
    log,
    trustProxy,
    readMode,
    onRequest: (_request, response) => {
      // The client learns that the server stops, and sends its next request elsewhere.
      if (isStopping()) response.shouldKeepAlive = false;
    },
    onFault: (request, reply) => refundRequest(admission, request, reply),
  });
  app.addHook('onRequest', (request, reply, done) => {
    stalls.began(request);
    reply.raw.once('close', () => stalls.ended(request));
    done();
  });
  const hasDebugLog = log.isLevelEnabled('debug');
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const { name = 'none' } = request.routeOptions.config;
    const seconds = (performance.now() - request.startedMs) / 1000;
    if (!NOT_MEASURED.has(name)) metrics.count(name, statusCode, seconds, request.refusalCode);
    if (hasDebugLog) {
      const { method, ip } = request;
      log.debug(
        { ...loggedIds(request), method, route: name, status: statusCode, ip: clientAddress(ip) },
        'request',
      );
    }
    done();
  });

  await allowOrigins(app, corsOrigins);
  app.addHook('onRoute', requireDeclaration);
  await app.register(openapi, { publicUrl: settings.publicUrl });
  app.get('/healthz', { schema: healthzSchema, config: { ...HEALTH, name: 'healthz' } }, healthz);
  app.get(
    '/readyz',
    { schema: readyzSchema, config: { ...HEALTH, name: 'readyz' } },
    readyz(dependencies),
  );
  await app.register(async (scope) => registerApi(scope, dependencies));
  await app.register(async (scope) =>
    registerMcp(scope, {
      ...dependencies,
      isThreatKnown: threatKnownBy(dependencies.live),
      publicUrl: settings.publicUrl,
    }),
  );
  if (settings.hasPublicLookups)
    await app.register(async (scope) => registerOwnAddress(scope, dependencies));
  await app.register(async (scope) => registerDashboard(scope, dependencies));
  const extraHeaders = headersWithoutOrigin(corsOrigins);
  return { app, fastPath: useFastPath(app, dependencies, extraHeaders, readMode) };
}
