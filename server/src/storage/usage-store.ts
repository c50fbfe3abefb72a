/** Statistics in storage: requests by key, day, endpoint and status class, and when a key was used or refused. */
import type { RawBuilder } from 'kysely';
import { addOnce, type Batch } from './batch.ts';
import type { FirstUse, Refused } from './key-store.ts';
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

export type UsageRow = {
  readonly keyId: string;
  readonly day: string;
  readonly endpoint: string;
  readonly statusClass: number;
  readonly requests: number;
};

/** What happened to a key since the last time. */
export type KeyUse = { readonly lastUsedAt?: Date; readonly firstUse?: FirstUse; readonly refused?: Refused };

export type UsageStore = {
  /**
   * Adds to what is stored, and to what is known of these keys: the time of last use moves forward, the first use is the
   * earliest that was reported, refused requests are added up. All of it, or nothing; nothing for a batch that is stored
   * already.
   */
  add(batch: Batch, rows: readonly UsageRow[], uses: ReadonlyMap<string, KeyUse>): Promise<void>;
  ofKey(keyId: string): Promise<UsageRow[]>;
  /** Sums by day and by what `by` names, from one day to another, both included; of all keys unless some are named. */
  sums(range: UsageRange, by: UsageGroup): Promise<UsageSum[]>;
  /** Rows of these keys, or of all. */
  rows(range: UsageRange): Promise<UsageRow[]>;
  /** Removes rows of days before this one, at most `limit`, and returns how many. */
  prune(beforeDay: string, limit: number): Promise<number>;
};

export type UsageRange = { readonly from: string; readonly to: string; readonly keyIds?: readonly string[] };
export type UsageGroup = 'key' | 'endpoint' | 'status';
export type UsageSum = { readonly day: string; readonly group: string; readonly requests: number };

const GROUP_COLUMNS = { key: 'key_id', endpoint: 'endpoint', status: 'status_class' } as const;
/** Key ids of one statement: SQLite takes 32,766 parameters, PostgreSQL 65,535. */
const KEYS_PER_STATEMENT = 10_000;

/** Rows of one statement: seven parameters each at most, well below the limit of either engine. */
const ROWS_PER_STATEMENT = 500;

