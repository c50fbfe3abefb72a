/**
 * On PostgreSQL, the question about changes of keys as a function: its plans are kept by the connection, also behind a
 * pooler in transaction mode, where prepared statements are not. And settings of autovacuum for tables whose rows change
 * continuously: by default a fifth of a table changes before it is cleaned, which for `usage` is half a year. Free space
 * in pages of leases lets a changed row stay in its page, without new entries in indexes.
 */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter, sql } from '../kysely.ts';

const OFTEN = {
  autovacuum_vacuum_scale_factor: 0.02,
  autovacuum_vacuum_threshold: 500,
  autovacuum_analyze_scale_factor: 0.05,
  autovacuum_vacuum_cost_delay: 0,
};

/** A table of any size after as many changes: rows of the last day change, the others never do. */
const BY_NUMBER = {
  autovacuum_vacuum_scale_factor: 0,
  autovacuum_vacuum_threshold: 200_000,
  autovacuum_vacuum_insert_scale_factor: 0,
  autovacuum_vacuum_insert_threshold: 200_000,
  autovacuum_analyze_scale_factor: 0,
  autovacuum_analyze_threshold: 200_000,
};

const SETTINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  leases: { ...OFTEN, fillfactor: 70 },
  quota: { ...OFTEN, fillfactor: 70 },
  processes: OFTEN,
  writers: OFTEN,
  usage: { ...BY_NUMBER, fillfactor: 90 },
};

export const keyQuestionAndAutovacuum: Migration = {
  async up(db: Kysely<unknown>) {
    if (db.getExecutor().adapter instanceof SqliteAdapter) return;
    // `with_place` is false for services that refuse the functions for identity and write-ahead log.
    await sql`
      create function whence_key_changes(
        known bigint, most integer, with_place boolean,
        out keys bigint, out token text, out known_token text, out database text, out wal_bytes bigint,
        out is_standby boolean, out is_read_only boolean, out changed json
      ) language plpgsql stable as $$
      declare
        flushed pg_lsn;
      begin
        is_standby := pg_is_in_recovery();
        is_read_only := current_setting('transaction_read_only') = 'on';
        select r.keys into keys from revisions r;
        select c.token into token from key_changes c where c.number = whence_key_changes.keys;
        select c.token into known_token from key_changes c where c.number = known;
        database := (select oid from pg_database where datname = current_database()) || '/' || 'revisions'::regclass::oid;
        wal_bytes := 0;
        if with_place and not is_standby then
          flushed := pg_current_wal_flush_lsn();
          wal_bytes := pg_wal_lsn_diff(flushed, '0/0');
          database := (select system_identifier from pg_control_system()) || '/' ||
            substr(pg_walfile_name(flushed), 1, 8) || '/' || database;
        end if;
        if known < keys then
          select json_agg(hash) into changed
          from (select k.hash from keys k where k.revision > known limit most) as changes;
        end if;
      end $$`.execute(db);
    for (const [table, settings] of Object.entries(SETTINGS)) {
      const list = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
      await sql`alter table ${sql.table(table)} set (${sql.raw(list.join(', '))})`.execute(db);
    }
  },
};
