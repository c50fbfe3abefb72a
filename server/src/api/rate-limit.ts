/**
 * Counts a request against its key's limits, before anything else is done for it: requests per second, then the day. A
 * request that fails through a fault of the server is refunded.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import type { RequestRates } from '../limits/request-rates.ts';
import { secondsUntil } from '../quota/day.ts';
import { type Quota, type Spent, UNLIMITED } from '../quota/quota.ts';
import type { Permission } from '../vocabulary.ts';
import { mayUse } from './authenticate.ts';
import type { ApiDependencies } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The day that this request was charged to; undefined if none. */
    chargedDay: string | undefined;
  }
}

export function limitHeader({ allowance: { limit } }: Key): number {
  return limit === Number.POSITIVE_INFINITY ? UNLIMITED : limit;
}

/** Charges the request and sets the headers. A refusal is returned, not thrown: a missing permission takes precedence. */
export async function rateLimit(
  { quota, rates, nowMs }: Pick<ApiDependencies, 'quota' | 'rates' | 'nowMs'>,
  request: FastifyRequest,
  reply: FastifyReply,
  permission: Permission,
): Promise<ApiError | undefined> {
  const { key } = request;
  if (key === undefined) return undefined;
  const askedMs = nowMs();
  if (isTooFast(rates, key, permission)) {
    setHeaders(reply, key, quota.peek(key.id, key.allowance, askedMs));
    return TOO_FAST;
  }
  const spent = await quota.spend(key.id, key.allowance, askedMs);
  setHeaders(reply, key, spent);
  request.chargedDay = spent.chargedDay;
  if (spent.isAllowed) return undefined;
  return limitReached(spent, askedMs);
}

/** For more requests than a key may make in a second. Such a request does not count for the day. */
export const TOO_FAST = new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 1 });

/** A request without the permission is refused for that, and counts for the day. */
export function isTooFast(rates: RequestRates, key: Key, permission: Permission): boolean {
  const perSecond = key.restrictions?.requestsPerSecond;
  return perSecond !== undefined && mayUse(key, permission) && !rates.take(key.id, perSecond);
}

export function limitReached({ resetSeconds }: Spent, nowMs: number): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: secondsUntil(resetSeconds, nowMs) });
}

export function refundRequest(quota: Quota, request: FastifyRequest, reply: FastifyReply): void {
  const { key, chargedDay } = request;
  if (key === undefined || chargedDay === undefined) return;
  request.chargedDay = undefined;
  const remaining = quota.refund(key.id, chargedDay);
  if (remaining !== undefined) reply.header('X-RateLimit-Remaining', remaining);
}

function setHeaders(reply: FastifyReply, key: Key, { remaining, resetSeconds }: Spent): void {
  reply
    .header('X-RateLimit-Limit', limitHeader(key))
    .header('X-RateLimit-Remaining', remaining)
    .header('X-RateLimit-Reset', resetSeconds);
}
