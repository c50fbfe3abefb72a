/**
 * Statistics of all processes: requests by key, day, endpoint and status class, and counters of the
 * API by hour.
 */

import { type RawBuilder, sql } from 'kysely';
import { DAY_MS, dayOfMs } from '../../day.ts';
import { ACCOUNT_USAGE_PREFIX, KEYLESS_USAGE_ID, PUBLIC_USAGE_ID } from '../../usage-ids.ts';
import type { UsageGroup } from '../../vocabulary.ts';
import type { Db } from '../schema.ts';
import type { StatisticsChanges, TrafficRow, UsageRow } from '../statistics-changes.ts';
import { pruneRows } from '../tables.ts';

/** API requests, those of them without a valid key, and lookups in the dashboard. */
export type UsageScope = 'api' | 'keyless' | 'dashboard';

export type UsageRange = {
  readonly from: string;
  readonly to: string;
  readonly keyIds?: readonly string[];
  /** Everything if absent. */
  readonly scope?: UsageScope;
};
export type UsageSum = { readonly day: string; readonly group: string; readonly requests: number };

const GROUP_COLUMNS = { key: 'key_id', endpoint: 'endpoint', status: 'status_class' } as const;
/** Key ids of one statement: SQLite takes 32,766 parameters, PostgreSQL 65,535. */
const KEYS_PER_STATEMENT = 10_000;

/**
 * Rows of one result: about a millisecond to copy from the thread of SQLite and to format, which
 * other requests wait for.
 */
const ROWS_PER_PAGE = 500;

/**
 * Days of one statement that sums over all keys: with 100,000 keys a day it reads 3 million rows,
 * in a few seconds.
 */
const DAYS_PER_STATEMENT = 10;

export function usageStore(db: Db, statistics: StatisticsChanges, reads: Db) {
  return {
    add: (...given: Parameters<StatisticsChanges['addUsage']>) => statistics.addUsage(...given),
    async ofKey(keyId: string): Promise<UsageRow[]> {
      return reads
        .selectFrom('usage')
        .select(['key_id as keyId', 'day', 'endpoint', 'status_class as statusClass', 'requests'])
        .where('key_id', '=', keyId)
        .orderBy('day')
        .orderBy('endpoint')
        .orderBy('status_class')
        .execute();
    },
    /**
     * Sums by day and by what `by` names, from one day to another, both included; of all keys
     * unless some are named.
     */
    sums: (range: UsageRange, by: UsageGroup): Promise<UsageSum[]> =>
      collect(sumPages(reads, range, by)),
    /** The same in pages, for ranges of any size. */
    sumPages: (range: UsageRange, by: UsageGroup): AsyncIterable<UsageSum[]> =>
      sumPages(reads, range, by),
    /** Rows of these keys, or of all, by day. */
    rows: (range: UsageRange): Promise<UsageRow[]> => collect(rowPages(reads, range)),
    rowPages: (range: UsageRange): AsyncIterable<UsageRow[]> => rowPages(reads, range),
    prune: (beforeDay: string, limit: number): Promise<number> =>
      pruneRows(db, 'usage', 'day', beforeDay, limit),
  };
}

export type UsageStore = ReturnType<typeof usageStore>;

// A page continues on the last row's day, then later: in one condition, SQLite reads all rows
// before it again.
async function* pagesOf<Row extends { readonly day: string }>(
  { from, to }: Pick<UsageRange, 'from' | 'to'>,
  read: (where: RawBuilder<boolean>) => Promise<Row[]>,
  isAfter: (last: Row) => RawBuilder<boolean>,
): AsyncGenerator<Row[]> {
  let page = await read(sql`day >= ${from} and day <= ${to}`);
  for (;;) {
    yield page;
    const last = page.at(-1);
    if (last === undefined || (last.day === to && page.length < ROWS_PER_PAGE)) return;
    page = await read(sql`day = ${last.day} and ${isAfter(last)}`);
    if (page.length === 0) page = await read(sql`day > ${last.day} and day <= ${to}`);
  }
}

