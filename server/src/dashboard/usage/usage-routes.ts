/** Statistics: what keys and accounts asked for by day, and the API as a whole by hour. */
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import type { NetworkSum } from '../../storage/network-store.ts';
import type { TrafficRow } from '../../storage/traffic-store.ts';
import type { UsageSum } from '../../storage/usage-store.ts';
import { OTHER_NETWORKS } from '../../usage/networks.ts';
import { KEPT_HOURS, percentileMs, sumTraffic, type TrafficSums } from '../../usage/traffic.ts';
import { VisibleKeys } from '../keys/visible-keys.ts';
import { PUBLIC_USAGE_ID } from '../look-up/lookup-limits.ts';
import type { RouteParts } from '../parts.ts';
import type { Ask, Rows } from '../requests/ask.ts';
import { parseChoice, parseCount } from '../requests/parameters.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import { EXPORT_FORMATS, sendFile } from '../requests/text-file.ts';
import type { Latency, TopNetworks, TrafficHour, TrafficTotals, UsageBy, UsageQuery } from '../wire.ts';
import { dayBefore, parseDays } from './day-range.ts';

type Names = 'getOverview' | 'getUsage' | 'exportUsage' | 'getTraffic';

const GROUPS: readonly UsageBy[] = ['key', 'endpoint', 'status'];
/** Lines of a chart: the rest is one more, `other`. */
const MAX_SERIES = 20;
const TOP_KEYS = 10;
const TOP_NETWORKS = 10;
const NEAR_LIMIT = 0.8;
const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;
const EXPORT_COLUMNS = ['day', 'key_id', 'key', 'endpoint', 'status_class', 'requests'];

export function usageRoutes({ storage, accounts, live }: RouteParts): Rows<Names> {
  const visible = new VisibleKeys(storage, accounts);

  /** The keys that are asked for, as far as the account may see them; undefined for all. */
  const keyIdsOf = async (ask: Pick<Ask<'getUsage'>, 'session'>, key: string | undefined) => {
    const own = await visible.usageIds(ask.session.account);
    if (key === undefined || key === '') return own;
    if (own !== undefined && !own.includes(key)) throw new DashboardRefusal('NOT_FOUND');
    return [key];
  };
  const labels = async () => {
    const [keys, people] = await Promise.all([storage.keys.list(), accounts.list()]);
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    for (const { id, name } of people) names.set(`account:${id}`, `${name} (dashboard)`);
    names.set(PUBLIC_USAGE_ID, 'without an account');
    return (id: string) => names.get(id) ?? id;
  };
  const rangeOf = async (ask: Pick<Ask<'getUsage'>, 'session' | 'now'> & { query: TextQuery }) => {
    const days = parseDays(ask.query, ask.now);
    const keyIds = await keyIdsOf(ask, ask.query.key);
    return { ...days, range: { from: days.from, to: days.to, ...(keyIds === undefined ? {} : { keyIds }) } };
  };

  return {
    getUsage: {
      access: 'viewer',
      handler: async (ask) => {
        const by = parseChoice('/by', ask.query.by, GROUPS) ?? 'endpoint';
        const { from, to, days, range } = await rangeOf(ask);
        const [sums, statuses] = await Promise.all([
          storage.usage.sums(range, by),
          storage.usage.sums(range, 'status'),
        ]);
        const ofClass = (wanted: string) => sumOf(statuses.filter(({ group }) => group === wanted));
        const label = by === 'key' ? await labels() : (id: string) => (by === 'status' ? `${id}xx` : id);
        return {
          from,
          to,
          by,
          days,
          series: seriesOf(sums, days, label),
          total: sumOf(statuses),
          client_errors: ofClass('4'),
          server_errors: ofClass('5'),
        };
      },
    },
    exportUsage: {
      access: 'viewer',
      handler: async (ask) => {
        const format = parseChoice('/format', ask.query.format, EXPORT_FORMATS) ?? 'csv';
        const { from, to, range } = await rangeOf(ask);
        const label = await labels();
        const rows = await storage.usage.rows(range);
        const table = rows.map(({ keyId, day, endpoint, statusClass, requests }) => ({
          day,
          key_id: keyId,
          key: label(keyId),
          endpoint,
          status_class: statusClass,
          requests,
        }));
        return sendFile(ask.reply, `whence-usage-${from}-${to}`, format, EXPORT_COLUMNS, table);
      },
    },
    getTraffic: {
      access: 'admin',
      handler: async ({ query, now }) => {
        const count = Math.max(1, parseCount('/hours', query.hours, DEFAULT_HOURS, KEPT_HOURS));
        const lastHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
        const rows = await storage.traffic.since(lastHour - (count - 1) * HOUR_MS);
        const { latency, cache, refused } = sumTraffic(rows);
        return { hours: hoursOf(rows, lastHour, count), latency: latencyOf(latency), cache, refused };
      },
    },
    getOverview: {
      access: 'viewer',
      handler: async ({ session, now }) => {
        const { account } = session;
        const keyIds = await visible.usageIds(account);
        const own = keyIds === undefined ? {} : { keyIds };
        const [today, yesterday] = [dayBefore(now, 0), dayBefore(now, 1)];
        const [sums, label, keys] = await Promise.all([
          storage.usage.sums({ from: yesterday, to: today, ...own }, 'key'),
          labels(),
          visible.list(account),
        ]);
        const facts = await visible.facts(keys, now);
        const summaries = await visible.describe(
          keys.filter(({ id, revokedAt }) => revokedAt === undefined && (facts.usedToday.get(id) ?? 0) > 0),
          keys,
          facts,
        );
        const share = ({ quota }: (typeof summaries)[number]) => (quota.limit === null ? 0 : quota.used / quota.limit);
        const ofToday = sums.filter(({ day }) => day === today);
        const served = live.current;
        return {
          today: { requests: sumOf(ofToday) },
          yesterday: { requests: sumOf(sums.filter(({ day }) => day === yesterday)) },
          keys_near_limit: summaries
            .filter((key) => share(key) >= NEAR_LIMIT)
            .sort((a, b) => share(b) - share(a))
            .slice(0, TOP_KEYS),
          top_keys: ofToday
            .sort((a, b) => b.requests - a.requests)
            .slice(0, TOP_KEYS)
            .map(({ group, requests }) => ({ id: group, label: label(group), requests })),
          ...(served === undefined
            ? {}
            : {
                dataset: {
                  version: served.version,
                  built_at: served.dataset.meta.built_at,
                  age_seconds: Math.max(0, Math.floor((now.getTime() - served.builtAtMs) / 1000)),
                  refused: [...served.dataset.meta.refused],
                },
              }),
          ...(account.role === 'admin'
            ? { traffic: await lastTwoDays(now), networks: topNetworks(await storage.networks.since(yesterday), live) }
            : {}),
        };
      },
    },
  };

  async function lastTwoDays(now: Date) {
    const border = now.getTime() - 24 * HOUR_MS;
    const rows = await storage.traffic.since(border - 24 * HOUR_MS);
    return {
      last_day: totalsOf(sumTraffic(rows.filter(({ hour }) => hour > border))),
      day_before: totalsOf(sumTraffic(rows.filter(({ hour }) => hour <= border))),
    };
  }
}

