/**
 * The cookie with the token of a session. Behind TLS it has the prefix `__Host-` (RFC 6265bis §4.1.3.2): browsers then
 * refuse one that a neighbouring host or an unencrypted page tries to set.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const NAME = 'whence_session';

const nameOf = (isSecure: boolean) => (isSecure ? `__Host-${NAME}` : NAME);

export function readSessionCookie({ headers }: FastifyRequest, isSecure: boolean): string | undefined {
  return parseCookie(headers.cookie ?? '')[nameOf(isSecure)];
}

export function setSessionCookie(reply: FastifyReply, token: string, expires: Date, isSecure: boolean): void {
  const cookie = { name: nameOf(isSecure), value: token, expires };
  reply.header('Set-Cookie', stringifySetCookie({ ...cookie, ...attributes(isSecure) }));
}

export function clearSessionCookie(reply: FastifyReply, isSecure: boolean): void {
  const cookie = { name: nameOf(isSecure), value: '', expires: new Date(0) };
  reply.header('Set-Cookie', stringifySetCookie({ ...cookie, ...attributes(isSecure) }));
}

/** Lax, not Strict: a link from a chat to a page of the dashboard must find the session. */
function attributes(isSecure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
}
