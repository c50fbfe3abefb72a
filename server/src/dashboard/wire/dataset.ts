/** The dataset, its sources and its updates as the dashboard shows them. */
import type { DatasetReport, Refusal } from '@whence/client/wire';
import type { UpdateReport } from '../../versions/update-report.ts';

export type DatasetPage = {
  /** Absent as long as no dataset is loaded. */
  report?: DatasetReport;
  /** Per source, how its newest copy came here; absent for what is built in. */
  feeds: FeedState[];
  update: UpdateState;
};
export type FeedState = { id: string; attempted_at: string; fetched_at?: string; failures: number; error?: string };
/** `never`: there was none yet. `error` is for administrators only. */
export type UpdateState = Omit<Partial<UpdateReport>, 'outcome' | 'refused' | 'paused'> & {
  outcome: UpdateReport['outcome'] | 'never';
  /** Feeds that the last update did not use, also if it failed; `problem` says so in a sentence. */
  refused: Refusal[];
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