function topNetworks(sums: readonly NetworkSum[], { current }: LiveDataset): TopNetworks {
  const nameOf = (asn: number) => current?.dataset.asn(asn)?.asn_name ?? '';
  return {
    look_ups: sums.reduce((total, { lookUps }) => total + lookUps, 0),
    top: sums
      .filter(({ asn }) => asn !== OTHER_NETWORKS)
      .slice(0, TOP_NETWORKS)
      .map(({ asn, lookUps }) => ({ asn, name: nameOf(asn), look_ups: lookUps })),
  };
}

type TextQuery = { [Key in keyof UsageQuery]?: string };

const sumOf = (sums: readonly UsageSum[]) => sums.reduce((total, { requests }) => total + requests, 0);

/** The largest first. */
function seriesOf(sums: readonly UsageSum[], days: readonly string[], label: (id: string) => string) {
  const position = new Map(days.map((day, i) => [day, i]));
  const groups = new Map<string, number[]>();
  for (const { day, group, requests } of sums) {
    const values = groups.get(group) ?? new Array<number>(days.length).fill(0);
    const i = position.get(day) ?? 0;
    values[i] = (values[i] ?? 0) + requests;
    groups.set(group, values);
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const series = [...groups].map(([id, values]) => ({ id, label: label(id), total: total(values), values }));
  series.sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1));
  const rest = series.splice(MAX_SERIES);
  if (rest.length > 0) {
    const values = days.map((_, i) => rest.reduce((sum, one) => sum + (one.values[i] ?? 0), 0));
    series.push({ id: 'other', label: `${rest.length} others`, total: total(values), values });
  }
  return series;
}

function hoursOf(rows: readonly TrafficRow[], lastHour: number, count: number): TrafficHour[] {
  const byHour = new Map<number, TrafficRow[]>();
  for (const row of rows) byHour.set(row.hour, [...(byHour.get(row.hour) ?? []), row]);
  return Array.from({ length: count }, (_, i) => {
    const hour = lastHour - (count - 1 - i) * HOUR_MS;
    const { requests, refused, serverErrors, latency } = sumTraffic(byHour.get(hour) ?? []);
    return {
      hour: new Date(hour).toISOString().replace('.000Z', 'Z'),
      requests,
      refused: refused.unauthorized + refused.forbidden + refused.rate_limited + refused.overloaded,
      server_errors: serverErrors,
      p50_ms: percentileMs(latency, 0.5),
      p99_ms: percentileMs(latency, 0.99),
    };
  });
}

function totalsOf({ requests, refused, latency, cache }: TrafficSums): TrafficTotals {
  return { requests, refused, latency: latencyOf(latency), cache };
}

function latencyOf(latency: ReadonlyMap<number, number>): Latency {
  return {
    p50_ms: percentileMs(latency, 0.5),
    p90_ms: percentileMs(latency, 0.9),
    p99_ms: percentileMs(latency, 0.99),
  };
}
