/** The dataset, its sources and its updates as the dashboard shows them. */
import type { DatasetReport, Refusal } from '@whence/client/wire';

export type DatasetPage = {
  /** Absent as long as no dataset is loaded. */
  report?: DatasetReport;
  /** Per source, how its newest copy came here; absent for what is built in. */
  feeds: FeedState[];
  update: UpdateState;
};
export type FeedState = { id: string; attempted_at: string; fetched_at?: string; failures: number; error?: string };
export type UpdateState = {
  /** `never`: there was none yet. */
  outcome: 'never' | 'running' | 'published' | 'unchanged' | 'failed';
  started_at?: string;
  finished_at?: string;
  succeeded_at?: string;
  /** What a running update does, and how much of it is done, from 0 to 1. */
  step?: string;
  share?: number;
  version?: number;
  /** Administrators only. */
  error?: string;
  /** Feeds that the last update did not use, also if it failed; `problem` says so in a sentence. */
  refused: Refusal[];
  problem?: string;
  schedule: UpdateSchedule;
};
/** `pull`: versions come from a static host. Without `interval_seconds` nothing happens by itself. */
type UpdateSchedule = { kind: 'build' | 'pull'; interval_seconds?: number; can_start: boolean };
