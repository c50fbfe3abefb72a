/**
 * Reads /metrics again and again: counters must not go backwards, and the event loop must not
 * stall.
 */
import { performance } from 'node:perf_hooks';

export type Decrease = {
  readonly atMs: number;
  readonly series: string;
  readonly from: number;
  readonly to: number;
};

const TIMEOUT_MS = 5_000;
const LAG = 'whence_event_loop_lag_seconds';
const STALLS = /^whence_event_loop_stalls_total\{route="([^"]*)"\}$/;

export class MetricsWatch {
  readonly decreases: Decrease[] = [];
  scrapes = 0;
  failures = 0;
  worstLagMs = 0;
  slowestScrapeMs = 0;
  readonly #url: string;
  #last: ReadonlyMap<string, number> = new Map();

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Resolves with the delay of the event loop that was reported, in milliseconds; 0 if there was no
   * answer.
   */
  async scrape(atMs: number): Promise<number> {
    const startedMs = performance.now();
    const text = await this.#read();
    if (text === undefined) {
      this.failures++;
      return 0;
    }
    this.scrapes++;
    this.slowestScrapeMs = Math.max(this.slowestScrapeMs, performance.now() - startedMs);
    const { counters, gauges } = parseMetrics(text);
    const lagMs = (gauges.get(LAG) ?? 0) * 1000;
    this.worstLagMs = Math.max(this.worstLagMs, lagMs);
    for (const [series, from] of this.#last) {
      const to = counters.get(series) ?? 0;
      if (to < from) this.decreases.push({ atMs, series, from, to });
    }
    this.#last = counters;
    return lagMs;
  }

  /** What kept a process from answering for more than 200 ms, as of the last scrape. */
  get stalls(): string[] {
    return [...this.#last].flatMap(([series, count]) => {
      const route = STALLS.exec(series)?.[1];
      return route === undefined || count === 0 ? [] : [`${route} × ${count}`];
    });
  }

  async #read(): Promise<string | undefined> {
    try {
      const response = await fetch(this.#url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      return response.status === 200 ? await response.text() : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Prometheus text format 0.0.4. The parts of a histogram are counters. */
export function parseMetrics(text: string): {
  counters: Map<string, number>;
  gauges: Map<string, number>;
} {
  const counters = new Map<string, number>();
  const gauges = new Map<string, number>();
  let type = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('# TYPE ')) type = line.split(' ')[3] ?? '';
    if (line === '' || line.startsWith('#')) continue;
    const blank = line.lastIndexOf(' ');
    const values = type === 'gauge' ? gauges : counters;
    values.set(line.slice(0, blank), Number(line.slice(blank + 1)));
  }
  return { counters, gauges };
}
