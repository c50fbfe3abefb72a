/** Counts a request against its key's day, before anything else is done for it. Errors of our own making are given back. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TIERS } from '../keys/tiers.ts';
import { type Quota, type Spent, UNLIMITED } from '../quota/quota.ts';
import type { StoredKey } from '../storage/storage.ts';
import { ApiError } from './errors.ts';

export function allowanceOf({ tier }: StoredKey) {
  const { requestsPerDay, lease } = TIERS[tier];
  return { limit: requestsPerDay, lease };
}

export function limitHeader({ tier }: StoredKey): number {
  const { requestsPerDay } = TIERS[tier];
  return requestsPerDay === Number.POSITIVE_INFINITY ? UNLIMITED : requestsPerDay;
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
  const spent = await quota.spend(key.id, allowanceOf(key), nowMs);
  setHeaders(reply, key, spent);
  request.isCounted = spent.isAllowed;
  if (spent.isAllowed) return undefined;
  const retryAfter = Math.max(1, spent.resetSeconds - Math.floor(nowMs / 1000));
  return new ApiError('RATE_LIMIT_EXCEEDED', { headers: { 'Retry-After': String(retryAfter) } });
}

function setHeaders(reply: FastifyReply, key: StoredKey, { remaining, resetSeconds }: Spent): void {
  reply
    .header('X-RateLimit-Limit', limitHeader(key))
    .header('X-RateLimit-Remaining', remaining)
    .header('X-RateLimit-Reset', resetSeconds);
}