async function* rowPages(
  db: Db,
  { keyIds, ...range }: Omit<UsageRange, 'scope'>,
): AsyncGenerator<UsageRow[]> {
  for (const ids of parts(keyIds)) {
    const read = (where: RawBuilder<boolean>): Promise<UsageRow[]> =>
      ofKeys(db, ids)
        .select(['key_id as keyId', 'day', 'endpoint', 'status_class as statusClass', 'requests'])
        .where(where)
        .orderBy('day')
        .orderBy('key_id')
        .orderBy('endpoint')
        .orderBy('status_class')
        .limit(ROWS_PER_PAGE)
        .execute();
    yield* pagesOf(
      range,
      read,
      ({ keyId, endpoint, statusClass }) =>
        sql`(key_id, endpoint, status_class) > (${keyId}, ${endpoint}, ${typed(statusClass)})`,
    );
  }
}

async function* sumPages(
  db: Db,
  { from, to, keyIds, scope }: UsageRange,
  by: UsageGroup,
): AsyncGenerator<UsageSum[]> {
  const column = GROUP_COLUMNS[by];
  // Sums by key are read in the order of an index, so that a page ends early. The others read all
  // rows of their days.
  const ranges = by === 'key' ? [{ from, to }] : rangesOfDays(from, to);
  for (const ids of parts(keyIds)) {
    const read = (where: RawBuilder<boolean>) =>
      ofKeys(db, ids, scope)
        .select(['day', `${column} as group`])
        .select((eb) => eb.fn.sum<number>('requests').as('requests'))
        .where(where)
        .groupBy(['day', column])
        .orderBy('day')
        .orderBy(column)
        .limit(ROWS_PER_PAGE)
        .execute();
    for (const range of ranges) {
      const isAfter = ({ group }: { readonly group: string | number }) =>
        sql<boolean>`${sql.ref(column)} > ${typed(group)}`;
      // PostgreSQL sums bigint as numeric, which arrives as text.
      for await (const page of pagesOf(range, read, isAfter))
        yield page.map(({ day, group, requests }) => ({
          day,
          group: String(group),
          requests: Number(requests),
        }));
    }
  }
}

function rangesOfDays(from: string, to: string): { from: string; to: string }[] {
  const firstMs = Date.parse(from);
  const lastMs = Date.parse(to);
  const day = (ms: number) => dayOfMs(Math.min(ms, lastMs));
  const stepMs = DAYS_PER_STATEMENT * DAY_MS;
  return Array.from({ length: Math.floor((lastMs - firstMs) / stepMs) + 1 }, (_, i) => {
    const startMs = firstMs + i * stepMs;
    return { from: day(startMs), to: day(startMs + stepMs - DAY_MS) };
  });
}

const ofKeys = (db: Db, keyIds: readonly string[] | undefined, scope?: UsageScope) =>
  db
    .selectFrom('usage')
    .$if(keyIds !== undefined, (query) => query.where('key_id', 'in', keyIds ?? []))
    .$if(scope !== undefined, (query) => query.where(SCOPES[scope ?? 'api']));

const IS_DASHBOARD = sql<boolean>`(key_id = ${PUBLIC_USAGE_ID}
  or substr(key_id, 1, ${sql.lit(ACCOUNT_USAGE_PREFIX.length)}) = ${ACCOUNT_USAGE_PREFIX})`;
const SCOPES: Readonly<Record<UsageScope, RawBuilder<boolean>>> = {
  api: sql<boolean>`not ${IS_DASHBOARD}`,
  keyless: sql<boolean>`key_id = ${KEYLESS_USAGE_ID}`,
  dashboard: IS_DASHBOARD,
};

/** In a row comparison, PostgreSQL would treat an untyped number as text. */
const typed = (value: string | number | undefined) =>
  typeof value === 'number' ? sql`cast(${value} as integer)` : sql`${value}`;

async function collect<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
}

/** Lists that fit into a statement; one without a list for all keys. */
function parts(keyIds: readonly string[] | undefined): (readonly string[] | undefined)[] {
  if (keyIds === undefined) return [undefined];
  const count = Math.ceil(keyIds.length / KEYS_PER_STATEMENT);
  return Array.from({ length: count }, (_, i) =>
    keyIds.slice(i * KEYS_PER_STATEMENT, (i + 1) * KEYS_PER_STATEMENT),
  );
}

export function trafficStore(db: Db, statistics: StatisticsChanges, reads: Db) {
  return {
    add: (...given: Parameters<StatisticsChanges['addTraffic']>) => statistics.addTraffic(...given),
    since: (hour: number): Promise<TrafficRow[]> =>
      reads.selectFrom('traffic').selectAll().where('hour', '>=', hour).orderBy('hour').execute(),
    async prune(beforeHour: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('traffic')
        .where('hour', '<', beforeHour)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

export type TrafficStore = ReturnType<typeof trafficStore>;
