/**
 * Answers plain lookups: the steps of the route (key, quota, permission, address, record) without a request object. It
 * waits only if storage must be asked: for a key that is no longer vouched for, or for a lease.
 */
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import { isWellFormed } from '../../keys/secret.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { notFound } from '../../lookup/lookup-requests.ts';
import type { Spent } from '../../quota/quota.ts';
import { forbidden } from '../authenticate.ts';
import { limitHeader, limitReached } from '../rate-limit.ts';
import type { ApiDependencies } from '../routes.ts';
import { AnswerSlab, type RateLimitState, writeLookupAnswer } from './lookup-answer.ts';
import type { AnswerPlain, PlainConnection } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { writeRefusal } from './refusal-answer.ts';

export type PlainLookupDependencies = Omit<ApiDependencies, 'emailChecks' | 'datasetDiffs'> & {
  /** Added to every answer. */
  readonly extraHeaders: Readonly<Record<string, string>>;
};

const ROUTE = 'ip';
const PERMISSION = 'ip:read';

// Created once: an error captures its stack, which costs as much as a lookup.
const OVERLOADED = new ApiError('OVERLOADED');
const UNAUTHORIZED = new ApiError('UNAUTHORIZED');
const INVALID_IP = new ApiError('INVALID_IP');
const FORBIDDEN = forbidden(PERMISSION);

/** What is kept of a request while it waits: its bytes and `PlainRequest` are used for the next one. */
type Asked = {
  /** Undefined if it is invalid. */
  readonly address: Address | undefined;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function plainLookup(dependencies: PlainLookupDependencies): AnswerPlain {
  const { keys, quota, live, overload, nowMs } = dependencies;
  const finish = finisher(dependencies);
  const refuse = refuser(dependencies);

  return (bytes, request, connection, mayWait) => {
    const asked: Asked = {
      address: parseAddressBytes(bytes, request.addressStart, request.addressEnd),
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    if (overload.isOverloaded) return refuse(asked, OVERLOADED);
    if (!request.hasSecret) return refuse(asked, UNAUTHORIZED);
    // Without a dataset the route refuses the request and refunds it.
    const served = live.current;
    if (served === undefined) return undefined;
    const secret = secretOf(bytes, request, connection);
    const key = keys.findRemembered(secret);
    if (key === undefined) return mayWait ? later(asked, served, secret) : undefined;
    const spent = quota.spendAtOnce(key.id, key.allowance, asked.nowMs);
    if (spent !== undefined) return finish(asked, served, key, spent);
    return mayWait ? spendLater(asked, served, key) : undefined;
  };

  async function later(asked: Asked, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    const key = await keys.findKnown(secret);
    // Never seen before: the route looks it up, and throttles guesses by client address.
    if (key === undefined) return undefined;
    return key === 'absent' ? refuse(asked, UNAUTHORIZED) : spendLater(asked, served, key);
  }

  async function spendLater(asked: Asked, served: ServedDataset, key: Key): Promise<Buffer> {
    return finish(asked, served, key, await quota.spend(key.id, key.allowance, asked.nowMs));
  }
}

function finisher({ metrics, usage, networks, extraHeaders }: PlainLookupDependencies) {
  const slab = new AnswerSlab(extraHeaders);
  let lastServed: ServedDataset | undefined;
  let lastNotFound: ApiError | undefined;

  return (asked: Asked, served: ServedDataset, key: Key, spent: Spent): Buffer => {
    const rate = { limit: limitHeader(key), remaining: spent.remaining, resetSeconds: spent.resetSeconds };
    if (!key.permissions.includes(PERMISSION)) return refuseKey(asked, key, rate, FORBIDDEN);
    if (!spent.isAllowed) return refuseKey(asked, key, rate, limitReached(spent, asked.nowMs));
    const { address } = asked;
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
    return writeRefusal(error, rate, Math.floor(elapsedMs), asked.nowMs, extraHeaders);
  }
}

function refuser({ metrics, extraHeaders }: PlainLookupDependencies) {
  return ({ startedMs, nowMs }: Asked, error: ApiError): Buffer => {
    const elapsedMs = performance.now() - startedMs;
    metrics.plainLookups++;
    metrics.count(ROUTE, error.row.status, elapsedMs / 1000);
    return writeRefusal(error, undefined, Math.floor(elapsedMs), nowMs, extraHeaders);
  };
}

/** Reuses the string of the connection's last request if the bytes are the same: most clients use one key. */
function secretOf(bytes: Buffer, { secretStart, secretEnd }: PlainRequest, connection: PlainConnection): string {
  const { secret } = connection;
  let isSame = secret.length === secretEnd - secretStart;
  for (let i = 0; isSame && i < secret.length; i++) isSame = secret.charCodeAt(i) === bytes[secretStart + i];
  if (!isSame) connection.secret = bytes.toString('latin1', secretStart, secretEnd);
  return connection.secret;
}
