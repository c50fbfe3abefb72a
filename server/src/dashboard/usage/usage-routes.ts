/** Statistics: requests of keys and accounts by day, and traffic of the whole API by hour. */
import { dataAsOf, threatGaps } from '@whence/dataset/data-age';
import type { Account } from '../../accounts/account.ts';
import { dayBefore, dayOfMs } from '../../day.ts';
import type { Key } from '../../keys/key.ts';
import { TIERS } from '../../keys/tiers.ts';
import type { CostQueue } from '../../limits/cost-classes.ts';
import type { LiveDataset, ServedDataset } from '../../lookup/live-dataset.ts';
import type { UsageRow } from '../../storage/statistics-changes.ts';
import type { Storage } from '../../storage/storage.ts';
import { KEPT_HOURS } from '../../usage/traffic.ts';
import {
  decisionFigures,
  decisionsToday,
  refusedOfLastDay,
  trafficByHour,
} from '../../usage/traffic-report.ts';
import { requestCounts, usageSeries } from '../../usage/usage-report.ts';
import { KEYLESS_USAGE_ID, PUBLIC_USAGE_ID, usageIdOf } from '../../usage-ids.ts';
import { EXPORT_FORMATS, mayDo, USAGE_GROUPS } from '../../vocabulary.ts';
import { type UpdateSources, updateState } from '../data/dataset-routes.ts';
import { type HeldQuota, VisibleKeys } from '../keys/visible-keys.ts';
import { limitsOf } from '../lookup/dataset-answers.ts';
import { type Ask, EXPORT, forAdmins, forViewers, type Rows, route } from '../requests/ask.ts';
import { parseDays } from '../requests/day-range.ts';
import { DashboardRefusal, parseChoice, parseCount } from '../requests/refusal.ts';
import { sendFile } from '../requests/text-file.ts';
import type { FirstRun, Overview } from '../wire/usage.ts';

const TOP_KEYS = 10;
const NEAR_LIMIT = 0.8;
const DEFAULT_HOURS = 24;
const EXPORT_COLUMNS = ['day', 'key_id', 'key', 'endpoint', 'status_class', 'requests'];

type UsageSources = UpdateSources & {
  readonly storage: Storage;
  readonly quota: HeldQuota;
  readonly live: Pick<LiveDataset, 'current' | 'isFallback'>;
  /** Undefined without WHENCE_RULES. */
  readonly rules: object | undefined;
};

