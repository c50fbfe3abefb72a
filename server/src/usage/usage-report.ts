/** Stored usage as the dashboard shows it: a line per group and day. */
import type {
  UsageRange,
  UsageScope,
  UsageStore,
  UsageSum,
} from '../storage/stores/usage-store.ts';
import type { UsageGroup } from '../vocabulary.ts';

/** Lines of a chart. All other groups are one more line, `other`. */
const MAX_SERIES = 20;

type LabelsOf = (ids: readonly string[]) => Promise<(id: string) => string>;
type UsageSeries = { id: string; label: string; total: number; values: number[] };
type UsageReport = {
  series: UsageSeries[];
  counts: RequestCounts;
  /** API requests, which the series add up to. */
  total: number;
  client_errors: number;
  server_errors: number;
};

/**
 * API requests with and without a valid key, and lookups in the dashboard, which are no API
 * requests. Every page that counts requests of days takes them from here.
 */
type RequestCounts = { with_key: number; without_key: number; in_dashboard: number };

export async function requestCounts(store: UsageStore, range: UsageRange): Promise<RequestCounts> {
  const sum = async (scope: UsageScope) => sumOf(await store.sums({ ...range, scope }, 'status'));
  const [all, without_key, in_dashboard] = await Promise.all([
    sum('api'),
    sum('keyless'),
    sum('dashboard'),
  ]);
  return { with_key: all - without_key, without_key, in_dashboard };
}

/**
 * API requests of a range, grouped, with totals. `days` are the days of the range in order. Labels
 * are read for shown groups only.
 */
export async function usageSeries(
  store: UsageStore,
  range: UsageRange,
  { by, days, labelsOf }: { by: UsageGroup; days: readonly string[]; labelsOf: LabelsOf },
): Promise<UsageReport> {
  const api = { ...range, scope: 'api' } as const;
  const [series, statuses, counts] = await Promise.all([
    seriesOf(store.sumPages(api, by), days, labelsOf),
    store.sums(api, 'status'),
    requestCounts(store, range),
  ]);
  const ofClass = (wanted: string) => sumOf(statuses.filter(({ group }) => group === wanted));
  return {
    series,
    counts,
    total: sumOf(statuses),
    client_errors: ofClass('4'),
    server_errors: ofClass('5'),
  };
}

const sumOf = (sums: readonly UsageSum[]) =>
  sums.reduce((total, { requests }) => total + requests, 0);

async function seriesOf(
  pages: AsyncIterable<UsageSum[]>,
  days: readonly string[],
  labelsOf: LabelsOf,
): Promise<UsageSeries[]> {
  const position = new Map(days.map((day, i) => [day, i]));
  const groups = new Map<string, number[]>();
  for await (const sums of pages) {
    for (const { day, group, requests } of sums) {
      const values = groups.get(group) ?? new Array<number>(days.length).fill(0);
      const i = position.get(day) ?? 0;
      values[i] = (values[i] ?? 0) + requests;
      groups.set(group, values);
    }
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const all = [...groups].map(([id, values]) => ({ id, total: total(values), values }));
  all.sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1));
  const rest = all.splice(MAX_SERIES);
  const label = await labelsOf(all.map(({ id }) => id));
  const series = all.map((row) => ({ ...row, label: label(row.id) }));
  if (rest.length > 0) {
    const values = days.map((_, i) => rest.reduce((sum, row) => sum + (row.values[i] ?? 0), 0));
    series.push({
      id: 'other',
      label: rest.length === 1 ? '1 other' : `${rest.length} others`,
      total: total(values),
      values,
    });
  }
  return series;
}
