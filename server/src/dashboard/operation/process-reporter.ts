/** Tells storage how this process is doing, so that one page shows all processes of a deployment. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Overload } from '../../http/overload.ts';
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import type { ProcessStore } from '../../storage/process-store.ts';

/** A process that was killed leaves its row; it is removed after this. */
const FORGOTTEN_MS = 3_600_000;

export class ProcessReporter {
  readonly id = randomUUID();
  readonly #store: ProcessStore;
  readonly #overload: Overload;
  readonly #live: LiveDataset;
  readonly #nowMs: () => number;
  readonly #startedAt: Date;

  constructor(store: ProcessStore, overload: Overload, live: LiveDataset, nowMs: () => number) {
    this.#store = store;
    this.#overload = overload;
    this.#live = live;
    this.#nowMs = nowMs;
    this.#startedAt = new Date(nowMs() - process.uptime() * 1000);
  }

  async report(): Promise<void> {
    const nowMs = this.#nowMs();
    await this.#store.report({
      id: this.id,
      host: hostname(),
      pid: process.pid,
      startedAt: this.#startedAt,
      seenAt: new Date(nowMs),
      memoryBytes: process.memoryUsage.rss(),
      lagMs: Math.round(this.#overload.lagSeconds * 1000),
      datasetVersion: this.#live.current?.version ?? 0,
    });
    await this.#store.prune(new Date(nowMs - FORGOTTEN_MS));
  }

  remove(): Promise<void> {
    return this.#store.remove(this.id);
  }
}
