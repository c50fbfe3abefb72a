/**
 * Which versions of the dataset the processes of a deployment serve, as they last told storage: a replica that lags
 * behind shows in the metrics of every other one, also when its own cannot be scraped.
 */
import type { ProcessStore } from '../storage/process-store.ts';

/** Processes report every ten seconds. */
const SEEN_MS = 30_000;

export class ReplicaVersions {
  readonly #store: ProcessStore;
  readonly #nowMs: () => number;
  #versions: readonly number[] = [];

  constructor(store: ProcessStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async refresh(): Promise<void> {
    const processes = await this.#store.seenSince(new Date(this.#nowMs() - SEEN_MS));
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
