/** Stored traffic as the dashboard shows it: totals, latency percentiles, and values by hour. */
import { DAY_MS, HOUR_MS } from '../day.ts';
import { isRefusedMessage, MCP_ROUTE } from '../metrics/metrics.ts';
import type { TrafficRow } from '../storage/statistics-changes.ts';
import type { TrafficStore } from '../storage/stores/usage-store.ts';
import { KEPT_HOURS } from './traffic.ts';

type Latency = { p50_ms: number; p90_ms: number; p99_ms: number };
type TrafficTotals = Pick<TrafficSums, 'requests' | 'refused' | 'unavailable' | 'cache'> & {
  latency: Latency;
};
type TrafficHour = {
  hour: string;
  requests: number;
  refused: number;
  server_errors: number;
  p50_ms: number;
  p99_ms: number;
};
type TrafficByHour = Pick<TrafficTotals, 'latency' | 'cache' | 'refused' | 'unavailable'> & {
  hours: TrafficHour[];
};

/** The current hour and those before it: at least 1, at most as many as are kept. */
export async function trafficByHour(
  store: TrafficStore,
  hours: number,
  now: Date,
): Promise<TrafficByHour> {
  const count = Math.min(Math.max(1, hours), KEPT_HOURS);
  const lastHour = hourOf(now.getTime());
  const rows = await store.since(lastHour - (count - 1) * HOUR_MS);
  const { latency, cache, refused, unavailable } = totalsOf(rows);
  return { hours: hoursOf(rows, lastHour, count), latency, cache, refused, unavailable };
}

/**
 * Refused requests of the last 24 hours, and of the same hours of the day before, as far into the
 * last one: of the hour that corresponds to the current one, only the share that has passed counts.
 */
export async function refusedOfLastDay(
  store: TrafficStore,
  now: Date,
): Promise<{ now: number; before: number }> {
  const lastHour = hourOf(now.getTime());
  const passed = (now.getTime() - lastHour) / HOUR_MS;
  const rows = await store.since(lastHour - DAY_MS - 23 * HOUR_MS);
  const refusedBetween = (from: number, to: number) =>
    refusedIn(sumTraffic(rows.filter(({ hour }) => hour >= from && hour <= to)).refused);
  const from = lastHour - 23 * HOUR_MS;
  const started = lastHour - DAY_MS;
  return {
    now: refusedBetween(from, lastHour),
    before:
      refusedBetween(from - DAY_MS, started - HOUR_MS) +
      Math.round(refusedBetween(started, started) * passed),
  };
}

type CountedDecisions = { set: string; rule: string; decision: string; count: number };

/**
 * Decisions of `/v1/decide` since 00:00 UTC; the rule is empty where the default of the set
 * decided.
 */
export async function decisionsToday(store: TrafficStore, now: Date): Promise<CountedDecisions[]> {
  const rows = await store.since(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  return rows.flatMap(({ counter, count }) => {
    const [, set, rule = '', decision = ''] = DECISION.exec(counter) ?? [];
    return set === undefined ? [] : [{ set, rule, decision, count }];
  });
}

const DECISION = /^decision set="([^"]*)",rule="([^"]*)",decision="(\w+)"$/;

export type DecisionFigures = { allowed: number; denied: number; observed: number };

export function decisionFigures(decisions: readonly CountedDecisions[]): DecisionFigures {
  const sum = (word: 'allow' | 'deny' | 'observe') =>
    decisionSum(decisions.filter(({ decision }) => decision === word));
  return { allowed: sum('allow'), denied: sum('deny'), observed: sum('observe') };
}

export const decisionSum = (rows: readonly CountedDecisions[]) =>
  rows.reduce((sum, { count }) => sum + count, 0);

type Download = { readonly keyId: string; readonly file: string; readonly version: number };

export async function recentDownloads(store: TrafficStore, now: Date) {
  const found = new Map<string, Download & { count: number; lastHour: number }>();
  for (const { counter, count, hour } of await store.since(
    hourOf(now.getTime()) - DOWNLOAD_DAYS * DAY_MS,
  )) {
    const [kind, keyId = '', file = '', version] = counter.split(' ');
    if (kind !== 'download') continue;
    const before = found.get(counter)?.count ?? 0;
    found.set(counter, {
      keyId,
      file,
      version: Number(version),
      count: before + count,
      lastHour: hour,
    });
  }
  return [...found.values()].sort((a, b) => b.lastHour - a.lastHour || b.version - a.version);
}

const DOWNLOAD_DAYS = 30;
const hourOf = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;

function refusedIn({
  unauthorized,
  forbidden,
  rate_limited,
  overloaded,
}: TrafficSums['refused']): number {
  return unauthorized + forbidden + rate_limited + overloaded;
}

function totalsOf(rows: readonly TrafficRow[]): TrafficTotals {
  const { requests, refused, unavailable, cache, latency } = sumTraffic(rows);
  const percentile = (share: number) => percentileMs(latency, share);
  return {
    requests,
    refused,
    unavailable,
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
      refused: refusedIn(refused),
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
  /** Answered with 503 because something else was down: DNS, storage, the dataset. */
  unavailable: { dns: number; other: number };
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
    unavailable: { dns: 0, other: 0 },
    cache: { hits: 0, misses: 0 },
    latency: new Map(),
  };
  for (const { counter, count } of rows) {
    const [kind, what = '', status = ''] = counter.split(' ');
    if (kind === 'latency')
      sums.latency.set(Number(what), (sums.latency.get(Number(what)) ?? 0) + count);
    else if (kind === 'unavailable') addUnavailable(sums, what, count);
    else if (kind === 'cache') sums.cache[what === 'hit' ? 'hits' : 'misses'] += count;
    else if (kind === 'refused') addRefused(sums, what, count);
    else if (kind === 'requests' && isApiRequest(what, Number(status)))
      addRequests(sums, status, count);
  }
  return sums;
}

const isApiRequest = (route: string, status: number) =>
  route === MCP_ROUTE ? isRefusedMessage(status) : !OTHER_ROUTES.has(route);

function addRequests(sums: TrafficSums, status: string, count: number): void {
  sums.requests += count;
  if (status.startsWith('5')) sums.serverErrors += count;
}

function addRefused({ refused }: TrafficSums, code: string, count: number): void {
  if (code === 'UNAUTHORIZED') refused.unauthorized += count;
  if (code === 'FORBIDDEN') refused.forbidden += count;
  if (code === 'RATE_LIMIT_EXCEEDED') refused.rate_limited += count;
}

function addUnavailable({ refused, unavailable }: TrafficSums, code: string, count: number): void {
  if (code === 'OVERLOADED') refused.overloaded += count;
  else if (code === 'DNS_UNAVAILABLE') unavailable.dns += count;
  else unavailable.other += count;
}

/**
 * An estimate in milliseconds: linear inside the bucket that holds the share; 0 without requests.
 */
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
