/**
 * Answers plain lookups: the steps of the route (key, quota, permission, address, record) without a request object. It
 * waits only if storage must be asked: for a key that is no longer vouched for, or for a lease.
 */
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import { isWellFormed } from '../../keys/secret.ts';
import { clientAddress } from '../../limits/client.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { notFound } from '../../lookup/lookup-requests.ts';
import type { Spent } from '../../quota/quota.ts';
import { forbidden } from '../authenticate.ts';
import { isTooFast, limitHeader, limitReached, TOO_FAST } from '../rate-limit.ts';
import type { ApiDependencies } from '../routes.ts';
import { AnswerSlab, type RateLimitState, writeLookupAnswer } from './lookup-answer.ts';
import { type ClientOf, plainClient } from './plain-client.ts';
import type { PlainAnswers, PlainConnection } from './plain-connections.ts';
import type { PlainRequest } from './plain-request.ts';
import { writeRefusal } from './refusal-answer.ts';

export type PlainLookupDependencies = Omit<ApiDependencies, 'emailChecks' | 'datasetDiffs'> & {
  /** Added to every answer. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
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
  /** The request is in the first `size` bytes; for its client address. */
  readonly bytes: Buffer;
  readonly size: number;
  readonly connection: PlainConnection;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function plainLookup(dependencies: PlainLookupDependencies): PlainAnswers {
  const { keys, quota, rates, live, overload, nowMs, trustProxy } = dependencies;
  const clientOf = plainClient(trustProxy);
  const slab = new AnswerSlab(dependencies.extraHeaders);
  const { finish, refuseKey } = finisher(dependencies, slab, clientOf);
  const refuse = refuser(dependencies);

  const answer: PlainAnswers['answer'] = (bytes, request, connection, mayWait) => {
    const asked: Asked = {
      address: parseAddressBytes(bytes, request.addressStart, request.addressEnd),
      bytes,
      size: request.size,
      connection,
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
    if (key === undefined) return mayWait ? later(kept(asked), served, secret) : undefined;
    const refusal = key.restrictions === undefined ? undefined : restrictedBy(asked, key);
    if (refusal !== undefined) return refusal;
    const spent = quota.spendAtOnce(key.id, key.allowance, asked.nowMs);
    if (spent !== undefined) return finish(asked, served, key, spent);
    return mayWait ? spendLater(kept(asked), served, key) : undefined;
  };
  return { answer, release: (sent) => slab.release(sent) };

  /** The refusal of a request that the restrictions of its key forbid. */
  function restrictedBy(asked: Asked, key: Key): Buffer | undefined {
    if (!keys.admits(key, () => clientOf(asked))) return refuse(asked, UNAUTHORIZED);
    if (!isTooFast(rates, key, PERMISSION)) return undefined;
    return refuseKey(asked, key, rateOf(key, quota.peek(key.id, key.allowance, asked.nowMs)), TOO_FAST);
  }

  async function later(asked: Asked, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    const key = await keys.findKnown(secret, () => clientOf(asked));
    // Never seen before: the route looks it up, and throttles guesses by client address.
    if (key === undefined) return undefined;
    if (key === 'absent') return refuse(asked, UNAUTHORIZED);
    return restrictedBy(asked, key) ?? spendLater(asked, served, key);
  }

  async function spendLater(asked: Asked, served: ServedDataset, key: Key): Promise<Buffer> {
    return finish(asked, served, key, await quota.spend(key.id, key.allowance, asked.nowMs));
  }
}

/** Before a wait: the buffer is used for the next request. */
function kept(asked: Asked): Asked {
  return { ...asked, bytes: Buffer.from(asked.bytes.subarray(0, asked.size)) };
}

function rateOf(key: Key, { remaining, resetSeconds }: Spent): RateLimitState {
  return { limit: limitHeader(key), remaining, resetSeconds };
}

function finisher(
  { metrics, usage, networks, extraHeaders }: PlainLookupDependencies,
  slab: AnswerSlab,
  clientOf: ClientOf,
) {
  let lastServed: ServedDataset | undefined;
  let lastNotFound: ApiError | undefined;

  return { finish, refuseKey };

  function finish(asked: Asked, served: ServedDataset, key: Key, spent: Spent): Buffer {
    const rate = rateOf(key, spent);
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
    if (usage.count(key.id, ROUTE, 200, asked.nowMs)) recordAddress(asked, key);
    networks.count(served.dataset, address);
    return found.answer;
  }

  function recordAddress(asked: Asked, { id }: Key): void {
    usage.recordAddress(id, clientAddress(clientOf(asked)));
  }

  function notFoundIn(served: ServedDataset): ApiError {
    if (lastNotFound === undefined || lastServed !== served) lastNotFound = notFound(served);
    lastServed = served;
    return lastNotFound;
  }

  function refuseKey(asked: Asked, key: Key, rate: RateLimitState, error: ApiError): Buffer {
    const elapsedMs = performance.now() - asked.startedMs;
    metrics.plainLookups++;
    metrics.count(ROUTE, error.row.status, elapsedMs / 1000, error.code);
    if (usage.count(key.id, ROUTE, error.row.status, asked.nowMs)) recordAddress(asked, key);
    return writeRefusal(error, rate, Math.floor(elapsedMs), asked.nowMs, extraHeaders);
  }
}

function refuser({ metrics, extraHeaders }: PlainLookupDependencies) {
  return ({ startedMs, nowMs }: Asked, error: ApiError): Buffer => {
    const elapsedMs = performance.now() - startedMs;
    metrics.plainLookups++;
    metrics.count(ROUTE, error.row.status, elapsedMs / 1000, error.code);
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
