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
import { keyCountTriggers } from './key-counts.ts';

/** Part of the definition of indexes: queries must repeat it as it is. */
const FACET = (row = '') =>
  `(case when ${row}revoked_at is null then 'active' else 'revoked' end || ' ' || ${row}tier || ' ' || ${row}permissions)`;

export const SORT_VALUES = {
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
    for (const statement of keyCountTriggers(isSqlite, { facet: FACET, columns: COUNTED_COLUMNS }))
      await run(statement);
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
