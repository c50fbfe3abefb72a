/** Stored traffic as the dashboard shows it: totals, latency percentiles, and values by hour. */
import type { TrafficRow } from '../storage/statistics-changes.ts';
import type { TrafficStore } from '../storage/stores/traffic-store.ts';
import { KEPT_HOURS } from './traffic.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Latency = { p50_ms: number; p90_ms: number; p99_ms: number };
type TrafficTotals = Pick<TrafficSums, 'requests' | 'refused' | 'cache'> & { latency: Latency };
type TrafficHour = {
  hour: string;
  requests: number;
  refused: number;
  server_errors: number;
  p50_ms: number;
  p99_ms: number;
};
type TrafficByHour = Pick<TrafficTotals, 'latency' | 'cache' | 'refused'> & { hours: TrafficHour[] };

/** The current hour and those before it: at least 1, at most as many as are kept. */
export async function trafficByHour(store: TrafficStore, hours: number, now: Date): Promise<TrafficByHour> {
  const count = Math.min(Math.max(1, hours), KEPT_HOURS);
  const lastHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const rows = await store.since(lastHour - (count - 1) * HOUR_MS);
  const { latency, cache, refused } = totalsOf(rows);
  return { hours: hoursOf(rows, lastHour, count), latency, cache, refused };
}

/** The last 24 hours, and the 24 hours before them. */
export async function trafficOfTwoDays(
  store: TrafficStore,
  now: Date,
): Promise<{ last_day: TrafficTotals; day_before: TrafficTotals }> {
  const border = now.getTime() - DAY_MS;
  const rows = await store.since(border - DAY_MS);
  return {
    last_day: totalsOf(rows.filter(({ hour }) => hour > border)),
    day_before: totalsOf(rows.filter(({ hour }) => hour <= border)),
  };
}

function totalsOf(rows: readonly TrafficRow[]): TrafficTotals {
  const { requests, refused, cache, latency } = sumTraffic(rows);
  const percentile = (share: number) => percentileMs(latency, share);
  return {
    requests,
    refused,
    latency: { p50_ms: percentile(0.5), p90_ms: percentile(0.9), p99_ms: percentile(0.99) },
    cache,
  };
}

function hoursOf(rows: readonly TrafficRow[], lastHour: number, count: number): TrafficHour[] {
  const byHour = new Map<number, TrafficRow[]>();
  for (const row of rows) byHour.set(row.hour, [...(byHour.get(row.hour) ?? []), row]);
  return Array.from({ length: count }, (_, i) => {
    const hour = lastHour - (count - 1 - i) * HOUR_MS;
    const { requests, refused, serverErrors, latency } = sumTraffic(byHour.get(hour) ?? []);
    return {
      hour: new Date(hour).toISOString().replace('.000Z', 'Z'),
      requests,
      refused: refused.unauthorized + refused.forbidden + refused.rate_limited + refused.overloaded,
      server_errors: serverErrors,
      p50_ms: percentileMs(latency, 0.5),
      p99_ms: percentileMs(latency, 0.99),
    };
  });
}

type TrafficSums = {
  requests: number;
  serverErrors: number;
  refused: { unauthorized: number; forbidden: number; rate_limited: number; overloaded: number };
  cache: { hits: number; misses: number };
  /** Upper bound in seconds → requests. */
  latency: Map<number, number>;
};

/** Not part of the API: probes, documentation, pages, unknown paths. */
const OTHER_ROUTES = new Set(['healthz', 'readyz', 'docs', 'pages', 'none']);

function sumTraffic(rows: readonly TrafficRow[]): TrafficSums {
  const sums: TrafficSums = {
    requests: 0,
    serverErrors: 0,
    refused: { unauthorized: 0, forbidden: 0, rate_limited: 0, overloaded: 0 },
    cache: { hits: 0, misses: 0 },
    latency: new Map(),
  };
  for (const { counter, count } of rows) {
    const [kind, what = '', status = ''] = counter.split(' ');
    if (kind === 'latency') sums.latency.set(Number(what), (sums.latency.get(Number(what)) ?? 0) + count);
    else if (kind === 'cache') sums.cache[what === 'hit' ? 'hits' : 'misses'] += count;
    else if (!OTHER_ROUTES.has(what)) addRequests(sums, status, count);
  }
  return sums;
}

function addRequests(sums: TrafficSums, status: string, count: number): void {
  sums.requests += count;
  if (status.startsWith('5')) sums.serverErrors += count;
  if (status === '401') sums.refused.unauthorized += count;
  if (status === '403') sums.refused.forbidden += count;
  if (status === '429') sums.refused.rate_limited += count;
  if (status === '503') sums.refused.overloaded += count;
}

/** An estimate in milliseconds: linear inside the bucket that holds the share; 0 without requests. */
function percentileMs(latency: ReadonlyMap<number, number>, share: number): number {
  const buckets = [...latency].sort(([a], [b]) => a - b);
  const wanted = buckets.reduce((sum, [, count]) => sum + count, 0) * share;
  if (wanted === 0) return 0;
  let below = 0;
  let lower = 0;
  for (const [upper, count] of buckets) {
    if (below + count >= wanted) {
      if (upper === Number.POSITIVE_INFINITY) return lower * 1000;
      return round((lower + ((wanted - below) / count) * (upper - lower)) * 1000);
    }
    below += count;
    lower = upper;
  }
  return lower * 1000;
}

const round = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000;
