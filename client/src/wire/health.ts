/** Liveness and readiness of a server. */
import type { FlagSubject } from './dataset.ts';

export type HealthReport = { status: 'ok' };

/** `ok`, for the dataset also `stale`; while not ready, the reason. */
export type ReadyChecks = { dataset: string; storage: string };
export type ReadyReport = {
  status: 'ready';
  checks: ReadyChecks;
  dataset_version: number;
  dataset_age_seconds: number;
  /** The oldest source that decides prefixes or countries, and its age. */
  data_as_of?: string;
  data_age_seconds?: number;
  /** Flags that no source of the dataset knows: false everywhere, until an update brings a list. */
  unknown_flags: FlagSubject[];
  /** Flags that change daily and are from tables of a past date, until an update brings a list. */
  dated_flags: FlagSubject[];
};
