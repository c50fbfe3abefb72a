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
import { plainClient } from './plain-client.ts';
import type { PlainAnswers, PlainConnection } from './plain-connections.ts';
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
  readonly connection: PlainConnection;
  /** Not read once the request has waited. */
  readonly bytes: Buffer;
  /** Set before it waits. */
  client: string | undefined;
  readonly startedMs: number;
  readonly nowMs: number;
};

export function plainLookup(dependencies: PlainLookupDependencies): Pick<PlainAnswers, 'answer' | 'release'> {
  const { keys, quota, rates, live, overload, nowMs, trustProxy } = dependencies;
  const clientOf = plainClient(trustProxy);
  const slab = new AnswerSlab(dependencies.extraHeaders);
  const { finish, refuseKey } = finisher(dependencies, slab, clientOfAsked);
  const refuse = refuser(dependencies);

  const answer: PlainAnswers['answer'] = (bytes, request, connection, mayWait) => {
    const asked: Asked = {
      address: parseAddressBytes(bytes, request.addressStart, request.addressEnd),
      connection,
      bytes,
      client: undefined,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    if (overload.isOverloaded) return refuse(asked, OVERLOADED);
    if (!request.hasSecret) return refuse(asked, UNAUTHORIZED);
    // Without a dataset the route refuses the request and refunds it.
    const served = live.current;
    if (served === undefined) return undefined;
    const secret = connection.secretOf(bytes, request);
    const key = keys.findRemembered(secret);
    if (key === undefined) return mayWait ? later(asked, served, secret) : undefined;
    // A request that has to wait may be handled again by Node, and would be counted twice for its rate.
    if (key.restrictions !== undefined) return mayWait ? restricted(asked, served, key) : undefined;
    const spent = quota.spendAtOnce(key.id, key.allowance, asked.nowMs);
    if (spent !== undefined) return finish(asked, served, key, spent);
    return mayWait ? spendLater(asked, served, key) : undefined;
  };
  return { answer, release: (sent) => slab.release(sent) };

  function clientOfAsked(asked: Asked): string {
    return asked.client ?? clientOf(asked.bytes, asked.connection.socket);
  }

  /** Before a request waits: its bytes are then used for another one. */
  function keepClient(asked: Asked): void {
    asked.client ??= clientOf(asked.bytes, asked.connection.socket);
  }

  function restricted(asked: Asked, served: ServedDataset, key: Key): Buffer | Promise<Buffer> {
    if (!keys.admits(key, () => clientOfAsked(asked))) return refuse(asked, UNAUTHORIZED);
    if (isTooFast(rates, key, PERMISSION))
      return refuseKey(asked, key, rateOf(key, quota.peek(key.id, key.allowance, asked.nowMs)), TOO_FAST);
    const spent = quota.spendAtOnce(key.id, key.allowance, asked.nowMs);
    return spent === undefined ? spendLater(asked, served, key) : finish(asked, served, key, spent);
  }

  async function later(asked: Asked, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    keepClient(asked);
    const key = await keys.findKnown(secret, () => clientOfAsked(asked));
    // Never seen before: the route looks it up, and throttles guesses by client address.
    if (key === undefined) return undefined;
    return key === 'absent' ? refuse(asked, UNAUTHORIZED) : restricted(asked, served, key);
  }

  async function spendLater(asked: Asked, served: ServedDataset, key: Key): Promise<Buffer> {
    keepClient(asked);
    return finish(asked, served, key, await quota.spend(key.id, key.allowance, asked.nowMs));
  }
}

function rateOf(key: Key, { remaining, resetSeconds }: Spent): RateLimitState {
  return { limit: limitHeader(key), remaining, resetSeconds };
}

type ClientOfAsked = (asked: Asked) => string;

function finisher(
  { metrics, usage, networks, extraHeaders }: PlainLookupDependencies,
  slab: AnswerSlab,
  clientOf: ClientOfAsked,
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
