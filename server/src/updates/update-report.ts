/**
 * Outcome of the last update or pull, or progress of the running update: a small file beside the feeds, written by the
 * process that updates, read by servers.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { livenessOf, ownIdentity, type ProcessIdentity } from '@whence/dataset/process-identity';
import type { PullOutcome } from '@whence/dataset/pull';
import type { Refusal } from '@whence/dataset/record';

export type UpdateReport = {
  readonly outcome: 'running' | 'published' | 'unchanged' | 'failed';
  readonly started_at: string;
  readonly finished_at?: string;
  /** When an update last succeeded. */
  readonly succeeded_at?: string;
  /** What a running update is at. */
  readonly step?: string;
  readonly version?: number;
  readonly error?: string;
  readonly refused?: readonly Refusal[];
};

/** An update in another container, whose process cannot be seen from here, writes each of its steps. */
const ABANDONED_MS = 600_000;
/** A failure that was not tried again for this long is one of a schedule that no longer exists. */
const FORGOTTEN_MS = 7 * 86_400_000;

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
    this.#write({ outcome: 'running', step, process: ownIdentity(), ...this.#last });
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
    // A pull by hand and one of the server may write at the same time.
    const unfinished = `${path}.${process.pid}.unfinished`;
    mkdirSync(join(this.#dataDir, 'feeds'), { recursive: true });
    try {
      writeFileSync(unfinished, `${JSON.stringify({ started_at: this.#startedAt, ...report }, null, 2)}\n`);
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  }
}

/** A pull is short, so only its end is reported. */
export function reportPull(dataDir: string, outcome: PullOutcome, now: Date): void {
  const reporter = new UpdateReporter(dataDir, now);
  if (outcome.kind === 'failed') reporter.fail(now, outcome.reason);
  else reporter.succeed(now, outcome.version, outcome.kind === 'adopted', []);
}

/** Undefined when there was no update yet, or its report cannot be read. */
export function readUpdateReport(dataDir: string): UpdateReport | undefined {
  try {
    const path = reportPath(dataDir);
    const { pid, process = { pid: pid ?? 0 }, ...report } = JSON.parse(readFileSync(path, 'utf8')) as StoredReport;
    if (report.outcome !== 'running' || isAlive(process, statSync(path).mtimeMs)) return report;
    return { ...report, outcome: 'failed', error: `the update was killed while ${report.step}` };
  } catch {
    return undefined;
  }
}

export type UpdateState = 'ok' | 'running' | 'failing';

/** Failing while attempts fail: no longer once a version was built after the failure, or nothing is attempted any more. */
export function stateOf(
  { outcome, started_at, finished_at = started_at }: UpdateReport,
  builtAtMs: number,
  nowMs: number,
): UpdateState {
  if (outcome === 'running') return 'running';
  const failedAtMs = Date.parse(finished_at);
  const isOver = outcome !== 'failed' || builtAtMs > failedAtMs || nowMs - failedAtMs > FORGOTTEN_MS;
  return isOver ? 'ok' : 'failing';
}

/** Reports of earlier versions have the process number alone. */
type StoredReport = UpdateReport & { readonly process?: ProcessIdentity; readonly pid?: number };

function isAlive(process: ProcessIdentity, writtenAtMs: number): boolean {
  const liveness = livenessOf(process, ownIdentity());
  return liveness === 'running' || (liveness === 'unknown' && Date.now() - writtenAtMs < ABANDONED_MS);
}

const reportPath = (dataDir: string) => join(dataDir, 'feeds', 'last-update.json');
