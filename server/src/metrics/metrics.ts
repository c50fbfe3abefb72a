/**
 * Counters, rendered as Prometheus text on a scrape. Snapshots are plain data, which the first
 * process adds up.
 */
import { REFUSAL_REASONS, type RefusalReason } from '../vocabulary.ts';

/** Upper bounds of the latency histogram, in seconds. */
export const BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5,
] as const;

const UNAVAILABLE = 503;
/** Why an existing key is refused like an unknown one. */
const UNAUTHORIZED_REASONS = ['revoked', 'paused', 'expired', 'network'] as const;
const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);
/**
 * The route of MCP. A call of a tool is counted as the API request that it makes, so only a message
 * that is refused itself is a request of this route.
 */
export const MCP_ROUTE = 'mcp';
export const isRefusedMessage = (status: number) => REFUSED.has(status) || status === UNAVAILABLE;
/** Routes that are not part of the API: probes, and paths that do not exist. */
export const PROBES: ReadonlySet<string> = new Set(['healthz', 'readyz', 'none']);

type RouteSnapshot = {
  /** Status → requests. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests by bucket of latency, the last one for those above all bounds. */
  readonly buckets: readonly number[];
  readonly seconds: number;
};

export type MetricsSnapshot = {
  readonly routes: Readonly<Record<string, RouteSnapshot>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly gauges: Readonly<Record<string, number>>;
};

type RouteCounts = {
  readonly statuses: Map<number, number>;
  readonly buckets: number[];
  seconds: number;
};

export class Metrics {
  /** By route name, so that the number of entries does not depend on requested paths. */
  readonly #routes = new Map<string, RouteCounts>();
  cacheHits = 0;
  cacheMisses = 0;
  fastPathLookups = 0;
  fastPathBatches = 0;
  /** How often storage has stopped answering. */
  storageOutages = 0;
  #unknownKeys = 0;

  /**
   * Requests answered with 503 by the code of the refusal, as its status does not tell an overload
   * from DNS that is down.
   */
  readonly unavailable = new Map<string, number>();
  /**
   * Requests refused with 401, 403 or 429 by code. A rule may deny a request with the same status,
   * which is an answer.
   */
  readonly refused = new Map<string, number>();
  readonly keyRefusals = new Map<RefusalReason, number>(
    REFUSAL_REASONS.map((reason) => [reason, 0]),
  );
  /** By the text of their labels: set, rule (empty for the default) and decision. */
  readonly decisions = new Map<string, number>();
  readonly #dnsQuestions = new Map<string, number>();
  readonly #reports = new Map<string, number>();
  readonly #judgements = new Map<string, number>();
  #judgementSeconds = 0;
  readonly #deliveries = new Map<string, number>();
  /**
   * Database files that were sent, by `KEY FILE VERSION`. For the dashboard: too many for a label.
   */
  #downloads = new Map<string, number>();
  readonly stalls = new Map<string, number>([['none', 0]]);

  /** `code` is that of the refusal, if the request was refused. */
  count(route: string, status: number, seconds: number, code = ''): void {
    if (status === UNAVAILABLE && !PROBES.has(route)) increment(this.unavailable, code);
    if (code !== '' && REFUSED.has(status)) increment(this.refused, code);
    let counts = this.#routes.get(route);
    if (counts === undefined) {
      counts = {
        statuses: new Map(),
        buckets: new Array<number>(BUCKETS.length + 1).fill(0),
        seconds: 0,
      };
      this.#routes.set(route, counts);
    }
    increment(counts.statuses, status);
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    counts.buckets[bucket] = (counts.buckets[bucket] as number) + 1;
    counts.seconds += rounded(seconds);
  }

  countKeyRefusal(reason: RefusalReason): void {
    increment(this.keyRefusals, reason);
  }

