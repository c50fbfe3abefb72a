/**
 * Traffic of the API by hour, from the counters of `/metrics`, so that requests do no additional
 * work.
 */
import { HOUR_MS } from '../day.ts';
import { BUCKETS, type Metrics, type MetricsSnapshot, PROBES } from '../metrics/metrics.ts';
import type { TrafficRow } from '../storage/statistics-changes.ts';
import type { TrafficStore } from '../storage/stores/usage-store.ts';
import { BatchWriter } from './batch-writer.ts';

/** `usage/pruning` removes older rows. */
export const KEPT_HOURS = 24 * 90;

export class TrafficRecorder {
  readonly #metrics: Metrics;
  readonly #writer: BatchWriter<TrafficRow[]>;
  #written: ReadonlyMap<string, number> = new Map();

  constructor(metrics: Metrics, store: Pick<TrafficStore, 'add'>) {
    this.#metrics = metrics;
    this.#writer = new BatchWriter((batch, rows) => store.add(batch, rows));
  }

  /** Writes what was counted since the last call. What storage refuses is kept for the next one. */
  async flush(nowMs: number): Promise<void> {
    const hour = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    await this.#writer.write(() => this.#collect(hour));
  }

  #collect(hour: number): TrafficRow[] | undefined {
    const counters = countersOf(this.#metrics, this.#metrics.snapshot({}));
    const rows: TrafficRow[] = [];
    for (const [counter, total] of counters) {
      const count = total - (this.#written.get(counter) ?? 0);
      if (count > 0) rows.push({ hour, counter, count });
    }
    this.#written = counters;
    for (const [download, count] of this.#metrics.takeDownloads())
      rows.push({ hour, counter: `download ${download}`, count });
    return rows.length > 0 ? rows : undefined;
  }
}

// Counters: `requests ROUTE STATUS`, `latency SECONDS` (upper bound, without probes),
// `refused CODE` (401, 403, 429),
// `unavailable CODE` (503), `cache hit`, `cache miss`, `decision LABELS`. `download KEY FILE
// VERSION` is taken apart.
function countersOf(
  { cacheHits, cacheMisses, refused, unavailable, decisions }: Metrics,
  { routes }: MetricsSnapshot,
): Map<string, number> {
  const counters = new Map<string, number>();
  const add = (name: string, count: number) =>
    counters.set(name, (counters.get(name) ?? 0) + count);
  for (const [route, { statuses, buckets }] of Object.entries(routes)) {
    for (const [status, count] of Object.entries(statuses))
      add(`requests ${route} ${status}`, count);
    if (PROBES.has(route)) continue;
    buckets.forEach((count, i) => {
      add(`latency ${BUCKETS[i] ?? 'Infinity'}`, count);
    });
  }
  for (const [code, count] of refused) add(`refused ${code}`, count);
  for (const [code, count] of unavailable) add(`unavailable ${code}`, count);
  for (const [labels, count] of decisions) add(`decision ${labels}`, count);
  add('cache hit', cacheHits);
  add('cache miss', cacheMisses);
  return counters;
}
