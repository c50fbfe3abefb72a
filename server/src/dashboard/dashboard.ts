/**
 * The scope of the dashboard: same origin → session → role → handler → envelope, and the pages. Its hooks are those of its
 * own routes; no request of the API passes through them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidAccount } from '../accounts/account.ts';
import { Accounts, actorOf } from '../accounts/accounts.ts';
import { TooManyPasswords } from '../accounts/password-hash.ts';
import { mayDo } from '../accounts/role.ts';
import type { Session } from '../accounts/sessions.ts';
import { csrfTokenOf } from '../accounts/token.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { elapsedMs } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import { InvalidKey } from '../keys/key.ts';
import { TrafficRecorder } from '../usage/traffic.ts';
import { ProcessReporter } from './operation/process-reporter.ts';
import { registerPages } from './pages/pages.ts';
import type { DashboardParts } from './parts.ts';
import { registerProvider } from './people/provider-routes.ts';
import { readSessionCookie } from './people/session-cookie.ts';
import type { Ask, PublicAsk, Route } from './requests/ask.ts';
import { isBehindTls, requireCsrfToken, requireSameOrigin } from './requests/origin.ts';
import { DashboardRefusal, invalid, tooManyAttempts } from './requests/refusal.ts';
import { dashboardRoutes } from './routes.ts';
import { type RouteName, routes } from './wire.ts';

const REPORT_MS = 10_000;

declare module 'fastify' {
  interface FastifyRequest {
    dashboardSession: Session | undefined;
  }
}

export async function registerDashboard(scope: FastifyInstance, parts: DashboardParts): Promise<void> {
  const { storage, metrics, overload, settings, nowMs, log } = parts;
  const audit = new AuditLog(storage.audit);
  const accounts = new Accounts(storage, audit);
  const recorder = new TrafficRecorder(metrics, storage.traffic);
  const reporter = new ProcessReporter(storage.processes, overload, parts.live, nowMs);
  const table = dashboardRoutes({ ...parts, accounts, audit, reporter });

  scope.decorateRequest('dashboardSession', undefined);
  scope.setErrorHandler(answerRefusal);
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    // The table has a row of this name, whose handler takes what the contract has for it.
    const { access, handler, bodySchema } = table[name] as unknown as Route<'getSession'>;
    scope.route({
      method,
      url: path,
      config: { name: 'dashboard' },
      schema: { hide: true, ...(bodySchema === undefined ? {} : { body: bodySchema }) } as object,
      onRequest: async (request, reply) => {
        if (overload.isOverloaded) throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '1' } });
        if (method !== 'GET') requireSameOrigin(request, settings.publicUrl);
        const session = await findSession(request);
        if (method !== 'GET') requireCsrfToken(request, session && csrfTokenOf(session.token));
        request.dashboardSession = session;
        if (access === 'public') return;
        if (session === undefined) throw new DashboardRefusal('SIGNED_OUT');
        if (!mayDo(session.account.role, access)) {
          throw new DashboardRefusal('FORBIDDEN', { details: { required: access } });
        }
        reply.header('Vary', 'Cookie');
      },
      handler: async (request, reply) => {
        const answer = await handler(askOf(request, reply) as Ask<'getSession'>);
        return answer === (reply as unknown)
          ? reply
          : { data: answer, meta: { processing_time_ms: elapsedMs(request) } };
      },
    });
  }
  if (settings.provider !== undefined) registerProvider(scope, settings.provider, { accounts, settings, nowMs, log });
  await registerPages(scope, settings);

  const report = () =>
    Promise.all([recorder.flush(nowMs()), parts.networks.flush(nowMs()), reporter.report()]).catch((error) =>
      log.error({ err: error }, 'traffic could not be written'),
    );
  const timer = setInterval(report, REPORT_MS).unref();
  scope.addHook('onReady', async () => void (await report()));
  scope.addHook('onClose', async () => {
    clearInterval(timer);
    await report();
    await reporter.remove().catch(() => {});
  });

  async function findSession(request: FastifyRequest): Promise<Session | undefined> {
    const token = readSessionCookie(request, isBehindTls(request, settings.publicUrl));
    return token === undefined ? undefined : accounts.sessions.find(token, new Date(nowMs()));
  }

  function askOf(request: FastifyRequest, reply: FastifyReply): PublicAsk<'getSession'> | Ask<'getSession'> {
    const session = request.dashboardSession;
    const client = { address: request.ip, userAgent: request.headers['user-agent'] ?? '' };
    return {
      params: (request.params ?? {}) as Record<never, never>,
      query: (request.query ?? {}) as Record<never, never>,
      body: (request.body ?? {}) as Record<never, never>,
      session,
      client,
      now: new Date(nowMs()),
      request,
      reply,
      ...(session === undefined ? {} : { actor: actorOf(session.account, client.address) }),
    };
  }
}

/** What is not the dashboard's own goes on to the handler of all scopes. */
function answerRefusal(thrown: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(thrown);
  if (refusal === undefined) throw thrown;
  const { status, message, code, details, headers } = refusal;
  return reply
    .code(status)
    .headers(headers)
    .send({
      data: { error: message, code, ...(details === undefined ? {} : { details }) },
      meta: { processing_time_ms: elapsedMs(request) },
    });
}

function toRefusal(thrown: Error): DashboardRefusal | undefined {
  if (thrown instanceof DashboardRefusal) return thrown;
  if (thrown instanceof InvalidAccount) return invalid(`/${thrown.path}`, thrown.message);
  if (thrown instanceof InvalidKey) return invalid('', thrown.message);
  if (thrown instanceof TooManyPasswords) return tooManyAttempts();
  return undefined;
}
