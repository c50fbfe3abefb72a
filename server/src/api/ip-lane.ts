/**
 * The short way for the request that is asked a thousand times more often than all others together: a plain `GET /v1/ip/{ip}` with a key
 * that was seen before, a lease that is not spent, and a record. It runs on the same server before the router and calls the same parts as
 * the route; whatever is not plain goes the long way. Why, and what it may not do: docs/decisions/0005.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Keys } from '../keys/keys.ts';
import type { LiveDataset } from '../live-dataset.ts';
import { findJson } from '../lookup.ts';
import type { Metrics } from '../metrics.ts';
import type { Overload } from '../overload.ts';
import type { Quota } from '../quota/quota.ts';
import type { StoredKey } from '../storage/storage.ts';
import type { Usage } from '../usage.ts';
import { COMMON_HEADERS } from './envelope.ts';
import { ipEnvelope } from './ip.ts';
import { allowanceOf, limitHeader } from './rate-limit.ts';

const PATH = '/v1/ip/';

export type LaneParts = {
  keys: Keys;
  quota: Quota;
  usage: Usage;
  live: LiveDataset;
  metrics: Metrics;
  overload: Overload;
  nowMs: () => number;
};

/** Answers the request and returns true, or leaves it untouched and returns false. */
export function ipLane({ keys, quota, usage, live, metrics, overload, nowMs }: LaneParts) {
  const commonHeaders = Object.entries(COMMON_HEADERS).flat();
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url as string;
    if (request.method !== 'GET' || !url.startsWith(PATH)) return false;
    const secret = request.headers['x-api-key'];
    const served = live.current;
    // A body on a GET is somebody's mistake, which the router knows how to drain.
    if (typeof secret !== 'string' || served === undefined || overload.isOverloaded || hasBody(request)) return false;
    const startedMs = performance.now();
    const key = findRemembered(keys, secret);
    if (key === undefined || !key.permissions.includes('ip:read')) return false;
    const now = nowMs();
    const allowance = allowanceOf(key);
    // Nothing may be counted or remembered for a request that then goes the long way, where it would be again.
    if (!quota.canSpendAtOnce(key.id, allowance, now)) return false;
    const found = findJson(served, url.slice(PATH.length));
    if (found === undefined) return false;
    const spent = quota.spendAtOnce(key.id, allowance, now);
    if (spent === undefined) return false;

    const cacheStatus = found.isHit ? 'HIT' : 'MISS';
    const requestId = randomUUID();
    const milliseconds = Math.floor(performance.now() - startedMs);
    const body = ipEnvelope(found.json, requestId, milliseconds, cacheStatus, served.version);
    response.writeHead(200, [
      ...commonHeaders,
      'Content-Length',
      String(body.length),
      'X-Request-ID',
      requestId,
      'X-RateLimit-Limit',
      String(limitHeader(key)),
      'X-RateLimit-Remaining',
      String(spent.remaining),
      'X-RateLimit-Reset',
      String(spent.resetSeconds),
      'X-Cache-Status',
      cacheStatus,
    ]);
    response.end(body, 'latin1');
    if (found.isHit) metrics.cacheHits++;
    else metrics.cacheMisses++;
    usage.count(key.id, 'ip', 200, now);
    metrics.count('ip', 200, (performance.now() - startedMs) / 1000);
    return true;
  };
}

/** Storage that is down is the long way's to report: nothing thrown here would reach an error handler. */
function findRemembered(keys: Keys, secret: string): StoredKey | undefined {
  try {
    return keys.findRemembered(secret);
  } catch {
    return undefined;
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
