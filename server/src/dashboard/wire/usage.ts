/** Statistics as the dashboard shows them: usage by key, traffic of the whole API, the overview. */
import type { UsageGroup } from '../../vocabulary.ts';
import type { UpdateState } from './dataset.ts';
import type { KeySummary } from './keys.ts';
import type { DatasetLimits } from './lookups.ts';

/** `status_class` is 2 for 200 to 299, and so on. */
export type UsageRow = { day: string; endpoint: string; status_class: number; requests: number };
export type KeyUsage = { from: string; to: string; rows: UsageRow[] };

/** `values` has a number per entry of `days`. By key: the twenty largest, then one with the id `other`. */
export type UsageSeries = {
  from: string;
  to: string;
  by: UsageGroup;
  days: string[];
  series: { id: string; label: string; total: number; values: number[] }[];
  total: number;
  /** Answered with 4xx. */
  client_errors: number;
  /** Answered with 5xx. */
  server_errors: number;
};

/** The API as a whole, by hour: administrators only. */
export type Traffic = {
  hours: TrafficHour[];
  latency: Latency;
  cache: { hits: number; misses: number };
  refused: Refused;
  unavailable: Unavailable;
};
/** `hour` is the start, as `2026-08-01T13:00:00Z`. */
type TrafficHour = {
  hour: string;
  requests: number;
  refused: number;
  server_errors: number;
  p50_ms: number;
  p99_ms: number;
};
/** Estimates from a histogram; 0 without requests. */
type Latency = { p50_ms: number; p90_ms: number; p99_ms: number };
/** Answered with 503 because something else was down; `other` is storage or the dataset. */
export type Unavailable = { dns: number; other: number };
export type Refused = { unauthorized: number; forbidden: number; rate_limited: number; overloaded: number };

export type Overview = {
  /** Requests of the visible keys and the account. */
  today: { requests: number };
  yesterday: { requests: number };
  /** The most used share of the limit first; at most ten, from 80 % on. */
  keys_near_limit: KeySummary[];
  top_keys: { id: string; label: string; requests: number }[];
  dataset?: {
    version: number;
    built_at: string;
    /** Date of the oldest source that decides prefixes or countries. */
    data_as_of?: string;
    limits: DatasetLimits;
  };
  update: UpdateState;
  /** Steps of a first run that are left; absent when all are done. */
  first_run?: FirstRun;
  /** Administrators only. */
  traffic?: TrafficOverview;
  /** Administrators only. */
  networks?: TopNetworks;
};
/**
 * Networks that the looked-up addresses belong to, today and yesterday (UTC): ten, the largest first, of `lookups` in
 * all. Estimates where a process has more than 1,000 lookups in ten seconds.
 */
export type TopNetworks = {
  lookups: number;
  top: { asn: number; name: string; lookups: number }[];
  /** By the country in which a network is registered, `ZZ` if it is not known. */
  countries: { country: string; lookups: number }[];
};
/** Compares equal spans of time; `before` is an estimate, because traffic is stored by hour. */
type TrafficOverview = {
  /** 24 hours until now. */
  last_day: TrafficTotals;
  /** Refused requests of the last 24 hours, and of the 24 hours before. */
  refused: { now: number; before: number };
  /** Since 00:00 UTC, and until the same time of yesterday. */
  requests_today: { now: number; before: number };
};
/** Whether the account has looked something up, has a key that was used, and the dataset has live data. */
export type FirstRun = { has_looked_up: boolean; has_used_key: boolean; has_live_data: boolean };
export type TrafficTotals = {
  requests: number;
  refused: Refused;
  unavailable: Unavailable;
  latency: Latency;
  cache: { hits: number; misses: number };
};
