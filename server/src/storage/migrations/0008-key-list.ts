/**
 * What the list of keys needs to read a page without reading the table: indexes for each sort order, the number of keys
 * by facet, and the words of names for the search.
 *
 * Triggers keep the counts, so that they are right while a program that does not know them creates and revokes keys.
 * Name order and words are computed by the program; `name_key` is null for keys that still need them.
 */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter, sql } from '../kysely.ts';
import type { Db } from '../schema.ts';
import { indexKeyNames } from '../stores/key-names.ts';

/** Part of the definition of indexes: queries must repeat it as it is. */
const FACET = (row = '') =>
  `(case when ${row}revoked_at is null then 'active' else 'revoked' end || ' ' || ${row}tier || ' ' || ${row}permissions)`;

const SORT_VALUES = {
  name: 'name_key',
  created: 'created_at',
  last_use: 'coalesce(last_used_at, 0)',
  requests: 'day_requests',
};

const COUNTED_COLUMNS = 'revoked_at, tier, permissions, owner_id';

export const keyList: Migration = {
  async up(db: Kysely<unknown>) {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
    const run = (text: string) => sql.raw(text).execute(db);
    // Compared byte by byte in both engines. Tables of the first release are STRICT, where SQLite takes no bigint.
    const [text, bigint] = isSqlite ? ['text', 'integer'] : ['text collate "C"', 'bigint'];
    await run(`alter table keys add column name_key ${text}`);
    await run(`alter table keys add column day_requests ${bigint} not null default 0`);
    await run(
      `create table key_words (word ${text} not null, key_id text not null, primary key (word, key_id))
       ${isSqlite ? 'without rowid' : ''}`,
    );
    await run('create index key_words_of_key on key_words (key_id, word)');
    await run(
      `create table key_counts (scope text not null, facet text not null, key_count ${bigint} not null,
       primary key (scope, facet))`,
    );
    await run(`insert into key_counts select '', ${FACET()}, count(*) from keys group by ${FACET()}`);
    await run(
      `insert into key_counts select owner_id, ${FACET()}, count(*) from keys where owner_id is not null
       group by owner_id, ${FACET()}`,
    );
    for (const statement of isSqlite ? sqliteTriggers() : postgresTriggers()) await run(statement);
    await indexKeyNames(db as Db);
    for (const [name, value] of Object.entries(SORT_VALUES)) {
      await run(`create index keys_by_${name} on keys (${value}, id)`);
      await run(`create index keys_of_facet_by_${name} on keys (${FACET()}, ${value}, id)`);
      await run(`create index keys_of_owner_by_${name} on keys (owner_id, ${FACET()}, ${value}, id)`);
    }
    await run('create index keys_without_name_key on keys (id) where name_key is null');
    await run('create index keys_predecessor on keys (predecessor_id) where predecessor_id is not null');
  },
};

/** Keys of the command line have no owner and count in the scope of all keys only. */
function sqliteTriggers(): string[] {
  const add = `
    insert into key_counts (scope, facet, key_count) values ('', ${FACET('new.')}, 1)
      on conflict (scope, facet) do update set key_count = key_count + 1;
    insert into key_counts (scope, facet, key_count)
      select new.owner_id, ${FACET('new.')}, 1 where new.owner_id is not null
      on conflict (scope, facet) do update set key_count = key_count + 1;`;
  const remove = `
    update key_counts set key_count = key_count - 1
      where scope in ('', old.owner_id) and facet = ${FACET('old.')};`;
  return [
    `create trigger keys_count_insert after insert on keys begin ${add} end`,
    `create trigger keys_count_delete after delete on keys begin ${remove} end`,
    `create trigger keys_count_update after update of ${COUNTED_COLUMNS} on keys begin ${remove} ${add} end`,
  ];
}

/**
 * Per statement where many rows may come at once: a row that is changed thousands of times in one transaction gets slower
 * with every change.
 */
function postgresTriggers(): string[] {
  const added = (rows: string) => `
    insert into key_counts as counts (scope, facet, key_count)
      select scope, ${FACET()}, count(*) from ${rows}
      cross join lateral (values (''), (owner_id)) as scopes (scope) where scope is not null group by 1, 2
      on conflict (scope, facet) do update set key_count = counts.key_count + excluded.key_count;`;
  const removed = (rows: string) => `
    update key_counts set key_count = key_counts.key_count - removed.key_count
      from (select scope, ${FACET()} as facet, count(*) as key_count from ${rows}
        cross join lateral (values (''), (owner_id)) as scopes (scope) where scope is not null group by 1, 2) as removed
      where (key_counts.scope, key_counts.facet) = (removed.scope, removed.facet);`;
  const trigger = (name: string, when: string, body: string) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
    `create trigger ${name} after ${when} execute function ${name}()`,
  ];
  return [
    ...trigger('keys_count_insert', 'insert on keys referencing new table as added for each statement', added('added')),
    ...trigger(
      'keys_count_delete',
      'delete on keys referencing old table as removed_keys for each statement',
      removed('removed_keys'),
    ),
    ...trigger(
      'keys_count_update',
      `update of ${COUNTED_COLUMNS} on keys for each row`,
      `${removed('(select old.*) as one')} ${added('(select new.*) as one')}`,
    ),
  ];
}
