/**
 * Answers plain lookups: the steps of the route (key, quota, permission, address, record) on the same parts, without a
 * request object. Nothing here waits unless storage must be asked: for a key that is no longer vouched for, or a lease.
 */
import { parseAddressBytes } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import type { Overload } from '../../http/overload.ts';
import type { Key } from '../../keys/key.ts';
import type { KnownKeys } from '../../keys/known-keys.ts';
import { isWellFormed } from '../../keys/secret.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Quota, Spent } from '../../quota/quota.ts';
import type { NetworkCounts } from '../../usage/networks.ts';
import type { Usage } from '../../usage/usage.ts';
import { forbidden } from '../authenticate.ts';
import { notFound } from '../ip.ts';
import { limitHeader, limitReached } from '../rate-limit.ts';
import { AnswerSlab } from './answer-slab.ts';
import { type RateLimitState, writeLookupAnswer } from './lookup-answer.ts';
import type { AnswerPlain, PlainConnection } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { writeRefusal } from './refusal-answer.ts';

export type PlainLookupParts = {
  readonly keys: KnownKeys;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly networks: NetworkCounts;
  readonly live: LiveDataset;
  readonly metrics: Metrics;
  readonly overload: Overload;
  readonly nowMs: () => number;
};

const ROUTE = 'ip';
const PERMISSION = 'ip:read';

// Made once: an error captures its stack, which costs as much as a lookup.
const OVERLOADED = new ApiError('OVERLOADED', { headers: { 'Retry-After': '1' } });
const UNAUTHORIZED = new ApiError('UNAUTHORIZED');
const INVALID_IP = new ApiError('INVALID_IP');
const FORBIDDEN = forbidden(PERMISSION);

/** Where the address is in the bytes, and when they came: what is needed of a request once another one is read. */
type Asked = {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function plainLookup(parts: PlainLookupParts): AnswerPlain {
  const { keys, quota, live, overload, nowMs } = parts;
  const finish = finisher(parts);
  const refuse = refuser(parts);

  return (bytes, request, connection) => {
    const asked: Asked = {
      bytes,
      start: request.addressStart,
      end: request.addressEnd,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    if (overload.isOverloaded) return refuse(asked, OVERLOADED);
    if (!request.hasSecret) return refuse(asked, UNAUTHORIZED);
    // Without a dataset the route refuses, and gives back what was counted.
    const served = live.current;
    if (served === undefined) return undefined;
    const secret = secretOf(bytes, request, connection);
    const key = keys.findRemembered(secret);
    if (key === undefined) return later(asked, served, secret);
    const spent = quota.spendAtOnce(key.id, key.allowance, asked.nowMs);
    return spent === undefined ? spendLater(asked, served, key) : finish(asked, served, key, spent);
  };

  async function later(asked: Asked, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    const key = await keys.findKnown(secret);
    // Never seen before: the route looks for it, and slows down guesses by the client's address.
    if (key === undefined) return undefined;
    return key === 'absent' ? refuse(asked, UNAUTHORIZED) : spendLater(asked, served, key);
  }

  async function spendLater(asked: Asked, served: ServedDataset, key: Key): Promise<Buffer> {
    return finish(asked, served, key, await quota.spend(key.id, key.allowance, asked.nowMs));
  }
}

function finisher({ metrics, usage, networks }: PlainLookupParts) {
  const slab = new AnswerSlab();
  let lastServed: ServedDataset | undefined;
  let lastNotFound: ApiError | undefined;

  return (asked: Asked, served: ServedDataset, key: Key, spent: Spent): Buffer => {
    const rate = { limit: limitHeader(key), remaining: spent.remaining, resetSeconds: spent.resetSeconds };
    if (!key.permissions.includes(PERMISSION)) return refuseKey(asked, key, rate, FORBIDDEN);
    if (!spent.isAllowed) return refuseKey(asked, key, rate, limitReached(spent, asked.nowMs));
    const address = parseAddressBytes(asked.bytes, asked.start, asked.end);
    if (address === undefined) return refuseKey(asked, key, rate, INVALID_IP);
    const elapsedMs = performance.now() - asked.startedMs;
    const found = writeLookupAnswer(slab, served, address, rate, Math.floor(elapsedMs), asked.nowMs);
    if (found === undefined) return refuseKey(asked, key, rate, notFoundIn(served));
    metrics.countCache(found.isHit);
    metrics.plainLookups++;
    metrics.count(ROUTE, 200, elapsedMs / 1000);
    usage.count(key.id, ROUTE, 200, asked.nowMs);
    networks.count(served.dataset, address);
    return found.answer;
  };

  function notFoundIn(served: ServedDataset): ApiError {
    if (lastNotFound === undefined || lastServed !== served) lastNotFound = notFound(served);
    lastServed = served;
    return lastNotFound;
  }

  function refuseKey(asked: Asked, key: Key, rate: RateLimitState, error: ApiError): Buffer {
    const elapsedMs = performance.now() - asked.startedMs;
    metrics.plainLookups++;
    metrics.count(ROUTE, error.row.status, elapsedMs / 1000);
    usage.count(key.id, ROUTE, error.row.status, asked.nowMs);
    return writeRefusal(error, rate, Math.floor(elapsedMs), asked.nowMs);
  }
}

function refuser({ metrics }: PlainLookupParts) {
  return ({ startedMs, nowMs }: Asked, error: ApiError): Buffer => {
    const elapsedMs = performance.now() - startedMs;
    metrics.plainLookups++;
    metrics.count(ROUTE, error.row.status, elapsedMs / 1000);
    return writeRefusal(error, undefined, Math.floor(elapsedMs), nowMs);
  };
}

/** The string of the last request of the connection where the bytes are the same: clients use one key. */
function secretOf(bytes: Buffer, { secretStart, secretEnd }: PlainRequest, connection: PlainConnection): string {
  const { secret } = connection;
  let isSame = secret.length === secretEnd - secretStart;
  for (let i = 0; isSame && i < secret.length; i++) isSame = secret.charCodeAt(i) === bytes[secretStart + i];
  if (!isSame) connection.secret = bytes.toString('latin1', secretStart, secretEnd);
  return connection.secret;
}
