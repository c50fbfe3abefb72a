/**
 * The one writer of statistics: usage by key, traffic of the API, and networks of looked-up addresses. Requests by key are
 * written at every call, because the dashboard shows them a second later. Traffic and networks are totals of many requests,
 * and the time of last use changes with each of them: they are written every ten seconds.
 */
import type { NetworkCounts } from './networks.ts';
import type { TrafficRecorder } from './traffic.ts';
import type { Usage } from './usage.ts';

const TOTALS_MS = 10_000;

type Statistics = {
  readonly usage: Pick<Usage, 'flush' | 'flushRequests'>;
  readonly traffic: Pick<TrafficRecorder, 'flush'>;
  readonly networks: Pick<NetworkCounts, 'flush'>;
};

export class StatisticsWriter {
  readonly #statistics: Statistics;
  readonly #monotonicMs: () => number;
  #totalsDueMs = Number.NEGATIVE_INFINITY;

  constructor(statistics: Statistics, monotonicMs: () => number = () => performance.now()) {
    this.#statistics = statistics;
    this.#monotonicMs = monotonicMs;
  }

  /** Writes what is due. What storage refuses is kept, and written by a later call. */
  async write(nowMs: number): Promise<void> {
    if (this.#monotonicMs() < this.#totalsDueMs) await this.#statistics.usage.flushRequests();
    else await this.writeAll(nowMs);
  }

  /** Writes everything that has been counted, before the process ends for example. */
  async writeAll(nowMs: number): Promise<void> {
    const { usage, traffic, networks } = this.#statistics;
    this.#totalsDueMs = this.#monotonicMs() + TOTALS_MS;
    // Each is tried even if another fails: one table may be locked, or refuse its rows, while the others take theirs.
    const outcomes = await Promise.allSettled([usage.flush(), traffic.flush(nowMs), networks.flush(nowMs)]);
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
