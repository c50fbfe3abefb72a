/** How the last update went, or how far this one is: a small file beside the feeds, written by whoever runs it, read by whoever shows it. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '@whence/dataset/lock';
import type { Refusal } from '@whence/dataset/record';

export type UpdateReport = {
  readonly outcome: 'running' | 'published' | 'unchanged' | 'failed';
  readonly started_at: string;
  readonly finished_at?: string;
  /** When an update last came to its end. */
  readonly succeeded_at?: string;
  /** What a running update is at. */
  readonly step?: string;
  readonly version?: number;
  readonly error?: string;
  readonly refused?: readonly Refusal[];
};

/** Keeps the report of one update. */
export class UpdateReporter {
  readonly #dataDir: string;
  readonly #startedAt: string;
  /** What holds of the last update until this one has ended. */
  readonly #last: Pick<UpdateReport, 'succeeded_at' | 'refused'>;

  constructor(dataDir: string, startedAt: Date) {
    this.#dataDir = dataDir;
    this.#startedAt = startedAt.toISOString();
    const { succeeded_at, refused } = readUpdateReport(dataDir) ?? {};
    this.#last = { ...(succeeded_at && { succeeded_at }), ...(refused && { refused }) };
  }

  step(step: string): void {
    this.#write({ outcome: 'running', step, pid: process.pid, ...this.#last });
  }

  succeed(finishedAt: Date, version: number, isNew: boolean, refused: readonly Refusal[]): void {
    const at = finishedAt.toISOString();
    const outcome = isNew ? 'published' : 'unchanged';
    this.#write({ outcome, finished_at: at, succeeded_at: at, version, refused });
  }

  fail(finishedAt: Date, error: string): void {
    this.#write({ outcome: 'failed', finished_at: finishedAt.toISOString(), error, ...this.#last });
  }

  #write(report: Omit<StoredReport, 'started_at'>): void {
    const path = reportPath(this.#dataDir);
    mkdirSync(join(this.#dataDir, 'feeds'), { recursive: true });
    writeFileSync(`${path}.unfinished`, `${JSON.stringify({ started_at: this.#startedAt, ...report }, null, 2)}\n`);
    renameSync(`${path}.unfinished`, path);
  }
}

/** Undefined when there was no update yet, or its report cannot be read. */
export function readUpdateReport(dataDir: string): UpdateReport | undefined {
  try {
    const { pid, ...report } = JSON.parse(readFileSync(reportPath(dataDir), 'utf8')) as StoredReport;
    if (report.outcome !== 'running' || isRunning(pid ?? 0)) return report;
    return { ...report, outcome: 'failed', error: `the update was killed while ${report.step}` };
  } catch {
    return undefined;
  }
}

type StoredReport = UpdateReport & { readonly pid?: number };

const reportPath = (dataDir: string) => join(dataDir, 'feeds', 'last-update.json');
