/**
 * What processes report about themselves in storage, for the dashboard and for the metrics of the
 * others.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Checksums } from '../api/health.ts';
import type { Overload } from '../limits/overload.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { ProcessReport, ProcessStore } from '../storage/stores/process-store.ts';
import type { ClockCheck } from './clock-check.ts';

/** The row of a process that was killed is removed after this time. */
const FORGOTTEN_MS = 3_600_000;
/** Processes report every ten seconds: one that has missed three reports is not counted. */
const SEEN_MS = 30_000;

export type ProcessReporter = ReturnType<typeof processReporter>;

export function processReporter(
  store: ProcessStore,
  overload: Overload,
  live: LiveDataset,
  checksums: () => Checksums,
  clock: ClockCheck,
) {
  const id = randomUUID();
  const startedAt = new Date(clock.nowMs - process.uptime() * 1000);
  return {
    id,
    async report(): Promise<void> {
      const { nowMs } = clock;
      const { machineAt, newDay } = clock.agreed;
      const { rules, overrides, settings } = checksums();
      await store.report({
        id,
        host: hostname(),
        pid: process.pid,
        startedAt,
        seenAt: new Date(nowMs),
        ...(machineAt && { machineAt }),
        memoryBytes: process.memoryUsage.rss(),
        lagMs: Math.round(overload.lagSeconds * 1000),
        datasetVersion: live.current?.version ?? 0,
        rulesChecksum: rules,
        overridesChecksum: overrides,
        settingsChecksum: settings,
      });
      if (newDay !== undefined) await store.recordAgreedDay(newDay);
      if (clock.differenceMs === 0) await store.prune(new Date(nowMs - FORGOTTEN_MS));
    },
    processes: () => runningProcesses(store, clock.nowMs),
    remove: () => store.remove(id),
  };
}

export class ReplicaVersions {
  readonly #store: ProcessStore;
  readonly #nowMs: () => number;
  #processes: readonly ProcessReport[] = [];

  constructor(store: ProcessStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  async refresh(): Promise<void> {
    this.#processes = await runningProcesses(this.#store, this.#nowMs());
  }

  gauges(): Record<string, number> {
    const versions = this.#processes.map(({ datasetVersion }) => datasetVersion);
    const newest = Math.max(0, ...versions);
    const differing = Object.fromEntries(
      (['rules', 'overrides', 'settings'] as const).map((of) => [
        `whence_deployment_processes_differing{of="${of}"}`,
        minority(this.#processes.map((report) => report[`${of}Checksum`])),
      ]),
    );
    return {
      whence_deployment_processes: versions.length,
      whence_deployment_dataset_version: newest,
      whence_deployment_processes_behind: versions.filter((version) => version < newest).length,
      ...differing,
    };
  }
}

function minority(values: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return values.length - Math.max(0, ...counts.values());
}

function runningProcesses(store: ProcessStore, nowMs: number): Promise<ProcessReport[]> {
  return store.seenSince(new Date(nowMs - SEEN_MS));
}
