/**
 * The cookie with the token of a session. Behind TLS it has the prefix `__Host-` (RFC 6265bis
 * §4.1.3.2): browsers then refuse one that a neighbouring host or an unencrypted page tries to set.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'whence_session';

const nameOf = (isSecure: boolean) => (isSecure ? `__Host-${NAME}` : NAME);

export function readSessionCookie(
  { headers }: FastifyRequest,
  isSecure: boolean,
): string | undefined {
  return parseCookie(headers.cookie ?? '')[nameOf(isSecure)];
}

export function setSessionCookie(
  reply: FastifyReply,
  value: string,
  expires: Date,
  isSecure: boolean,
): void {
  // Lax, not Strict: a link from a chat to a page of the dashboard must find the session.
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  reply.header(
    'Set-Cookie',
    stringifySetCookie({ name: nameOf(isSecure), value, expires, ...attributes }),
  );
}

export function clearSessionCookie(reply: FastifyReply, isSecure: boolean): void {
  setSessionCookie(reply, '', new Date(0), isSecure);
}
