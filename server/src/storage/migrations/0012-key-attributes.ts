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
import { SORT_VALUES } from './0008-key-list.ts';
import { keyCountTriggers } from './key-counts.ts';

/** Part of the definition of indexes: queries must repeat it as it is. */
const FACET = (row = '') =>
  `(case when ${row}revoked_at is not null then 'revoked' when ${row}has_expired = 1 then 'expired'
    when ${row}paused_at is not null then 'paused' else 'active' end || ' ' || ${row}tier || ' ' || ${row}permissions)`;

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
    for (const statement of keyCountTriggers(isSqlite, { facet: FACET, columns: COUNTED_COLUMNS }))
      await run(statement);
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
