/**
 * Counts a request against its key's day, before anything else is done for it. What fails through our own fault is
 * given back.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/errors.ts';
import type { Key } from '../keys/key.ts';
import { type Quota, type Spent, UNLIMITED } from '../quota/quota.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The day that was charged for this request; undefined while none is. */
    chargedDay: string | undefined;
  }
}

export function limitHeader({ allowance: { limit } }: Key): number {
  return limit === Number.POSITIVE_INFINITY ? UNLIMITED : limit;
}

/** Charges the request and sets the headers. A refusal is returned, not thrown: a missing permission is told first. */
export async function rateLimit(
  quota: Quota,
  request: FastifyRequest,
  reply: FastifyReply,
  nowMs: number,
): Promise<ApiError | undefined> {
  const { key } = request;
  if (key === undefined) return undefined;
  const spent = await quota.spend(key.id, key.allowance, nowMs);
  setHeaders(reply, key, spent);
  request.chargedDay = spent.chargedDay;
  if (spent.isAllowed) return undefined;
  return limitReached(spent, nowMs);
}

export function limitReached({ resetSeconds }: Spent, nowMs: number): ApiError {
  const retryAfter = Math.max(1, resetSeconds - Math.floor(nowMs / 1000));
  return new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'Retry-After': String(retryAfter) } });
}

/** A request that failed through our fault does not count. */
export function giveBack(quota: Quota, request: FastifyRequest, reply: FastifyReply): void {
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
