/** Statistics as the dashboard shows them: usage by key, traffic of the whole API, the overview. */
import type { DecisionFigures, trafficByHour } from '../../usage/traffic-report.ts';
import type { requestCounts, usageSeries } from '../../usage/usage-report.ts';
import type { UsageGroup } from '../../vocabulary.ts';
import type { UpdateState } from './dataset.ts';
import type { KeySummary } from './keys.ts';
import type { DatasetLimits } from './lookups.ts';

/**
 * `values` has a number per entry of `days`. By key: the twenty largest, then one with the id
 * `other`.
 */
export type UsageSeries = { from: string; to: string; by: UsageGroup; days: string[] } & Awaited<
  ReturnType<typeof usageSeries>
>;

/** The API as a whole, by hour: administrators only. Times are estimates from a histogram. */
export type Traffic = Awaited<ReturnType<typeof trafficByHour>>;

/** Requests of a range of days: API requests with and without a valid key, and lookups here. */
export type RequestCounts = Awaited<ReturnType<typeof requestCounts>>;

export type Overview = {
  /** UTC days, of the keys that the account may see and of its own lookups. */
  today: RequestCounts;
  yesterday: RequestCounts;
  /** The most used share of the limit first; at most ten, from 80% on. */
  keys_near_limit: KeySummary[];
  /** All keys that have used their limit, and all others from 80% on. */
  limits: { spent: number; near: number };
  top_keys: { id: string; label: string; requests: number }[];
  dataset?: {
    version: number;
    built_at: string;
    /** Date of the oldest source that decides prefixes or countries. */
    data_as_of?: string;
    limits: DatasetLimits;
  };
  /**
   * Answers of `/v1/decide` since 00:00 UTC; absent without rules. `observed` would have been
   * denied.
   */
  decisions_today?: DecisionFigures;
  update: UpdateState;
  /** First steps after an installation; absent for people who cannot create keys. */
  first_run?: FirstRun;
  /** Refused API requests of 24 hours, and of the 24 before. Administrators only. */
  refused?: { now: number; before: number };
};
/**
 * Whether the account has looked something up, has a key that was used, and the dataset has live
 * data.
 */
export type FirstRun = { has_looked_up: boolean; has_used_key: boolean; has_live_data: boolean };
