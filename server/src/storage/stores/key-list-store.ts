// Pages of keys. The rows read do not depend on the number of keys: each state, tier and set of permissions is a
// *facet* (counts in `key_counts`), indexes begin with it, and a page merges the first rows of those selected.
import type { RawBuilder, Selectable } from 'kysely';
import type { KeySort, KeyState, SortOrder } from '../../vocabulary.ts';
import type { Engine } from '../engine.ts';
import { sql } from '../kysely.ts';
import { type Db, FACET as FACET_TEXT, type Schema, SORT_VALUES as SORT_TEXTS } from '../schema.ts';
import { foldForSearch } from './key-names.ts';
import { fromRow, type StoredKey } from './key-store.ts';

type StoredFacet = {
  readonly facet: string;
  readonly state: KeyState;
  readonly tier: string;
  readonly permissions: readonly string[];
  readonly keys: number;
};

export type KeyPosition = { readonly value: string | number; readonly id: string };

type KeySelection = {
  /** All keys unless it is given. */
  readonly ownerId?: string | undefined;
  /** As `facets` has named them; all keys without them. */
  readonly facets?: readonly string[] | undefined;
  readonly sort: KeySort;
  readonly order: SortOrder;
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
};

/** Keys with a word that begins with the text, and all keys of these owners. */
type KeySearch = { readonly text: string; readonly owners: readonly string[] };

export type ListedKey = { readonly key: StoredKey; readonly position: KeyPosition };

type KeyWindow = {
  readonly rows: number;
  /** Whether the window has only selected keys. Otherwise it has all keys, and they are filtered after reading. */
  readonly isSelected: boolean;
};

const FACET = sql.raw<string>(FACET_TEXT());
const SORT_VALUES: Readonly<Record<KeySort, RawBuilder<string | number>>> = {
  name: sql.raw(SORT_TEXTS.name),
  created_at: sql.raw(SORT_TEXTS.created),
  last_used_at: sql.raw(SORT_TEXTS.last_use),
  requests_today: sql.raw(SORT_TEXTS.requests),
};

const EXPIRED_PER_STATEMENT = 1_000;

/** The partial index has keys that are not marked yet, so this reads none where nothing has expired since the last call. */
async function markExpired(db: Db, now: Date): Promise<void> {
  for (;;) {
    const due = await db
      .selectFrom('keys')
      .select('id')
      // A literal: an index with a condition is not used for a parameter.
      .where('has_expired', '=', sql.lit(0))
      .where('expires_at', '<=', now.getTime())
      .limit(EXPIRED_PER_STATEMENT)
      .execute();
    if (due.length === 0) return;
    const ids = due.map(({ id }) => id);
    // The condition is repeated: an expiry may have been changed meanwhile.
    await db
      .updateTable('keys')
      .set({ has_expired: 1 })
      .where('id', 'in', ids)
      .where('expires_at', '<=', now.getTime())
      .execute();
  }
}

type Position = { readonly id: string; readonly sort_value: string | number };
type Row = Selectable<Schema['keys']> & Position;

