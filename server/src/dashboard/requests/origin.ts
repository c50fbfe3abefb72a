/**
 * How a browser reached us, and whether a request comes from our own page. A change needs a
 * same-origin request: forms and scripts of other sites can send cookies, but neither fake `Origin`
 * and `Sec-Fetch-Site` nor set our header.
 */
import type { FastifyRequest } from 'fastify';
import { CSRF_HEADER } from '../wire/contract.ts';
import { DashboardRefusal } from './refusal.ts';

/**
 * TLS ends at a proxy: a trusted proxy reports it, or the operator configures WHENCE_PUBLIC_URL.
 */
export function isBehindTls(
  { protocol }: Pick<FastifyRequest, 'protocol'>,
  publicUrl: string | undefined,
): boolean {
  return protocol === 'https' || publicUrl?.startsWith('https:') === true;
}

export function requireSameOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isSameSite = site === undefined ? origin !== undefined : site === 'same-origin';
  if (!isSameSite || (origin !== undefined && !isOwn(origin, request, publicUrl))) {
    throw new DashboardRefusal('CROSS_SITE');
  }
}

/** `expected` is undefined if there is no session yet; the header is required even then. */
export function requireCsrfToken(request: FastifyRequest, expected: string | undefined): void {
  const sent = request.headers[CSRF_HEADER.toLowerCase()];
  if (typeof sent !== 'string' || sent === '' || (expected !== undefined && sent !== expected)) {
    throw new DashboardRefusal('CROSS_SITE');
  }
}

function isOwn(origin: string, { host }: FastifyRequest, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