export function usageRoutes(sources: UsageSources, exports: CostQueue) {
  const { storage, quota, live, rules } = sources;
  const visible = new VisibleKeys(storage, quota);

  /** The requested keys that the account may see; undefined for all keys. */
  const keyIdsOf = async (ask: Pick<Ask<'getUsage'>, 'session'>, key: string | undefined) => {
    const own = await visible.usageIds(ask.session.account);
    if (key === undefined || key === '') return own;
    if (own !== undefined && !own.includes(key)) throw new DashboardRefusal('NOT_FOUND');
    return [key];
  };
  /** Names of these keys and accounts. */
  const labels = async (ids: readonly string[]) => {
    const prefix = usageIdOf('');
    const accountIds = ids
      .filter((id) => id.startsWith(prefix))
      .map((id) => id.slice(prefix.length));
    const [keys, people] = await Promise.all([
      storage.keys.findAll(ids),
      storage.accounts.names(accountIds),
    ]);
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    for (const [id, name] of people) names.set(usageIdOf(id), `${name} (dashboard)`);
    names.set(PUBLIC_USAGE_ID, 'dashboard, without an account');
    names.set(KEYLESS_USAGE_ID, 'without a valid key');
    return (id: string) => names.get(id) ?? id;
  };
  const rangeOf = async (
    ask: Pick<Ask<'getUsage'>, 'session' | 'now'> & { query: Ask<'getUsage'>['query'] },
  ) => {
    const days = parseDays(ask.query, ask.now);
    const keyIds = await keyIdsOf(ask, ask.query.key);
    return {
      ...days,
      range: { from: days.from, to: days.to, ...(keyIds === undefined ? {} : { keyIds }) },
    };
  };

  return {
    getUsage: forViewers(async (ask) => {
      const by = parseChoice('/by', ask.query.by, USAGE_GROUPS) ?? 'endpoint';
      const { from, to, days, range } = await rangeOf(ask);
      const labelsOf =
        by === 'key' ? labels : async () => (id: string) => (by === 'status' ? `${id}xx` : id);
      return {
        from,
        to,
        by,
        days,
        ...(await usageSeries(storage.usage, range, { by, days, labelsOf })),
      };
    }),
    exportUsage: route('viewer', EXPORT, async (ask) => {
      const format = parseChoice('/format', ask.query.format, EXPORT_FORMATS) ?? 'csv';
      const { from, to, range } = await rangeOf(ask);
      const names = new Map<string, string>();
      const fileRows = async (page: UsageRow[]) => {
        // The same keys come back every day.
        const unseen = [...new Set(page.map(({ keyId }) => keyId))].filter((id) => !names.has(id));
        const label = unseen.length === 0 ? undefined : await labels(unseen);
        for (const id of unseen) names.set(id, label?.(id) ?? id);
        return page.map(({ keyId, day, endpoint, statusClass, requests }) => ({
          day,
          key_id: keyId,
          key: names.get(keyId) ?? keyId,
          endpoint,
          status_class: statusClass,
          requests,
        }));
      };
      const file = { name: `whence-usage-${from}-${to}`, format, columns: EXPORT_COLUMNS };
      return sendFile(ask, exports, file, storage.usage.rowPages(range), fileRows);
    }),
    getTraffic: forAdmins(({ query, now }) =>
      trafficByHour(
        storage.traffic,
        parseCount('/hours', query.hours, DEFAULT_HOURS, KEPT_HOURS),
        now,
      ),
    ),
    getOverview: forViewers(async ({ session, now }) => {
      const { account } = session;
      const keyIds = await visible.usageIds(account);
      const own = keyIds === undefined ? {} : { keyIds };
      const today = dayOfMs(now.getTime());
      const yesterday = dayBefore(now.getTime(), 1);
      const ofToday = { from: today, to: today, ...own };
      const sums = await storage.usage.sums({ ...ofToday, scope: 'api' }, 'key');
      const top = sums.sort((a, b) => b.requests - a.requests).slice(0, TOP_KEYS);
      const label = await labels(top.map(({ group }) => group));
      const summaries = await visible.describe(await busyKeys(account, today), now);
      const share = ({ quota }: (typeof summaries)[number]) =>
        quota.limit === null ? 0 : quota.used / quota.limit;
      const busiest = summaries
        .filter((key) => key.state === 'active' && share(key) >= NEAR_LIMIT)
        .sort((a, b) => share(b) - share(a));
      const spent = busiest.filter((key) => share(key) >= 1).length;
      const served = live.current;
      const firstRun = await firstRunOf(account, { storage, visible, served }, now);
      return {
        today: await requestCounts(storage.usage, ofToday),
        yesterday: await requestCounts(storage.usage, { from: yesterday, to: yesterday, ...own }),
        keys_near_limit: busiest.slice(0, TOP_KEYS),
        limits: { spent, near: busiest.length - spent },
        top_keys: top.map(({ group, requests }) => ({ id: group, label: label(group), requests })),
        ...(served === undefined ? {} : { dataset: describeServed(served, now) }),
        update: await updateState(sources, account.role),
        ...(firstRun === undefined ? {} : { first_run: firstRun }),
        ...(rules === undefined
          ? {}
          : { decisions_today: decisionFigures(await decisionsToday(storage.traffic, now)) }),
        ...(account.role === 'admin'
          ? { refused: await refusedOfLastDay(storage.traffic, now) }
          : {}),
      };
    }),
  } satisfies Rows;

  /** Active keys that have used most of their daily limit. */
  async function busyKeys(account: Account, today: string): Promise<Key[]> {
    const taken = await storage.leases.takenOn(today);
    const least = Math.min(...Object.values(TIERS).map(({ requestsPerDay }) => requestsPerDay));
    const low = new Set(await storage.keys.idsWithLimitBelow(least));
    const candidates = [...taken]
      .filter(([id, count]) => count >= NEAR_LIMIT * least || low.has(id))
      .map(([id]) => id);
    return (await visible.findAll(account, candidates)).filter(
      ({ revokedAt }) => revokedAt === undefined,
    );
  }
}

function describeServed(
  { version, dataset }: ServedDataset,
  now: Date,
): NonNullable<Overview['dataset']> {
  const data_as_of = dataAsOf(dataset.meta);
  return {
    version,
    built_at: dataset.meta.built_at,
    ...(data_as_of === undefined ? {} : { data_as_of }),
    limits: limitsOf(dataset, now, threatGaps(dataset.meta, dataset.day).ipv4),
  };
}

type FirstRunSources = {
  readonly storage: Pick<Storage, 'usage'>;
  readonly visible: VisibleKeys;
  readonly served: ServedDataset | undefined;
};

/** What is done of the first steps after an installation, for people who can create keys. */
async function firstRunOf(
  account: Account,
  { storage, visible, served }: FirstRunSources,
  now: Date,
): Promise<FirstRun | undefined> {
  if (!mayDo(account.role, 'member')) return undefined;
  const has_live_data = Object.values(served?.dataset.meta.flag_sources ?? {}).some(
    ({ from }) => from === 'feeds',
  );
  const [lookups, lastUsed] = await Promise.all([
    storage.usage.ofKey(usageIdOf(account.id)),
    visible.page(account, { sort: 'last_used_at', order: 'desc', limit: 1 }, now),
  ]);
  const has_looked_up = lookups.length > 0;
  const has_used_key = lastUsed.keys.some(({ last_used_at }) => last_used_at !== undefined);
  return { has_looked_up, has_used_key, has_live_data };
}