export function usageStore(db: Db, now: RawBuilder<number>): UsageStore {
  return {
    async add(batch, rows, uses) {
      // In one order, so that no two processes wait for each other's rows.
      const sorted = [...rows].sort((a, b) => compare(a.keyId, b.keyId) || compare(a.endpoint, b.endpoint));
      const seen = [...uses].sort(([a], [b]) => compare(a, b));
      await addOnce(db, now, batch, async (transaction) => {
        for (let i = 0; i < sorted.length; i += ROWS_PER_STATEMENT) {
          const values = sorted.slice(i, i + ROWS_PER_STATEMENT).map((row) => ({
            key_id: row.keyId,
            day: row.day,
            endpoint: row.endpoint,
            status_class: row.statusClass,
            requests: row.requests,
          }));
          await transaction
            .insertInto('usage')
            .values(values)
            .onConflict((conflict) =>
              conflict
                .columns(['key_id', 'day', 'endpoint', 'status_class'])
                .doUpdateSet({ requests: sql<number>`usage.requests + excluded.requests` }),
            )
            .execute();
        }
        for (let i = 0; i < seen.length; i += ROWS_PER_STATEMENT) {
          await addUses(transaction, seen.slice(i, i + ROWS_PER_STATEMENT));
        }
      });
    },
    async ofKey(keyId) {
      return db
        .selectFrom('usage')
        .select(['key_id as keyId', 'day', 'endpoint', 'status_class as statusClass', 'requests'])
        .where('key_id', '=', keyId)
        .orderBy('day')
        .orderBy('endpoint')
        .orderBy('status_class')
        .execute();
    },
    async sums({ from, to, keyIds }, by) {
      const column = GROUP_COLUMNS[by];
      const found = await inParts(keyIds, (ids) =>
        db
          .selectFrom('usage')
          .select(['day', `${column} as group`])
          .select((eb) => eb.fn.sum<number>('requests').as('requests'))
          .where('day', '>=', from)
          .where('day', '<=', to)
          .$if(ids !== undefined, (query) => query.where('key_id', 'in', ids ?? []))
          .groupBy(['day', column])
          .orderBy('day')
          .execute(),
      );
      // PostgreSQL sums bigint as numeric, which arrives as text.
      return found.map(({ day, group, requests }) => ({ day, group: String(group), requests: Number(requests) }));
    },
    async rows({ from, to, keyIds }) {
      return inParts(keyIds, (ids) =>
        db
          .selectFrom('usage')
          .select(['key_id as keyId', 'day', 'endpoint', 'status_class as statusClass', 'requests'])
          .where('day', '>=', from)
          .where('day', '<=', to)
          .$if(ids !== undefined, (query) => query.where('key_id', 'in', ids ?? []))
          .orderBy('day')
          .orderBy('key_id')
          .orderBy('endpoint')
          .orderBy('status_class')
          .execute(),
      );
    },
    async prune(beforeDay, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('usage')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('key_id', 'day', 'endpoint', 'status_class'),
            'in',
            selectFrom('usage')
              .select(['key_id', 'day', 'endpoint', 'status_class'])
              .where('day', '<', beforeDay)
              .limit(limit)
              .$asTuple('key_id', 'day', 'endpoint', 'status_class'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

/**
 * One statement for all that changes: two would lock keys in two orders. The first use of a key that was last used before
 * it, by a program that did not record first uses, is not known and stays so.
 */
async function addUses(db: Db, uses: readonly (readonly [id: string, use: KeyUse])[]): Promise<void> {
  const values = uses.map(([id, { lastUsedAt, firstUse, refused }]) => {
    const times = [lastUsedAt, firstUse?.at, refused?.lastAt].map(
      (time) => sql`cast(${time?.getTime() ?? null} as bigint)`,
    );
    return sql`(cast(${id} as text), ${sql.join(times)}, cast(${firstUse?.from ?? null} as text),
      cast(${firstUse?.status ?? null} as integer), cast(${refused?.requests ?? 0} as bigint))`;
  });
  const isLater = sql`(keys.last_used_at < seen.used_at or (keys.last_used_at is null and seen.used_at is not null))`;
  const isFirst = sql`(keys.first_used_at > seen.first_at or (keys.first_used_at is null and
    (keys.last_used_at >= seen.first_at or (keys.last_used_at is null and seen.first_at is not null))))`;
  const isRefusedLater = sql`(keys.last_refused_at < seen.refused_at or
    (keys.last_refused_at is null and seen.refused_at is not null))`;
  await sql`
    with seen (id, used_at, first_at, refused_at, first_from, first_status, refused) as (values ${sql.join(values)})
    update keys set
      last_used_at = case when ${isLater} then seen.used_at else keys.last_used_at end,
      first_used_at = case when ${isFirst} then seen.first_at else keys.first_used_at end,
      first_used_from = case when ${isFirst} then seen.first_from else keys.first_used_from end,
      first_used_status = case when ${isFirst} then seen.first_status else keys.first_used_status end,
      refused_requests = keys.refused_requests + seen.refused,
      last_refused_at = case when ${isRefusedLater} then seen.refused_at else keys.last_refused_at end
    from seen where keys.id = seen.id`.execute(db);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

async function inParts<Row>(
  keyIds: readonly string[] | undefined,
  query: (ids: readonly string[] | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  if (keyIds === undefined) return query(undefined);
  const rows: Row[] = [];
  for (let i = 0; i < keyIds.length; i += KEYS_PER_STATEMENT) {
    rows.push(...(await query(keyIds.slice(i, i + KEYS_PER_STATEMENT))));
  }
  return rows;
}