export function keyListStore({ db, name }: Pick<Engine, 'db' | 'name'>) {
  return {
    /** Facets of the keys of an account, or of all keys. Keys that have expired by then are in facets of their own. */
    async facets(now: Date, ownerId = ''): Promise<StoredFacet[]> {
      await markExpired(db, now);
      const rows = await db
        .selectFrom('key_counts')
        .select(['facet', 'key_count'])
        .where('scope', '=', ownerId)
        .where('key_count', '>', 0)
        .execute();
      return rows.map(({ facet, key_count }) => {
        const [state, tier = '', ...permissions] = facet.split(' ');
        return { facet, state: state as KeyState, tier, permissions, keys: key_count };
      });
    },
    async activeByOwner(): Promise<Map<string, number>> {
      const rows = await db
        .selectFrom('key_counts')
        .select(['scope', (eb) => eb.fn.sum<number>('key_count').as('keys')])
        .where('scope', '!=', '')
        .where('facet', 'not like', 'revoked %')
        .groupBy('scope')
        .execute();
      return new Map(rows.map(({ scope, keys }) => [scope, Number(keys)]));
    },
    async page(selection: KeySelection): Promise<ListedKey[]> {
      if (selection.facets?.length === 0) return [];
      const { rows } = await sql<Row>`select keys.*, page.sort_value
        from (${inOrder(name, selection)}) as page ${joinKeys(name, 'page')} ${sorted(selection)}`.execute(db);
      return rows.map(listed);
    },
    /** Counts up to `limit`. A key counts once for each of its words. */
    async countMatches({ text, owners }: KeySearch, limit: number): Promise<number> {
      // In the order of an index: PostgreSQL would read the table where many rows match.
      const count = async (rows: RawBuilder<unknown>) => {
        const counted = await sql<{ matches: number }>`select count(*) as matches from (${rows}
          limit ${limit}) as matches`.execute(db);
        return Number(counted.rows[0]?.matches);
      };
      const named = await count(sql`select 1 from key_words where ${beginsWith(text)} order by word`);
      if (owners.length === 0 || named >= limit) return named;
      return named + (await count(sql`select 1 from keys where owner_id in (${sql.join(owners)}) order by owner_id`));
    },
    /** Reads every match. `total` is the number of matches in the selection. */
    async pageOfMatches(
      { text, owners }: KeySearch,
      selection: KeySelection,
    ): Promise<{ keys: ListedKey[]; total: number }> {
      const { facets, ownerId, sort, limit } = selection;
      if (facets?.length === 0) return { keys: [], total: 0 };
      const owned =
        owners.length === 0 ? sql`` : sql`union select id from keys where owner_id in (${sql.join(owners)})`;
      const { rows } = await sql<Row & { total: number }>`
        with matches as (select distinct key_id as id from key_words where ${beginsWith(text)} ${owned}),
        selected as (select keys.id, ${SORT_VALUES[sort]} as sort_value from matches ${joinKeys(name, 'matches')}
          where ${isOfFacets(facets)} and ${isOwnedBy(ownerId)})
        select keys.*, page.sort_value, (select count(*) from selected) as total
        from (select * from selected where ${sql.join(beyond(selection, sql`sort_value`), sql` or `)}
          ${sorted(selection)} limit ${limit}) as page ${joinKeys(name, 'page')} ${sorted(selection)}`.execute(db);
      return { keys: rows.map(listed), total: Number(rows[0]?.total ?? 0) };
    },
    async scanForMatches(
      { text, owners }: KeySearch,
      selection: KeySelection,
      window: KeyWindow,
    ): Promise<ListedKey[]> {
      const { facets, ownerId, limit } = selection;
      const isOwned = owners.length === 0 ? sql`false` : sql`owner_id in (${sql.join(owners)})`;
      // A scalar subquery: PostgreSQL could turn EXISTS into a join that reads all matches.
      const { rows } = await sql<Row>`select keys.*, page.sort_value
        from (${windowOf(name, selection, window)}) as page ${joinKeys(name, 'page')}
        where ${isOfFacets(facets)} and ${isOwnedBy(ownerId)} and (${isOwned} or
          (select 1 from key_words where key_id = page.id and ${beginsWith(text)} limit 1) is not null)
        ${sorted(selection)} limit ${limit}`.execute(db);
      return rows.map(listed);
    },
    /** The last key of a window; undefined if there are fewer keys. */
    async endOf(selection: KeySelection, window: KeyWindow): Promise<KeyPosition | undefined> {
      const { rows } = await sql<Position>`select id, sort_value from (${windowOf(name, selection, window)}) as page
        ${sorted(selection)} limit 1 offset ${window.rows - 1}`.execute(db);
      return rows[0] && { value: rows[0].sort_value, id: rows[0].id };
    },
  };
}

export type KeyListStore = ReturnType<typeof keyListStore>;

