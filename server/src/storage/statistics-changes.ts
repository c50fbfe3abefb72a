// Statistics are increments, and a repeated batch must not be added twice: its number is stored in
// the same transaction. A repetition waits for its writer's row while the first attempt is running,
// and then finds the number.
import { dayNumber } from '../day.ts';
import type { FirstUse, RefusalCount, Refused } from './stores/key-store.ts';

/** The numbers of a writer increase; a repeated batch keeps its number and its content. */
export type Batch = { readonly writer: string; readonly number: number };

export type UsageRow = {
  readonly keyId: string;
  readonly day: string;
  readonly endpoint: string;
  readonly statusClass: number;
  readonly requests: number;
};

/** What happened to a key since the last time. */
export type KeyUse = {
  readonly lastUsedAt?: Date;
  /** Client address of a request about that time. */
  readonly lastUsedFrom?: string;
  readonly firstUse?: FirstUse;
  readonly refused?: Refused;
  readonly refusals?: readonly RefusalCount[];
  /** Requests by hour, its start. They are in rows of `usage` as well. */
  readonly hours?: ReadonlyMap<number, number>;
  /**
   * Requests of the last day with any, for the order of the list of keys. They are in rows of
   * `usage` as well.
   */
  readonly lastDay?: { readonly day: string; readonly requests: number };
};

/** `hour` is its start, in milliseconds since 1970. */
export type TrafficRow = {
  readonly hour: number;
  readonly counter: string;
  readonly count: number;
};

/** Each adds a batch to what is stored; nothing for a batch that is stored already. */
export type StatisticsChanges = {
  /**
   * Also adds to the keys' own rows: the latest use, the earliest first use, and refused requests.
   */
  addUsage(
    batch: Batch,
    rows: readonly UsageRow[],
    uses: ReadonlyMap<string, KeyUse>,
  ): Promise<void>;
  addTraffic(batch: Batch, rows: readonly TrafficRow[]): Promise<void>;
};

const DAY_RANK = 2 ** 32;

/** SQL that moves a key's times and counts by a row of `seen`. */
export const KEY_USE_CHANGES = (() => {
  const isLater =
    '(keys.last_used_at < seen.used_at or (keys.last_used_at is null and seen.used_at is not null))';
  const isFirst =
    '(keys.first_used_at > seen.first_at or (keys.first_used_at is null and seen.first_at is not null))';
  const isRefusedLater = `(keys.last_refused_at < seen.refused_at or
    (keys.last_refused_at is null and seen.refused_at is not null))`;
  return `last_used_at = case when ${isLater} then seen.used_at else keys.last_used_at end,
    last_used_from = case when ${isLater} then coalesce(seen.used_from, keys.last_used_from)
      else keys.last_used_from end,
    first_used_at = case when ${isFirst} then seen.first_at else keys.first_used_at end,
    first_used_from = case when ${isFirst} then seen.first_from else keys.first_used_from end,
    first_used_status = case when ${isFirst} then seen.first_status else keys.first_used_status end,
    refused_requests = keys.refused_requests + seen.refused,
    last_refused_at = case when ${isRefusedLater} then seen.refused_at else keys.last_refused_at end,
    last_refused_from = case when ${isRefusedLater} then coalesce(seen.refused_from, keys.last_refused_from)
      else keys.last_refused_from end,
    day_requests = case when keys.day_requests < seen.day_rank then seen.day_rank + seen.requests
      when keys.day_requests < seen.day_rank + ${DAY_RANK} then keys.day_requests + seen.requests
      else keys.day_requests end`;
})();

export const usageRows = (rows: readonly UsageRow[]) =>
  rows.map(({ keyId, statusClass, ...row }) => ({
    ...row,
    key_id: keyId,
    status_class: statusClass,
  }));

export function keyUseRow(
  id: string,
  { lastUsedAt, lastUsedFrom, firstUse, refused, lastDay }: KeyUse,
) {
  return {
    id,
    used_at: lastUsedAt?.getTime() ?? null,
    used_from: lastUsedFrom ?? null,
    first_at: firstUse?.at.getTime() ?? null,
    first_from: firstUse?.from ?? null,
    first_status: firstUse?.status ?? null,
    refused: refused?.requests ?? 0,
    refused_at: refused?.lastAt.getTime() ?? null,
    refused_from: refused?.lastFrom ?? null,
    day_rank: lastDay === undefined ? 0 : dayRankOf(lastDay.day),
    requests: lastDay?.requests ?? 0,
  };
}

export const HOUR_CHANGES = (() => {
  const isLater = 'excluded.last_at >= key_hours.last_at';
  return `requests = key_hours.requests + excluded.requests,
    last_at = case when ${isLater} then excluded.last_at else key_hours.last_at end,
    detail = case when ${isLater} then excluded.detail else key_hours.detail end`;
})();

export function hourRows(uses: ReadonlyMap<string, KeyUse>) {
  return [...uses].flatMap(([key_id, { refusals = [], hours = [] }]) => [
    ...[...hours].map(([hour, requests]) => ({
      key_id,
      hour,
      reason: '',
      requests,
      last_at: hour,
      detail: null,
    })),
    ...refusals.map(({ hour, reason, requests, lastAt, detail }) => ({
      key_id,
      hour,
      reason,
      requests,
      last_at: lastAt.getTime(),
      detail: detail ?? null,
    })),
  ]);
}

const dayRankOf = (day: string) => dayNumber(day) * DAY_RANK;
