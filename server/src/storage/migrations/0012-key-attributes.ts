/**
 * Attributes of keys that can be changed: note, expiry, pause, allowed networks, requests per second, and a revocation
 * that is scheduled; and the client address of the last use and of the last refused request.
 *
 * Paused and expired keys are facets of their own, so that the list can be filtered by them from its indexes. Time cannot
 * be part of an index: `has_expired` is set before a list is read. Programs that do not know the step list active and
 * revoked keys only, without the indexes, and accept keys that are paused or have expired.
 */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter, sql } from '../kysely.ts';

/** Part of the definition of indexes: queries must repeat it as it is. */
const FACET = (row = '') =>
  `(case when ${row}revoked_at is not null then 'revoked' when ${row}has_expired = 1 then 'expired'
    when ${row}paused_at is not null then 'paused' else 'active' end || ' ' || ${row}tier || ' ' || ${row}permissions)`;

const SORT_VALUES = {
  name: 'name_key',
  created: 'created_at',
  last_use: 'coalesce(last_used_at, 0)',
  requests: 'day_requests',
};

const COUNTED_COLUMNS = 'revoked_at, has_expired, paused_at, tier, permissions, owner_id';

export const keyAttributes: Migration = {
  async up(db: Kysely<unknown>) {
    const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
    const run = (text: string) => sql.raw(text).execute(db);
    // Tables of the first release are STRICT, where SQLite takes no bigint; its integer has 64 bits.
    const bigint = isSqlite ? 'integer' : 'bigint';
    for (const column of [
      'note text',
      `expires_at ${bigint}`,
      'has_expired integer not null default 0',
      `paused_at ${bigint}`,
      'allowed_networks text',
      'requests_per_second integer',
      `revoke_at ${bigint}`,
      'revoke_by text',
      'last_used_from text',
      'last_refused_from text',
      'change_token text',
    ])
      await run(`alter table keys add column ${column}`);
    for (const trigger of ['keys_count_insert', 'keys_count_delete', 'keys_count_update']) {
      await run(isSqlite ? `drop trigger ${trigger}` : `drop trigger ${trigger} on keys`);
      if (!isSqlite) await run(`drop function ${trigger}()`);
    }
    for (const statement of isSqlite ? sqliteTriggers() : postgresTriggers()) await run(statement);
    for (const [name, value] of Object.entries(SORT_VALUES)) {
      await run(`drop index keys_of_facet_by_${name}`);
      await run(`drop index keys_of_owner_by_${name}`);
      await run(`create index keys_of_facet_by_${name} on keys (${FACET()}, ${value}, id)`);
      await run(`create index keys_of_owner_by_${name} on keys (owner_id, ${FACET()}, ${value}, id)`);
    }
    await run('create index keys_to_expire on keys (expires_at) where has_expired = 0 and expires_at is not null');
    await run('create index keys_to_revoke on keys (revoke_at) where revoke_at is not null');
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
  const scopes = "cross join lateral (values (''), (owner_id)) as scopes (scope) where scope is not null";
  const added = (rows: string) => `
    insert into key_counts as counts (scope, facet, key_count)
      select scope, ${FACET()}, count(*) from ${rows} ${scopes} group by 1, 2
      on conflict (scope, facet) do update set key_count = counts.key_count + excluded.key_count;`;
  const removed = (rows: string) => `
    update key_counts set key_count = key_counts.key_count - removed.key_count
      from (select scope, ${FACET()} as facet, count(*) as key_count from ${rows} ${scopes} group by 1, 2) as removed
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
