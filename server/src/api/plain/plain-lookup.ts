/**
 * Answers plain lookups: the steps of the route (key, quota, permission, address, record) without a request object. It
 * waits only if storage must be asked: for a key that is no longer vouched for, or for a lease.
 */
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import { type Charge, OVERLOADED, UNAUTHORIZED } from '../../admission/admission.ts';
import { ApiError } from '../../http/errors.ts';
import type { Key } from '../../keys/key.ts';
import { isWellFormed } from '../../keys/secret.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { notFound } from '../../lookup/lookup-requests.ts';
import { IP_LOOKUP } from '../ip.ts';
import type { ApiDependencies } from '../routes.ts';
import { AnswerSlab, writeLookupAnswer } from './lookup-answer.ts';
import { plainClient } from './plain-client.ts';
import type { PlainAnswers, PlainConnection } from './plain-connections.ts';
import { writeRefusal } from './refusal-answer.ts';

export type PlainLookupDependencies = Pick<ApiDependencies, 'admission' | 'live' | 'metrics' | 'networks' | 'nowMs'> & {
  /** Added to every answer. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustProxy: readonly string[];
};

const ROUTE = IP_LOOKUP.counts;

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP');

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
  const { admission, live, metrics, networks, nowMs, trustProxy, extraHeaders } = dependencies;
  const { keys } = admission;
  const clientOf = plainClient(trustProxy);
  const slab = new AnswerSlab(extraHeaders);
  let lastServed: ServedDataset | undefined;
  let lastNotFound: ApiError | undefined;

  const answer: PlainAnswers['answer'] = (bytes, request, connection, mayWait) => {
    const asked: Asked = {
      address: parseAddressBytes(bytes, request.addressStart, request.addressEnd),
      connection,
      bytes,
      client: undefined,
      startedMs: performance.now(),
      nowMs: nowMs(),
    };
    if (admission.isOverloaded) return refuse(asked, OVERLOADED);
    if (!request.hasSecret) return refuse(asked, UNAUTHORIZED);
    // Without a dataset the route refuses the request and refunds it.
    const served = live.current;
    if (served === undefined) return undefined;
    const secret = connection.secretOf(bytes, request);
    const key = keys.findRemembered(secret);
    if (mayWait) return key === undefined ? later(asked, served, secret) : charge(asked, served, key);
    // A request that has to wait may be handled again by Node, and would be counted twice for its rate.
    if (key === undefined || key.restrictions !== undefined) return undefined;
    const charged = admission.chargeAtOnce(key, IP_LOOKUP, asked.nowMs);
    return charged && finish(asked, served, key, charged);
  };
  return { answer, release: (sent) => slab.release(sent) };

  function clientOfAsked(asked: Asked): string {
    return asked.client ?? clientOf(asked.bytes, asked.connection.socket);
  }

  /** Before a request waits: its bytes are then used for another one. */
  function keepClient(asked: Asked): void {
    asked.client ??= clientOf(asked.bytes, asked.connection.socket);
  }

  async function later(asked: Asked, served: ServedDataset, secret: string): Promise<Buffer | undefined> {
    if (!isWellFormed(secret)) return refuse(asked, UNAUTHORIZED);
    keepClient(asked);
    const key = await keys.findKnown(secret, () => clientOfAsked(asked));
    // Never seen before: the route looks it up, and throttles guesses by client address.
    if (key === undefined) return undefined;
    return key === 'absent' ? refuse(asked, UNAUTHORIZED) : charge(asked, served, key);
  }

  function charge(asked: Asked, served: ServedDataset, key: Key): Buffer | Promise<Buffer> {
    if (key.restrictions !== undefined && !keys.admits(key, () => clientOfAsked(asked)))
      return refuse(asked, UNAUTHORIZED);
    const charged = admission.charge(key, IP_LOOKUP, asked.nowMs);
    if (!(charged instanceof Promise)) return finish(asked, served, key, charged);
    keepClient(asked);
    return charged.then((late) => finish(asked, served, key, late));
  }

  function finish(asked: Asked, served: ServedDataset, key: Key, charged: Charge): Buffer {
    const { address, startedMs } = asked;
    if (charged.refusal !== undefined) return refuse(asked, charged.refusal, key, charged);
    if (address === undefined) return refuse(asked, INVALID_IP, key, charged);
    const elapsedMs = performance.now() - startedMs;
    const found = writeLookupAnswer(slab, served, address, charged, Math.floor(elapsedMs), asked.nowMs);
    if (found === undefined) return refuse(asked, notFoundIn(served), key, charged);
    metrics.countCache(found.isHit);
    count(asked, key, 200, elapsedMs);
    networks.count(served.dataset, address);
    return found.answer;
  }

  function notFoundIn(served: ServedDataset): ApiError {
    if (lastNotFound === undefined || lastServed !== served) lastNotFound = notFound(served);
    lastServed = served;
    return lastNotFound;
  }

  function refuse(asked: Asked, error: ApiError, key?: Key, charged?: Charge): Buffer {
    const elapsedMs = performance.now() - asked.startedMs;
    count(asked, key, error.row.status, elapsedMs, error.code);
    return writeRefusal(error, charged, Math.floor(elapsedMs), asked.nowMs, extraHeaders);
  }

  function count(asked: Asked, key: Key | undefined, status: number, elapsedMs: number, code?: string): void {
    metrics.plainLookups++;
    metrics.count(ROUTE, status, elapsedMs / 1000, code);
    if (key !== undefined && admission.countAnswer(key, ROUTE, status, asked.nowMs))
      admission.recordClient(key, clientOfAsked(asked));
  }
}
