/**
 * The scope of the dashboard: same origin → session → role → handler → envelope, and the pages. Its
 * hooks apply to its own routes only; requests to the API do not pass through them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { InvalidAccount } from '../accounts/account.ts';
import { actorOf } from '../accounts/accounts.ts';
import { TooManyPasswords } from '../accounts/password-hash.ts';
import type { Session } from '../accounts/sessions.ts';
import { csrfTokenOf } from '../accounts/token.ts';
import { fairnessOf, type Person } from '../admission/admission.ts';
import type { PageDeclaration } from '../admission/declaration.ts';
import { InvalidChannel } from '../alerts/channels.ts';
import { compressAnswer } from '../http/compression.ts';
import { elapsedMs, envelope } from '../http/envelope.ts';
import { MAX_PUBLIC_BODY_BYTES } from '../http/limits.ts';
import { disconnectSignal, loggedIds, routeRawBody } from '../http/requests.ts';
import { InvalidKey } from '../keys/key-attributes.ts';
import { clientAddress } from '../limits/client.ts';
import { deadlineOf } from '../limits/cost-classes.ts';
import { OutcomeUnknown } from '../storage/storage-unavailable.ts';
import type { DashboardDependencies } from './dependencies.ts';
import { registerPages } from './pages/pages.ts';
import { readSessionCookie } from './people/session-cookie.ts';
import type { Ask, PublicAsk, Route } from './requests/ask.ts';
import { isBehindTls, requireCsrfToken, requireSameOrigin } from './requests/origin.ts';
import { DashboardRefusal, invalid } from './requests/refusal.ts';
import { dashboardRoutes } from './routes.ts';
import { type RouteName, routes } from './wire/contract.ts';
import { requests } from './wire/requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    dashboardSession: Session | undefined;
  }
}

export async function registerDashboard(
  scope: FastifyInstance,
  dependencies: DashboardDependencies,
): Promise<void> {
  const { accounts, admission, settings, nowMs } = dependencies;
  const table = dashboardRoutes(dependencies);

  scope.decorateRequest('dashboardSession', undefined);
  scope.setErrorHandler(answerRefusal);
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    // The table has a row for every route; its handler takes the parameters of the contract.
    const { access, charge, maxRawBytes, handler } = table[name] as unknown as Route<'getSession'>;
    const declaration: PageDeclaration = { access, ...charge };
    const options: RouteOptions = {
      method,
      url: path,
      config: { name: 'dashboard', declaration },
      // Others are refused before their body is read.
      ...(access === 'public' ? { bodyLimit: MAX_PUBLIC_BODY_BYTES } : {}),
      onSend: compressAnswer,
      schema: { hide: true, ...(requests as Partial<Record<RouteName, object>>)[name] },
      onRequest: async (request, reply) => {
        const find = async () => {
          if (method !== 'GET') requireSameOrigin(request, settings.publicUrl);
          const session = await findSession(request);
          if (method !== 'GET') requireCsrfToken(request, session && csrfTokenOf(session.token));
          request.dashboardSession = session;
          return personOf(request);
        };
        const { refusal } = await admission.admit({ kind: 'person', find }, declaration, nowMs());
        const { counts, isPart = false } = charge;
        const person = personOf(request);
        if (
          counts !== 'nothing' &&
          !isPart &&
          (refusal === undefined || refusal.code === 'RATE_LIMIT_EXCEEDED')
        )
          reply.raw.once('finish', () => admission.countPerson(person, counts, reply.statusCode));
        if (refusal?.code === 'UNAUTHORIZED') throw new DashboardRefusal('SIGNED_OUT');
        if (refusal !== undefined) throw refusal;
        if (access !== 'public') reply.header('Vary', 'Cookie');
      },
      handler: async (request, reply) => {
        const answer = await handler(askOf(request, reply, declaration) as Ask<'getSession'>);
        // Awaiting a reply that was sent resolves without a value: a reply is thenable.
        return answer === undefined ? reply : envelope(request, answer);
      },
    };
    if (maxRawBytes === undefined) scope.route(options);
    else await routeRawBody(scope, options, maxRawBytes);
  }
  if (settings.provider !== undefined) {
    // Loaded only if it is used: the libraries of OpenID Connect take 30 ms.
    const { registerProvider } = await import('./people/provider-routes.ts');
    registerProvider(scope, settings.provider, dependencies);
  }
  await registerPages(scope, settings);

  async function findSession(request: FastifyRequest): Promise<Session | undefined> {
    const token = readSessionCookie(request, isBehindTls(request, settings.publicUrl));
    return token === undefined ? undefined : accounts.sessions.find(token, new Date(nowMs()));
  }

  function askOf(
    request: FastifyRequest,
    reply: FastifyReply,
    { costs }: PageDeclaration,
  ): PublicAsk<'getSession'> | Ask<'getSession'> {
    const session = request.dashboardSession;
    const deadlineMs = deadlineOf(costs);
    const isRefused = admission.refusesQueuedWork;
    const client = {
      address: clientAddress(request.ip),
      userAgent: request.headers['user-agent'] ?? '',
    };
    return {
      params: (request.params ?? {}) as Record<never, never>,
      query: (request.query ?? {}) as Record<never, never>,
      body: (request.body ?? {}) as Record<never, never>,
      session,
      client,
      get requester() {
        const signal = disconnectSignal(reply);
        return { ...fairnessOf(personOf(request)), isRefused, signal, costs, deadlineMs };
      },
      now: new Date(nowMs()),
      request,
      reply,
      ...(session && { actor: actorOf(session.account, client.address) }),
    };
  }
}

function personOf({ dashboardSession, ip }: FastifyRequest): Person {
  const { id: accountId, role } = dashboardSession?.account ?? {};
  return { accountId, role, address: ip };
}

/** Every other error goes on to `http/error-handler`. */
function answerRefusal(thrown: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toRefusal(thrown, request);
  if (refusal === undefined) throw thrown;
  const { status, message, code, details, headers } = refusal;
  return reply
    .code(status)
    .headers(headers)
    .send({
      data: { error: message, code, ...(details && { details }) },
      meta: { processing_time_ms: elapsedMs(request) },
    });
}

function toRefusal(thrown: Error, request: FastifyRequest): DashboardRefusal | undefined {
  if (thrown instanceof DashboardRefusal) return thrown;
  if (thrown instanceof InvalidAccount) return invalid(`/${thrown.path}`, thrown.message);
  if (thrown instanceof InvalidKey) return invalid(thrown.path, thrown.message);
  if (thrown instanceof InvalidChannel) return invalid(thrown.path, thrown.message);
  if (thrown instanceof TooManyPasswords) return new DashboardRefusal('TOO_MANY_ATTEMPTS');
  if (thrown instanceof OutcomeUnknown && request.method !== 'GET') {
    request.log.error(
      { err: thrown, ...loggedIds(request) },
      'not known whether a change was made',
    );
    return new DashboardRefusal('OUTCOME_UNKNOWN', {
      details: {
        rule: 'the storage did not confirm it: reload the page to see the current state, and try again',
      },
    });
  }
  return undefined;
}
