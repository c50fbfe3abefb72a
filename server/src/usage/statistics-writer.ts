// The one writer of statistics. Every ten seconds, less often with many counters: each is a row,
// and they would be most of the database's work. A key's first request is written within a second:
// a person waits for it on its page.
import type { TrafficRecorder } from './traffic.ts';
import type { Usage } from './usage.ts';

/** How often statistics are written, and what a crash loses of them. */
const STATISTICS_MS = 10_000;
/** The same with many counters. */
const MAX_STATISTICS_MS = 300_000;
/**
 * Rows that a process writes per second, on average, unless there are more of them than
 * MAX_STATISTICS_MS allows.
 */
const STATISTICS_ROWS_PER_SECOND = 200;

type Statistics = {
  readonly usage: Pick<Usage, 'flush' | 'flushFirstUses'>;
  readonly traffic: Pick<TrafficRecorder, 'flush'>;
};

type WriterOptions = {
  readonly everyMs?: number | undefined;
  readonly monotonicMs?: () => number;
};

export class StatisticsWriter {
  readonly #statistics: Statistics;
  readonly #everyMs: number;
  readonly #monotonicMs: () => number;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(statistics: Statistics, options: WriterOptions = {}) {
    const { everyMs = STATISTICS_MS, monotonicMs = () => performance.now() } = options;
    this.#statistics = statistics;
    this.#everyMs = everyMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Writes what is due. What storage refuses is kept, and written by a later call. */
  async write(nowMs: number): Promise<void> {
    if (this.#monotonicMs() < this.#dueMs) await this.#statistics.usage.flushFirstUses();
    else await this.writeAll(nowMs);
  }

  /** Writes everything that has been counted, before the process ends for example. */
  async writeAll(nowMs: number): Promise<void> {
    const { usage, traffic } = this.#statistics;
    const startedMs = this.#monotonicMs();
    this.#dueMs = startedMs + this.#everyMs;
    // Each is tried even if another fails: one table may be locked, or refuse its rows, while the
    // others take theirs.
    const [rows, hours] = await Promise.allSettled([usage.flush(), traffic.flush(nowMs)]);
    if (rows.status === 'fulfilled')
      this.#dueMs = startedMs + Math.max(this.#everyMs, statisticsMs(rows.value));
    for (const outcome of [rows, hours]) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Pause after a write, by its number of rows. */
export function statisticsMs(rows: number): number {
  return Math.min(
    MAX_STATISTICS_MS,
    Math.max(STATISTICS_MS, (rows / STATISTICS_ROWS_PER_SECOND) * 1000),
  );
}