  /**
   * Requests refused with 401 that no existing key explains. A refusal of an existing key is
   * counted before its answer, so the difference may fall for a moment, which a counter must not.
   */
  #countUnknownKeys(): number {
    const existing = UNAUTHORIZED_REASONS.map((reason) => this.keyRefusals.get(reason) ?? 0);
    const all = this.refused.get('UNAUTHORIZED') ?? 0;
    const unknown = all - existing.reduce((sum, count) => sum + count, 0);
    this.#unknownKeys = Math.max(this.#unknownKeys, unknown);
    return this.#unknownKeys;
  }

  countStall(route: string): void {
    increment(this.stalls, route);
  }

  countDecision(set: string, rule: string, decision: string): void {
    increment(this.decisions, `set="${set}",rule="${rule}",decision="${decision}"`);
  }

  countDnsQuestion(type: string, result: string): void {
    increment(this.#dnsQuestions, `type="${type}",result="${result}"`);
  }

  countReport(state: string): void {
    increment(this.#reports, state);
  }

  countJudgement(outcome: string, seconds: number): void {
    increment(this.#judgements, outcome);
    this.#judgementSeconds += rounded(seconds);
  }

  countDelivery(state: string): void {
    increment(this.#deliveries, state);
  }

  countDownload(keyId: string, file: string, version: number): void {
    increment(this.#downloads, `${keyId} ${file} ${version}`);
  }

  /** Those since the last call: each version has new ones, so they are not kept. */
  takeDownloads(): ReadonlyMap<string, number> {
    const taken = this.#downloads;
    this.#downloads = new Map();
    return taken;
  }

  countCache(isHit: boolean): void {
    if (isHit) this.cacheHits++;
    else this.cacheMisses++;
  }

  snapshot(gauges: Record<string, number>): MetricsSnapshot {
    const routes = [...this.#routes].map(([route, { statuses, buckets, seconds }]) => [
      route,
      { statuses: Object.fromEntries(statuses), buckets: [...buckets], seconds },
    ]);
    const counters = {
      'whence_answer_cache_total{result="hit"}': this.cacheHits,
      'whence_answer_cache_total{result="miss"}': this.cacheMisses,
      whence_fast_path_lookups_total: this.fastPathLookups,
      whence_fast_path_batches_total: this.fastPathBatches,
      ...labelled('whence_unavailable_total', this.unavailable, (code) => `code="${code}"`),
      whence_unknown_keys_total: this.#countUnknownKeys(),
      whence_storage_outages_total: this.storageOutages,
      ...labelled('whence_key_refusals_total', this.keyRefusals, (reason) => `reason="${reason}"`),
      ...labelled('whence_event_loop_stalls_total', this.stalls, (route) => `route="${route}"`),
      ...labelled('whence_decisions_total', this.decisions),
      ...labelled('whence_dns_questions_total', this.#dnsQuestions),
      ...labelled('whence_reports_total', this.#reports, (state) => `state="${state}"`),
      ...labelled('whence_judgements_total', this.#judgements, (outcome) => `outcome="${outcome}"`),
      whence_judgement_seconds_total: this.#judgementSeconds,
      ...labelled('whence_alert_deliveries_total', this.#deliveries, (state) => `state="${state}"`),
    };
    return { routes: Object.fromEntries(routes), counters, gauges };
  }
}

function labelled(
  name: string,
  counts: ReadonlyMap<string, number>,
  labelsOf = (labels: string) => labels,
): Record<string, number> {
  return Object.fromEntries(
    [...counts].map(([value, count]) => [`${name}{${labelsOf(value)}}`, count]),
  );
}

/**
 * To a microsecond, as a power of two: sums of these are exact in every order. When a worker has
 * ended they are added up in another one, and a counter that goes back by a rounding error looks
 * like a restart.
 */
const UNITS_PER_SECOND = 2 ** 20;
const rounded = (seconds: number) => Math.round(seconds * UNITS_PER_SECOND) / UNITS_PER_SECOND;

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/**
 * How the gauges of workers become one. All others are equal in every worker, or their maximum is
 * meant.
 */
const COMBINED_GAUGES: Readonly<Record<string, (a: number, b: number) => number>> = {
  whence_leased_requests: (a, b) => a + b,
  whence_email_checks: (a, b) => a + b,
  whence_judgements_running: (a, b) => a + b,
  whence_judgements_waiting: (a, b) => a + b,
  whence_ready: Math.min,
  whence_queue_waiting: (a, b) => a + b,
  whence_queue_working: (a, b) => a + b,
};

export function addUp(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const gauges: Record<string, number> = {};
  const routes: Record<string, RouteSnapshot> = {};
  for (const snapshot of snapshots) {
    for (const [name, value] of Object.entries(snapshot.gauges)) {
      const before = gauges[name];
      const [family = ''] = name.split('{', 1);
      gauges[name] =
        before === undefined ? value : (COMBINED_GAUGES[family] ?? Math.max)(before, value);
    }
    for (const [name, route] of Object.entries(snapshot.routes)) {
      const sum = routes[name];
      routes[name] = sum === undefined ? route : addRoutes(sum, route);
    }
  }
  return {
    routes,
    counters: snapshots.map(({ counters }) => counters).reduce(addCounts, {}),
    gauges,
  };
}

/**
 * What of a worker outlives it: a counter that went down would look like a restart, and hide what
 * was counted.
 */
export function countersOf({ routes, counters }: MetricsSnapshot): MetricsSnapshot {
  return { routes, counters, gauges: {} };
}

export function withCounters(
  snapshot: MetricsSnapshot,
  counters: Readonly<Record<string, number>>,
): MetricsSnapshot {
  return { ...snapshot, counters: addCounts(snapshot.counters, counters) };
}

function addRoutes(a: RouteSnapshot, b: RouteSnapshot): RouteSnapshot {
  return {
    statuses: addCounts(a.statuses, b.statuses),
    buckets: a.buckets.map((count, i) => count + (b.buckets[i] ?? 0)),
    seconds: a.seconds + b.seconds,
  };
}

function addCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...a };
  for (const [name, count] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const HELP: Readonly<Record<string, string>> = {
  whence_decisions_total:
    'Answers of /v1/decide by set, rule (empty for the default) and decision.',
  whence_dns_questions_total: 'Questions to the DNS zone by type and result.',
  whence_overrides_refused:
    'Whether the overrides as they are now were refused: those before them are in use.',
  whence_rules_refused:
    'Whether the rules file as it is now was refused: the rules before it are in use.',
  whence_list_held: 'Whether a list keeps its prefixes, because an update has too few of them.',
  whence_location_database_refused:
    'Whether the location database as it is now was refused: the one before it is in use.',
  whence_checksum: 'Checksum of rules, overrides and settings; 0 without any.',
  whence_answer_cache_total: 'Lookups answered from the cache of finished answers, or not.',
  whence_unavailable_total:
    'Requests answered with 503, by the code of the refusal; without probes.',
  whence_key_refusals_total:
    'Requests refused with 401, 403 or 429 although their key exists, by reason.',
  whence_unknown_keys_total: 'Requests refused with 401 because their key is unknown or missing.',
  whence_storage_outages_total: 'How often storage has stopped answering.',
  whence_queue_waiting: 'Requests that wait for a slot of their cost class.',
  whence_queue_working: 'Requests that hold a slot of their cost class.',
  process_start_time_seconds: 'When the first process was started, in seconds since 1970.',
  whence_event_loop_stalls_total:
    'Stalls of the event loop above 200 ms, by the route that caused them: measured in the minute after a stall, otherwise that of the request which began last.',
  whence_fast_path_lookups_total: 'Lookups and decisions answered before the HTTP parser of Node.',
  whence_fast_path_batches_total: 'Batches answered before the HTTP parser of Node.',
  whence_log_lines_dropped_total:
    'Log lines dropped because standard error was not read, or could not be written.',
  whence_log_lines_repeated_total:
    'Log lines that were counted instead of written, because they repeated themselves.',
  whence_worker_deaths_total: 'Workers that ended unqueried and were replaced.',
  whence_ready: 'Whether /readyz answers 200; 0 if one worker is not ready.',
  whence_dataset_version: 'Version of the dataset that is served; 0 without one.',
  whence_dataset_age_seconds: 'Seconds since the served dataset was built.',
  whence_rpki_age_seconds:
    'Seconds since the validated ROA payloads were made; absent where none are configured.',
  whence_dataset_data_age_seconds: 'Age of the oldest source that decides prefixes or countries.',
  whence_dataset_flag_age_seconds: 'Age of the oldest source of a flag.',
  whence_dataset_fallback:
    'Whether the current version cannot be loaded and another one is served.',
  whence_storage_read_only: 'Whether storage could not be written when it was last tried.',
  whence_storage_degraded:
    'Whether storage does not answer, so that only known keys and open leases are used.',
  whence_storage_last_answer_age_seconds: 'Seconds since the question that storage last answered.',
  whence_storage_round_trip_seconds: 'Average time of the last questions to storage.',
  whence_clock_difference_seconds:
    'By how much the clock of the database differs from others, so that nothing is removed or revoked; 0 if it is used.',
  whence_leased_requests: 'Requests taken from quotas and not yet spent.',
  whence_email_checks: 'Email checks in flight.',
  whence_reports_total:
    'DMARC and TLS reports that were posted, uploaded or fetched: read, unproven, repeated or not_read.',
  whence_judgements_total:
    'Judgements of the reports of a domain: answered, refused, abandoned by their clients, or failed.',
  whence_judgement_seconds_total: 'Seconds that judgements have run.',
  whence_alert_deliveries_total:
    'Attempts to deliver alerts: delivered, waiting (to be repeated) or failed.',
  whence_alert_channels_failing: 'Channels of alerts whose last attempt failed.',
  whence_report_mailbox_failing:
    '1 if the mailbox of reports could not be read for an hour; absent without one.',
  whence_report_mailbox_fetched_timestamp_seconds:
    'When all messages of the mailbox of reports were read last.',
  whence_judgements_running: 'Judgements that run.',
  whence_judgements_waiting: 'Requests that wait for their turn to have a domain judged.',
  whence_watched_domains: 'Domains on the list.',
  whence_watch_open_events: 'Open events of watched domains, by severity.',
  whence_watch_late_checks: 'Watched domains whose check is a day late.',
  whence_event_loop_lag_seconds: 'Largest delay of the event loop in the last second.',
  whence_accept_wait_seconds:
    'Longest wait of a new connection in the last ten seconds, measured by connections to the own port.',
  whence_resident_memory_bytes: 'Resident memory of the largest worker.',
  whence_read_fallback:
    'Whether connections are read by data events, because the shared read buffer does not work here.',
  whence_workers: 'Workers that answered this scrape.',
  whence_deployment_processes:
    'Processes that share the storage and have reported in the last 30 seconds.',
  whence_deployment_dataset_version: 'Newest version of the dataset that one of them serves.',
  whence_deployment_processes_behind: 'How many of them serve an older one.',
  whence_deployment_processes_differing: 'How many of them have others than most have.',
  whence_update_running: 'Whether the dataset is being updated.',
  whence_update_failed: 'Whether the last update failed.',
  whence_update_last_success_timestamp_seconds:
    'When an update last came to its end, or a pull last found a new version; 0 if never.',
  whence_update_feeds_refused: 'Feeds that the last update refused.',
  whence_update_refused_format:
    'Format of the newest dataset of the static host if it cannot be read; 0 otherwise.',
};

/**
 * Prometheus text exposition format, version 0.0.4. `build` becomes labels: it holds no quotes and
 * no backslashes.
 */
export function renderMetrics(
  { routes, counters, gauges }: MetricsSnapshot,
  build: Readonly<Record<string, string>>,
): string {
  const lines: string[] = [];
  const family = (name: string, type: string, help: string) =>
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  const byRoute = Object.entries(routes).sort(([a], [b]) => (a < b ? -1 : 1));

  family('whence_build_info', 'gauge', 'The program that is running; always 1.');
  const labels = Object.entries(build).map(([name, value]) => `${name}="${value}"`);
  lines.push(`whence_build_info{${labels.join(',')}} 1`);

  family('whence_requests_total', 'counter', 'Requests answered, by route and status.');
  for (const [route, { statuses }] of byRoute) {
    for (const [status, count] of Object.entries(statuses))
      lines.push(`whence_requests_total{route="${route}",status="${status}"} ${count}`);
  }

  const duration = 'whence_request_duration_seconds';
  family(duration, 'histogram', 'Time from the end of the request header to the answer, by route.');
  for (const [route, { buckets, seconds }] of byRoute) {
    let cumulative = 0;
    buckets.forEach((count, i) => {
      cumulative += count;
      lines.push(`${duration}_bucket{route="${route}",le="${BUCKETS[i] ?? '+Inf'}"} ${cumulative}`);
    });
    lines.push(
      `${duration}_sum{route="${route}"} ${seconds}`,
      `${duration}_count{route="${route}"} ${cumulative}`,
    );
  }

  for (const [type, values] of [
    ['counter', counters],
    ['gauge', gauges],
  ] as const) {
    let last = '';
    for (const [series, value] of Object.entries(values)) {
      const [name = ''] = series.split('{', 1);
      if (name !== last) family(name, type, HELP[name] ?? name);
      last = name;
      lines.push(`${series} ${value}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
