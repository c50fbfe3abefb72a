/**
 * What the processes of a deployment report about themselves in storage. One page of the dashboard shows all of them, and
 * the metrics of each process show which dataset versions the others serve, even if they cannot be scraped themselves.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Overload } from '../limits/overload.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { ProcessReport, ProcessStore } from '../storage/stores/process-store.ts';

/** The row of a process that was killed is removed after this time. */
const FORGOTTEN_MS = 3_600_000;
/** Processes report every ten seconds: one that has missed three reports is not counted. */
const SEEN_MS = 30_000;

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

  /** The processes that run now, this one included once it has reported. */
  processes(): Promise<ProcessReport[]> {
    return runningProcesses(this.#store, this.#nowMs());
  }

  remove(): Promise<void> {
    return this.#store.remove(this.id);
  }
}

export class ReplicaVersions {
  readonly #store: ProcessStore;
  readonly #nowMs: () => number;
  #versions: readonly number[] = [];

  constructor(store: ProcessStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async refresh(): Promise<void> {
    const processes = await runningProcesses(this.#store, this.#nowMs());
    this.#versions = processes.map(({ datasetVersion }) => datasetVersion);
  }

  gauges(): Record<string, number> {
    const newest = Math.max(0, ...this.#versions);
    return {
      whence_deployment_processes: this.#versions.length,
      whence_deployment_dataset_version: newest,
      whence_deployment_processes_behind: this.#versions.filter((version) => version < newest).length,
    };
  }
}

function runningProcesses(store: ProcessStore, nowMs: number): Promise<ProcessReport[]> {
  return store.seenSince(new Date(nowMs - SEEN_MS));
}
