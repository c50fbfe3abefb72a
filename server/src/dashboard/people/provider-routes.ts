/**
 * The redirects to the identity provider and back, which a browser follows: errors are shown
 * on the sign-in page. A session starts only for the browser that left with the cookie of the same
 * departure.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Account, InvalidAccount } from '../../accounts/account.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import {
  type Departure,
  type Identity,
  IdentityProvider,
  type ProviderSettings,
} from '../../accounts/identity-provider.ts';
import type { PageDeclaration } from '../../admission/declaration.ts';
import { object, optional, type QueryOf, string } from '../../http/json-schema.ts';
import { clientAddress } from '../../limits/client.ts';
import { GuessThrottle } from '../../limits/guess-throttle.ts';
import type { Logger } from '../../log/log.ts';
import { isBehindTls } from '../requests/origin.ts';
import { PROVIDER_PATH, type ProviderFailure } from '../wire/contract.ts';
import { readSessionCookie, setSessionCookie } from './session-cookie.ts';

const RETURN_PATH = `${PROVIDER_PATH}/return`;
const COOKIE = 'whence_departure';
const COOKIE_SECONDS = 600;
/** Each return queries the provider: twenty at once from one address, then one per second. */
const LIMITS = { intervalMs: 1_000, burst: 20, maxWaitMs: 0 };

const SIGN_IN: PageDeclaration = { access: 'public', counts: 'nothing', costs: ['storage'] };

const departQuery = object({ to: optional(string('The path to come back to.', '/keys')) });

type ProviderSources = {
  readonly accounts: Accounts;
  readonly settings: { readonly publicUrl: string | undefined };
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'warn'>;
};

export function registerProvider(
  scope: FastifyInstance,
  given: ProviderSettings,
  parts: ProviderSources,
): void {
  const { accounts, settings, nowMs, log } = parts;
  const provider = new IdentityProvider(given);
  const throttle = new GuessThrottle(undefined, LIMITS);
  const options = {
    schema: { hide: true, querystring: departQuery } as object,
    // The provider sends parameters of its own.
    config: { name: 'dashboard', declaration: SIGN_IN, unknownParameters: 'ignored' as const },
  };
  const originOf = ({ protocol, host }: FastifyRequest) =>
    settings.publicUrl ?? `${protocol}://${host}`;

  scope.get<{ Querystring: QueryOf<typeof departQuery> }>(
    PROVIDER_PATH,
    options,
    async (request, reply) => {
      if (await accounts.isEmpty()) return reply.redirect('/');
      try {
        const { url, departure } = await provider.depart(`${originOf(request)}${RETURN_PATH}`);
        setDeparture(
          request,
          reply,
          JSON.stringify({ ...departure, to: ownPath(request.query.to) }),
          COOKIE_SECONDS,
        );
        return reply.redirect(url.href);
      } catch (error) {
        log.warn({ err: error }, 'the identity provider does not answer');
        return refuse(reply, 'unreachable');
      }
    },
  );

  scope.get(RETURN_PATH, options, async (request, reply) => {
    const departure = readDeparture(request);
    setDeparture(request, reply, '', 0);
    // A browser can return without having left here: the first account is created with the set-up
    // link.
    if (await accounts.isEmpty()) return reply.redirect('/');
    if (departure === undefined || throttle.attempt(request.ip) === undefined)
      return refuse(reply, 'failed');
    const account = await arrive(request, departure);
    if (typeof account === 'string') return refuse(reply, account);
    if (account.disabledAt !== undefined) return refuse(reply, 'disabled');
    const now = new Date(nowMs());
    const isSecure = isBehindTls(request, settings.publicUrl);
    const before = readSessionCookie(request, isSecure);
    const previous = before === undefined ? undefined : await accounts.sessions.find(before, now);
    if (previous !== undefined)
      await accounts.sessions.end(previous.account.id, previous.session.id, now);
    const client = {
      address: clientAddress(request.ip),
      userAgent: request.headers['user-agent'] ?? '',
    };
    const { token, session } = await accounts.openSession(account, client, now);
    setSessionCookie(reply, token, session.expiresAt, isSecure);
    return reply.redirect(departure.to);
  });

  async function arrive(
    request: FastifyRequest,
    departure: Departure,
  ): Promise<Account | 'failed' | 'name_taken'> {
    try {
      const identity = await provider.arrive(new URL(request.url, originOf(request)), departure);
      return (await accounts.findBySubject(identity.subject)) ?? (await createAccount(identity));
    } catch (error) {
      log.warn({ err: error }, 'a sign-in through the identity provider failed');
      return 'failed';
    }
  }

  /**
   * An account that has the name already is another one: a provider does not decide whose it is.
   */
  async function createAccount({ subject, names }: Identity): Promise<Account | 'name_taken'> {
    for (const name of names) {
      try {
        return await accounts.create(name, given.role, { name: given.label }, new Date(nowMs()), {
          providerSubject: subject,
        });
      } catch (error) {
        if (!(error instanceof InvalidAccount)) throw error;
      }
    }
    log.warn({}, 'no name of a person from the identity provider is free or usable');
    return 'name_taken';
  }

  function setDeparture(
    request: FastifyRequest,
    reply: FastifyReply,
    value: string,
    maxAge: number,
  ): void {
    const secure = isBehindTls(request, settings.publicUrl);
    const attributes = {
      path: RETURN_PATH,
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge,
    } as const;
    reply.header('Set-Cookie', stringifySetCookie({ name: COOKIE, value, ...attributes }));
  }
}

function readDeparture({ headers }: FastifyRequest): (Departure & { to: string }) | undefined {
  const text = parseCookie(headers.cookie ?? '')[COOKIE];
  try {
    const { state, nonce, verifier, to } = JSON.parse(text ?? '') as Record<string, unknown>;
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string')
      return undefined;
    return { state, nonce, verifier, to: ownPath(to) };
  } catch {
    return undefined;
  }
}

/** A path on this server, so that a link to the sign-in cannot lead to another one. */
function ownPath(to: unknown): string {
  const base = 'http://whence.invalid';
  if (typeof to !== 'string' || !to.startsWith('/') || !URL.canParse(to, base)) return '/';
  const { origin, pathname, search } = new URL(to, base);
  return origin === base && !pathname.startsWith('//') ? pathname + search : '/';
}

function refuse(reply: FastifyReply, failure: ProviderFailure): FastifyReply {
  return reply.redirect(`/sign-in?failure=${failure}`);
}
