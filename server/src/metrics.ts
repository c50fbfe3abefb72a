/**
 * What the server counts of itself, in plain integers on the way of a request, and as Prometheus text when somebody asks. A snapshot is plain
 * data, so that several workers can be added up.
 */
export const ROUTES = [
  'healthz',
  'readyz',
  'ip',
  'batch',
  'asn',
  'asn_search',
  'email',
  'dataset',
  'dataset_diff',
  'docs',
  'none',
] as const;
export type RouteName = (typeof ROUTES)[number];

/** Upper bounds of the latency histogram, in seconds. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

export type MetricsSnapshot = {
  /** `route status` → requests. */
  readonly requests: Record<string, number>;
  readonly latency: { readonly counts: number[]; readonly sum: number };
  readonly cacheHits: number;
  readonly cacheMisses: number;
  readonly gauges: Record<string, number>;
};

export class Metrics {
  readonly #requests = new Map<RouteName, Map<number, number>>();
  readonly #latency = new Array<number>(BUCKETS.length + 1).fill(0);
  #latencySum = 0;
  cacheHits = 0;
  cacheMisses = 0;

  count(route: RouteName, status: number, seconds: number): void {
    let statuses = this.#requests.get(route);
    if (statuses === undefined) {
      statuses = new Map();
      this.#requests.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    this.#latency[bucket] = (this.#latency[bucket] as number) + 1;
    this.#latencySum += seconds;
  }

  snapshot(gauges: Record<string, number>): MetricsSnapshot {
    const requests: Record<string, number> = {};
    for (const [route, statuses] of this.#requests) {
      for (const [status, count] of statuses) requests[`${route} ${status}`] = count;
    }
    return {
      requests,
      latency: { counts: [...this.#latency], sum: this.#latencySum },
      cacheHits: this.cacheHits,
      cacheMisses: this.cacheMisses,
      gauges,
    };
  }
}

/** Gauges are the same for every worker, or a maximum makes sense of them: all but these, which are added up. */
const SUMMED_GAUGES = new Set(['whence_leased_requests', 'whence_email_checks']);

export function addUp(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const requests: Record<string, number> = {};
  const gauges: Record<string, number> = {};
  const counts = new Array<number>(BUCKETS.length + 1).fill(0);
  for (const snapshot of snapshots) {
    for (const [name, count] of Object.entries(snapshot.requests)) requests[name] = (requests[name] ?? 0) + count;
    for (const [name, value] of Object.entries(snapshot.gauges)) {
      gauges[name] = SUMMED_GAUGES.has(name) ? (gauges[name] ?? 0) + value : Math.max(gauges[name] ?? value, value);
    }
    snapshot.latency.counts.forEach((count, i) => {
      counts[i] = (counts[i] as number) + count;
    });
  }
  const sum = (pick: (snapshot: MetricsSnapshot) => number) => snapshots.reduce((total, s) => total + pick(s), 0);
  return {
    requests,
    latency: { counts, sum: sum(({ latency }) => latency.sum) },
    cacheHits: sum(({ cacheHits }) => cacheHits),
    cacheMisses: sum(({ cacheMisses }) => cacheMisses),
    gauges,
  };
}

const GAUGE_HELP: Readonly<Record<string, string>> = {
  whence_dataset_version: 'Version of the dataset that is served; 0 without one.',
  whence_dataset_age_seconds: 'Seconds since the served dataset was built.',
  whence_leased_requests: 'Requests taken from quotas and not yet spent.',
  whence_email_checks: 'Email checks in flight.',
  whence_event_loop_lag_seconds: 'Largest delay of the event loop in the last second.',
  whence_resident_memory_bytes: 'Resident memory of the largest worker.',
  whence_workers: 'Workers that answered this scrape.',
  whence_update_running: 'Whether the dataset is being updated.',
  whence_update_failed: 'Whether the last update failed.',
  whence_update_last_success_timestamp_seconds: 'When an update last came to its end; 0 if never.',
  whence_update_feeds_refused: 'Feeds that the last update refused.',
};

/** Prometheus text exposition format, version 0.0.4. */
export function renderMetrics({ requests, latency, cacheHits, cacheMisses, gauges }: MetricsSnapshot): string {
  const lines: string[] = [];
  const family = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  family('whence_requests_total', 'counter', 'Requests answered, by route and status.');
  for (const [name, count] of Object.entries(requests).sort()) {
    const [route, status] = name.split(' ');
    lines.push(`whence_requests_total{route="${route}",status="${status}"} ${count}`);
  }
  family('whence_request_duration_seconds', 'histogram', 'Time from the end of the request header to the answer.');
  let cumulative = 0;
  latency.counts.forEach((count, i) => {
    cumulative += count;
    lines.push(`whence_request_duration_seconds_bucket{le="${BUCKETS[i] ?? '+Inf'}"} ${cumulative}`);
  });
  lines.push(
    `whence_request_duration_seconds_sum ${latency.sum}`,
    `whence_request_duration_seconds_count ${cumulative}`,
  );
  family('whence_answer_cache_total', 'counter', 'Lookups answered from the cache of finished answers, or not.');
  lines.push(
    `whence_answer_cache_total{result="hit"} ${cacheHits}`,
    `whence_answer_cache_total{result="miss"} ${cacheMisses}`,
  );
  for (const [name, value] of Object.entries(gauges)) {
    family(name, 'gauge', GAUGE_HELP[name] ?? name);
    lines.push(`${name} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}
