/** Starts the load generator and collects what it reports. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HostileKind } from '../dns/zones.ts';
import type {
  Fault,
  FreeKeyUse,
  LoadCommand,
  LoadPlan,
  LoadReport,
  LookupColumns,
} from './protocol.ts';

/** Everything that was reported so far. */
export type LoadTotals = {
  sent: number;
  skipped: number;
  answers: Record<string, number>;
  lookups: LookupColumns;
  faults: Fault[];
  freeKeys: readonly FreeKeyUse[];
  ownDelaysMs: number[];
};

export class Load {
  readonly totals: LoadTotals = {
    sent: 0,
    skipped: 0,
    answers: {},
    lookups: { sentAtMs: [], latencyMs: [], datasetVersion: [], hasLimit: [] },
    faults: [],
    freeKeys: [],
    ownDelaysMs: [],
  };
  readonly #child: ChildProcess;
  #isFinished = false;

  constructor(plan: LoadPlan, signal: AbortSignal) {
    const script = fileURLToPath(import.meta.resolve('./process.js'));
    this.#child = fork(script, [], { execArgv: [], signal, killSignal: 'SIGKILL' });
    // An abort is reported as an error too.
    this.#child.on('error', () => {});
    this.#child.on('message', (report: LoadReport) => this.#add(report));
    this.#tell({ kind: 'start', plan });
  }

  askHostileZone(zone: HostileKind, number: number): void {
    this.#tell({ kind: 'hostile zone', zone, number });
  }

  /** Resolves when every request has its outcome. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#tell({ kind: 'stop' });
    await exited;
    if (!this.#isFinished) throw new Error('the load generator ended early');
  }

  #tell(command: LoadCommand): void {
    if (this.#child.connected) this.#child.send(command);
  }

  #add(report: LoadReport): void {
    const { totals } = this;
    totals.sent += report.sent;
    totals.skipped += report.skipped;
    for (const [name, count] of Object.entries(report.answers)) {
      totals.answers[name] = (totals.answers[name] ?? 0) + count;
    }
    totals.lookups.sentAtMs.push(...report.lookups.sentAtMs);
    totals.lookups.latencyMs.push(...report.lookups.latencyMs);
    totals.lookups.datasetVersion.push(...report.lookups.datasetVersion);
    totals.lookups.hasLimit.push(...report.lookups.hasLimit);
    totals.faults.push(...report.faults);
    totals.ownDelaysMs.push(...report.ownDelaysMs);
    totals.freeKeys = report.freeKeys;
    this.#isFinished = report.isLast;
  }
}
