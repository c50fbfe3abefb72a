/**
 * The API as a whole, by hour: what the metrics of this process have counted since the last time is added to what is
 * stored. Requests are not touched; the counters are those that `/metrics` shows.
 */
import { BUCKETS, type Metrics, type MetricsSnapshot } from '../metrics/metrics.ts';
import type { TrafficRow, TrafficStore } from '../storage/traffic-store.ts';
import { BatchWriter } from './batch-writer.ts';

const HOUR_MS = 3_600_000;
export const KEPT_HOURS = 24 * 90;

export class TrafficRecorder {
  readonly #metrics: Metrics;
  readonly #store: TrafficStore;
  readonly #writer: BatchWriter<TrafficRow[]>;
  /** What was given to the writer so far. */
  #written: ReadonlyMap<string, number> = new Map();
  #prunedHour = 0;

  constructor(metrics: Metrics, store: TrafficStore) {
    this.#metrics = metrics;
    this.#store = store;
    this.#writer = new BatchWriter((batch, rows) => store.add(batch, rows));
  }

  /** Writes what has come since the last time. If storage refuses, it is kept for the next time. */
  async flush(nowMs: number): Promise<void> {
    const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    await this.#writer.write(() => this.#collect(hour));
    if (hour === this.#prunedHour) return;
    await this.#store.prune(hour - KEPT_HOURS * HOUR_MS);
    this.#prunedHour = hour;
  }

  #collect(hour: number): TrafficRow[] | undefined {
    const { cacheHits, cacheMisses } = this.#metrics;
    const counters = countersOf({ cacheHits, cacheMisses, ...this.#metrics.snapshot({}) });
    const rows: TrafficRow[] = [];
    for (const [counter, total] of counters) {
      const count = total - (this.#written.get(counter) ?? 0);
      if (count > 0) rows.push({ hour, counter, count });
    }
    this.#written = counters;
    return rows.length > 0 ? rows : undefined;
  }
}

type Counted = Pick<MetricsSnapshot, 'routes'> & Pick<Metrics, 'cacheHits' | 'cacheMisses'>;

/** `requests ROUTE STATUS`, `latency SECONDS` (the upper bound), `cache hit`, `cache miss`. */
function countersOf({ cacheHits, cacheMisses, routes }: Counted): Map<string, number> {
  const counters = new Map<string, number>();
  const add = (name: string, count: number) => counters.set(name, (counters.get(name) ?? 0) + count);
  for (const [route, { statuses, buckets }] of Object.entries(routes)) {
    for (const [status, count] of Object.entries(statuses)) add(`requests ${route} ${status}`, count);
    buckets.forEach((count, i) => {
      add(`latency ${BUCKETS[i] ?? 'Infinity'}`, count);
    });
  }
  add('cache hit', cacheHits);
  add('cache miss', cacheMisses);
  return counters;
}

export type TrafficSums = {
  requests: number;
  serverErrors: number;
  refused: { unauthorized: number; forbidden: number; rate_limited: number; overloaded: number };
  cache: { hits: number; misses: number };
  /** Upper bound in seconds → requests. */
  latency: Map<number, number>;
};

/** Not of the API: probes, documentation, pages, unknown paths. */
const OTHER_ROUTES = new Set(['healthz', 'readyz', 'docs', 'pages', 'none']);

export function sumTraffic(rows: readonly TrafficRow[]): TrafficSums {
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
export function percentileMs(latency: ReadonlyMap<number, number>, share: number): number {
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