function windowOf(engine: Engine['name'], selection: KeySelection, { rows, isSelected }: KeyWindow) {
  const all = { ...selection, facets: undefined, ownerId: undefined };
  return inOrder(engine, { ...(isSelected ? selection : all), limit: rows });
}

/** Ids and sort values of the first keys of a selection, read from indexes alone. Each facet is read up to the limit. */
function inOrder(engine: Engine['name'], selection: KeySelection): RawBuilder<Position> {
  const { facets, sort, order, limit, ownerId } = selection;
  const direction = sql.raw(order);
  const branches = (facet?: RawBuilder<string>) =>
    sql.join(
      beyond(selection, SORT_VALUES[sort]).map(
        (bound) => sql`select * from (select id, ${SORT_VALUES[sort]} as sort_value from keys
          where ${facet === undefined ? sql`true` : sql`${FACET} = ${facet}`} and ${isOwnedBy(ownerId)} and ${bound}
          order by ${SORT_VALUES[sort]} ${direction}, id ${direction} limit ${limit}) as branch`,
      ),
      sql` union all `,
    );
  let all = branches();
  if (facets !== undefined && engine === 'SQLite') {
    all = unionInParts(facets.map((facet) => branches(sql`${facet}`)));
  } else if (facets !== undefined) {
    // Planned once for all facets; SQLite has no lateral joins, and plans a branch in microseconds.
    const values = sql.join(facets.map((facet) => sql`(cast(${facet} as text))`));
    all = sql`select merged.* from (values ${values}) as selected (facet)
      cross join lateral (${branches(sql`selected.facet`)}) as merged`;
  }
  return sql`select id, sort_value from (${all}) as merged ${sorted(selection)} limit ${limit}`;
}

/** SQLite takes 500 selects in a union; a facet is two. */
const FACETS_PER_UNION = 200;

function unionInParts(selects: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const parts: RawBuilder<unknown>[] = [];
  for (let i = 0; i < selects.length; i += FACETS_PER_UNION) {
    const part = sql.join(selects.slice(i, i + FACETS_PER_UNION), sql` union all `);
    parts.push(sql`select * from (${part}) as part`);
  }
  return sql.join(parts, sql` union all `);
}

/** Finds each key by its id. The lateral join keeps PostgreSQL from reading the whole table for thousands of ids. */
function joinKeys(engine: Engine['name'], ids: 'page' | 'matches'): RawBuilder<unknown> {
  const id = sql.ref(`${ids}.id`);
  if (engine === 'SQLite') return sql`cross join keys on keys.id = ${id}`;
  return sql`cross join lateral (select * from keys where keys.id = ${id} limit 1) as keys`;
}

/** A row value comparison would read all keys with an equal sort value: two ranges read only what follows. */
function beyond({ order, after }: KeySelection, value: RawBuilder<unknown>): RawBuilder<boolean>[] {
  if (after === undefined) return [sql`true`];
  const isAfter = sql.raw(order === 'asc' ? '>' : '<');
  return [sql`(${value} = ${after.value} and id ${isAfter} ${after.id})`, sql`${value} ${isAfter} ${after.value}`];
}

function sorted({ order }: KeySelection): RawBuilder<unknown> {
  const direction = sql.raw(order);
  return sql`order by sort_value ${direction}, id ${direction}`;
}

const isOwnedBy = (ownerId: string | undefined) =>
  ownerId === undefined ? sql<boolean>`true` : sql<boolean>`owner_id = ${ownerId}`;

const isOfFacets = (facets: readonly string[] | undefined) =>
  facets === undefined ? sql<boolean>`true` : sql<boolean>`${FACET} in (${sql.join(facets)})`;

function beginsWith(text: string): RawBuilder<boolean> {
  const first = foldForSearch(text);
  return sql`word >= ${first} and word < ${`${first}\u{10ffff}`}`;
}

function listed(row: Row): ListedKey {
  return { key: fromRow(row), position: { value: row.sort_value, id: row.id } };
}
