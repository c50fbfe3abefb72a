// Pages of keys. Filters and searches read all rows of keys: 10,000 take 15 to 50 ms, and what
// would make it faster (counts and words kept by every change of a key) costs more than it saves.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { KeySort, KeyState, KeyStatus, SortOrder } from '../../vocabulary.ts';
import type { Db, Schema } from '../schema.ts';
import { foldForSearch } from './key-names.ts';
import { fromRow, type StoredKey } from './key-store.ts';

/** The value that the list is sorted by, and the id of the key. */
export type KeyPosition = { readonly value: string | number; readonly id: string };

export type KeySelection = {
  /** The beginning of a name, a key as it is shown, an id, or the name of an owner. */
  readonly q?: string | undefined;
  readonly status?: KeyStatus | undefined;
  readonly state?: KeyState | undefined;
  /** The tiers of the keys. */
  readonly tiers: readonly string[];
  readonly permission?: string | undefined;
  readonly ownerId?: string | undefined;
  readonly sort: KeySort;
  readonly order: SortOrder;
  /** The last key of the page before. */
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
};

export type ListedKey = { readonly key: StoredKey; readonly position: KeyPosition };

const SORT_VALUES: Readonly<Record<KeySort, RawBuilder<string | number>>> = {
  name: sql`name_key`,
  created_at: sql`created_at`,
  last_used_at: sql`coalesce(last_used_at, 0)`,
  requests_today: sql`day_requests`,
};

type Row = Selectable<Schema['keys']> & { readonly sort_value: string | number };

export function keyListStore(db: Db) {
  return {
    /** Keys after `after`, and the number of keys before and after it. */
    async page(selection: KeySelection, now: Date): Promise<{ keys: ListedKey[]; total: number }> {
      const { sort, limit } = selection;
      const selected = sql.join(conditions(selection, now), sql` and `);
      const value = SORT_VALUES[sort];
      const direction = sql.raw(selection.order);
      const [page, counted] = await Promise.all([
        sql<Row>`select keys.*, ${value} as sort_value from keys
          where ${selected} and ${isAfter(selection)}
          order by ${value} ${direction}, id ${direction} limit ${limit}`.execute(db),
        sql<{ total: number }>`select count(*) as total from keys where ${selected}`.execute(db),
      ]);
      const keys = page.rows.map((row) => ({
        key: fromRow(row),
        position: { value: row.sort_value, id: row.id },
      }));
      return { keys, total: Number(counted.rows[0]?.total) };
    },
    async activeByOwner(): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('keys')
        .select(['owner_id', (eb) => eb.fn.countAll().as('keys')])
        .where('owner_id', 'is not', null)
        .where('revoked_at', 'is', null)
        .groupBy('owner_id')
        .execute();
      return new Map(rows.map(({ owner_id, keys }) => [owner_id ?? '', Number(keys)]));
    },
  };
}

export type KeyListStore = ReturnType<typeof keyListStore>;

function conditions(selection: KeySelection, now: Date): RawBuilder<boolean>[] {
  const { q = '', status, state, tiers, permission, ownerId } = selection;
  const all = [sql<boolean>`tier in (${sql.join(tiers)})`];
  if (status !== undefined) all.push(isRevoked(status === 'revoked'));
  if (state !== undefined) all.push(isInState(state, now.getTime()));
  if (permission !== undefined)
    all.push(sql`' ' || permissions || ' ' like ${`% ${permission} %`}`);
  if (ownerId !== undefined) all.push(sql`owner_id = ${ownerId}`);
  if (q !== '') all.push(matches(q));
  return all;
}

const isRevoked = (yes: boolean) =>
  yes ? sql<boolean>`revoked_at is not null` : sql<boolean>`revoked_at is null`;

function isInState(state: KeyState, nowMs: number): RawBuilder<boolean> {
  const isOpen = sql`revoked_at is null and (expires_at is null or expires_at > ${nowMs})`;
  switch (state) {
    case 'revoked':
      return isRevoked(true);
    case 'expired':
      return sql`revoked_at is null and expires_at <= ${nowMs}`;
    case 'paused':
      return sql`${isOpen} and paused_at is not null`;
    case 'active':
      return sql`${isOpen} and paused_at is null`;
  }
}

/** A key may be searched for with `whence_` or without it. */
function matches(text: string): RawBuilder<boolean> {
  const name = foldForSearch(text);
  // Not folded, which would make three dots of the ellipsis.
  const key = text.toLowerCase();
  return sql`(${beginsWith(sql`name_folded`, name)} or ${beginsWith(sql`id`, key)}
    or ${beginsWith(sql`lower(masked)`, key)} or ${beginsWith(sql`lower(masked)`, `whence_${key}`)}
    or owner_id in (select id from accounts where ${beginsWith(sql`name_key`, name)}))`;
}

/** Not `like`, for which texts would need escapes, and which ignores case in SQLite alone. */
function beginsWith(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql`substr(${column}, 1, ${sql.lit(Array.from(text).length)}) = ${text}`;
}

function isAfter({ sort, order, after }: KeySelection): RawBuilder<boolean> {
  if (after === undefined) return sql`true`;
  const value = SORT_VALUES[sort];
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  return sql`(${value} ${beyond} ${after.value} or (${value} = ${after.value} and id ${beyond} ${after.id}))`;
}
