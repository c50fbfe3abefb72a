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
  /** Those of them whose server asked to wait until then; `startUpdate` with `retry=paused` asks them all the same. */
  paused?: { id: string; until: string }[];
  schedule: UpdateSchedule;
};
/** `pull`: versions come from a static host. Without `interval_seconds` nothing happens by itself. */
type UpdateSchedule = { kind: 'build' | 'pull'; interval_seconds?: number; can_start: boolean };

/** Files for other programs, and which keys have downloaded them in the last 30 days. */
export type DatabasesPage = {
  files: { name: string; edition: string; version: number; is_current: boolean; built_at: string; bytes: number }[];
  /** `last_hour` is when the last of them began, to the hour. `is_current`: of the version that is offered now. */
  downloads: {
    key_id: string;
    key: string;
    file: string;
    version: number;
    is_current: boolean;
    count: number;
    last_hour: string;
  }[];
};
