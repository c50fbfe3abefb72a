/**
 * Outcome or progress of the last update or pull: a file beside the feeds, written by the updater,
 * read by servers.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fingerprintOf, makeFolder } from '@whence/dataset/io/files';
import { isAlive, ownIdentity, type ProcessIdentity } from '@whence/dataset/io/lock';
import type { Refusal } from '@whence/dataset/record';
import { present } from '../present.ts';

export type UpdateReport = {
  readonly outcome: 'running' | 'published' | 'unchanged' | 'failed';
  readonly started_at: string;
  readonly finished_at?: string;
  /**
   * When an update last succeeded, or a pull last found a new version: a builder that has stopped
   * is not a success.
   */
  readonly succeeded_at?: string;
  /** Current step of a running update, and how much of the update is done, from 0 to 1. */
  readonly step?: string;
  readonly share?: number;
  readonly version?: number;
  readonly error?: string;
  /** Format of the version that a static host names as current, if this program cannot read it. */
  readonly refused_format?: number;
  /** No server of any feed could be reached. */
  readonly is_offline?: true;
} & FeedReport;

/** Feeds that the update did not use, also if it failed, and that in one sentence. */
type FeedReport = {
  readonly refused?: readonly Refusal[];
  readonly problem?: string;
  /** Those whose server has asked to wait. */
  readonly paused?: readonly { readonly id: string; readonly until: string }[];
};

/** A failure that was not retried for this long is ignored: its schedule no longer exists. */
const FORGOTTEN_MS = 7 * 86_400_000;

export class UpdateReporter {
  readonly #dataDir: string;
  readonly #startedAt: string;
  readonly #mask: (text: string) => string;
  readonly #last: Pick<UpdateReport, 'succeeded_at'>;
  /** Those of the last update until this one has asked its feeds. */
  feeds: FeedReport;

  /** `mask` hides the secrets of settings: reports are shown to people and in /readyz. */
  constructor(dataDir: string, startedAt: Date, mask = (text: string) => text) {
    this.#dataDir = dataDir;
    this.#mask = mask;
    this.#startedAt = startedAt.toISOString();
    const { succeeded_at, refused, problem, paused } = readUpdateReport(dataDir) ?? {};
    this.#last = { ...(succeeded_at && { succeeded_at }) };
    this.feeds = {
      ...(refused && { refused }),
      ...(problem && { problem }),
      ...(paused && { paused }),
    };
  }

  step(step: string, share = 0): void {
    this.#write({
      outcome: 'running',
      step,
      share,
      process: ownIdentity(),
      ...this.#last,
      ...this.feeds,
    });
  }

  /** A pull that finds nothing new does not change when the last success was. */
  succeed(finishedAt: Date, version: number, isNew: boolean, isPull = false): void {
    const at = finishedAt.toISOString();
    const outcome = isNew ? 'published' : 'unchanged';
    const last = isPull && !isNew ? this.#last : {};
    this.#write({ outcome, finished_at: at, succeeded_at: at, ...last, version, ...this.feeds });
  }

  fail(
    finishedAt: Date,
    error: string,
    reason: Pick<UpdateReport, 'refused_format' | 'is_offline'> = {},
  ): void {
    const at = finishedAt.toISOString();
    this.#write({
      outcome: 'failed',
      finished_at: at,
      error,
      ...reason,
      ...this.#last,
      ...this.feeds,
    });
  }

  #write(report: Omit<StoredReport, 'started_at'>): void {
    const path = reportPath(this.#dataDir);
    // A manual pull and one of the server may write at the same time.
    const unfinished = `${path}.${process.pid}.unfinished`;
    makeFolder(join(this.#dataDir, 'feeds'));
    try {
      const text = JSON.stringify({ started_at: this.#startedAt, ...report }, null, 2);
      writeFileSync(unfinished, `${this.#mask(text)}\n`);
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  }
}

type PullOutcome =
  | { readonly kind: 'unchanged' | 'adopted'; readonly version: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly format?: number };

/**
 * The later of the report in the file and one that was told to this process because it could not be
 * written, as on a full disk.
 */
export function laterReport(
  written: UpdateReport | undefined,
  told: UpdateReport | undefined,
): UpdateReport | undefined {
  if (written === undefined || told === undefined) return written ?? told;
  const timeOf = ({ started_at, finished_at = started_at }: UpdateReport) =>
    Date.parse(finished_at);
  if (timeOf(told) <= timeOf(written)) return written;
  const { succeeded_at, refused } = written;
  return { ...present({ succeeded_at, refused }), ...told };
}

/** A pull is short, so only its end is reported. */
export function reportPull(
  dataDir: string,
  outcome: PullOutcome,
  now: Date,
  mask?: (text: string) => string,
): void {
  const reporter = new UpdateReporter(dataDir, now, mask);
  if (outcome.kind === 'failed') {
    const { reason, format } = outcome;
    reporter.fail(now, reason, present({ refused_format: format }));
  } else {
    reporter.feeds = { refused: [] };
    reporter.succeed(now, outcome.version, outcome.kind === 'adopted', true);
  }
}

export const readUpdateReport = (dataDir: string) => updateReports(dataDir)();

/** The last report at each call. Probes ask all day, so the file is read only if it has changed. */
export function updateReports(dataDir: string): () => UpdateReport | undefined {
  const path = reportPath(dataDir);
  let latest: { readonly fingerprint: string; readonly stored: StoredReport } | undefined;
  return () => {
    // Most servers have none: an exception takes longer than the rest of an answer.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    try {
      if (latest?.fingerprint !== fingerprintOf(stats))
        latest = {
          fingerprint: fingerprintOf(stats),
          stored: JSON.parse(readFileSync(path, 'utf8')) as StoredReport,
        };
      const { process = { pid: 0 }, ...report } = latest.stored;
      if (report.outcome !== 'running' || isAlive(process, stats.mtimeMs, Date.now()))
        return report;
      return { ...report, outcome: 'failed', error: `the update was killed while ${report.step}` };
    } catch {
      return undefined;
    }
  };
}

type UpdateState = 'ok' | 'running' | 'failing';

/** A machine that has never reached a feed may be meant to be offline: nothing is wrong with it. */
export const isOfflineByDesign = ({ is_offline, succeeded_at }: UpdateReport): boolean =>
  is_offline === true && succeeded_at === undefined;

/**
 * `failing` until a version is built after the failure, or attempts have stopped for FORGOTTEN_MS.
 */
export function stateOf(update: UpdateReport, builtAtMs: number, nowMs: number): UpdateState {
  const { outcome, started_at, finished_at = started_at } = update;
  if (outcome === 'running') return 'running';
  if (isOfflineByDesign(update)) return 'ok';
  const failedAtMs = Date.parse(finished_at);
  const isOver =
    outcome !== 'failed' || builtAtMs > failedAtMs || nowMs - failedAtMs > FORGOTTEN_MS;
  return isOver ? 'ok' : 'failing';
}

type StoredReport = UpdateReport & { readonly process?: ProcessIdentity };

const reportPath = (dataDir: string) => join(dataDir, 'feeds', 'last-update.json');
