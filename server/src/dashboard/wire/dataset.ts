/** The dataset, its sources and its updates as the dashboard shows them. */
import type { DatasetReport, FlagSubject, Refusal } from '@whence/client/wire';
import type { UpdateReport } from '../../versions/update-report.ts';
import type { DatasetLimits } from './lookups.ts';

export type DatasetPage = {
  /** Absent as long as no dataset is loaded. */
  report?: DatasetReport;
  /** Per source, how its newest copy came here; absent for what is built in. */
  feeds: FeedState[];
  update: UpdateState;
};
/**
 * All but `limits` are absent as long as no dataset is loaded. A day is that of the oldest source
 * of a group.
 */
export type DataAges = {
  version?: number;
  built_at?: string;
  groups: DataAge[];
  limits: DatasetLimits;
};
/** Without `as_of` the date is unknown; without `source` too, the dataset has none for it. */
export type DataAge = {
  group: DataGroup;
  family?: 'ipv4' | 'ipv6';
  source?: string;
  as_of?: string;
};
export type DataGroup = 'prefix' | 'country' | FlagSubject;
export type FeedState = { id: string; fetched_at?: string; failures: number; error?: string };
/** `never`: there was none yet. `error` is for administrators only. */
export type UpdateState = Omit<Partial<UpdateReport>, 'outcome' | 'refused' | 'paused'> & {
  outcome: UpdateReport['outcome'] | 'never';
  /** Feeds that the last update did not use, also if it failed; `problem` says so in a sentence. */
  refused: Refusal[];
  /** Those of them whose server asked to wait until then. */
  paused?: { id: string; until: string }[];
  schedule: UpdateSchedule;
};
/**
 * `pull`: versions come from a static host. Without `interval_seconds` nothing happens by itself.
 * `setting` is WHENCE_UPDATE; without `decided_by` no administrator has decided yet.
 */
type UpdateSchedule = {
  kind: 'build' | 'pull';
  interval_seconds?: number;
  decided_by?: 'setting' | 'administrator';
  can_start: boolean;
};

/** Files for other programs, and which keys have downloaded them in the last 30 days. */
export type DatabasesPage = {
  files: {
    name: string;
    edition: string;
    version: number;
    is_current: boolean;
    built_at: string;
    bytes: number;
  }[];
  /**
   * `last_hour` is when the last of them began, to the hour. `is_current`: of the version that is
   * offered now.
   */
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
