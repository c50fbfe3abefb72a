/**
 * All tables of the first release, in both engines. From 1.0.0 on this step is never edited: a
 * later step changes what it made.
 *
 * Triggers keep `key_changes`, so that it is right whichever program, of whichever release, writes.
 */
import { type Kysely, type Migration, SqliteAdapter, sql } from 'kysely';
import { TABLES } from '../schema.ts';

/** `sorted`: text that is compared byte by byte, in the words of the engine. */
const tables = (sorted: string) =>
  Object.entries(TABLES).map(([table, definitions]) => {
    const columns = Object.entries(definitions).map(([name, definition]) =>
      name.includes(' ')
        ? `${name} (${definition})`
        : `${name} ${definition.replace(/^sorted/, sorted)}`,
    );
    return `create table ${table} (${columns.join(', ')})`;
  });

// None on expires_at of leases, which every statement of an owner changes: PostgreSQL would have to
// write the indexes too. `usage_day_key` is in the order in which usage is read in pages.
const INDEXES_AND_FIRST_ROWS = `
  create index keys_revision_index on keys (revision);
  create index keys_predecessor on keys (predecessor_id) where predecessor_id is not null;
  create index keys_with_limit on keys (daily_limit) where daily_limit is not null;
  create index keys_to_revoke on keys (revoke_at) where revoke_at is not null;
  create index keys_of_owner on keys (owner_id) where owner_id is not null;
  create index key_hours_by_hour on key_hours (hour);
  create index quota_day on quota (day);
  create index leases_owner on leases (owner);
  create index usage_day_key on usage (day, key_id, endpoint, status_class);
  create index sessions_account on sessions (account_id);
  create index audit_target on audit (target_id);
  create index reports_of_domain on reports (domain_id, day);
  create index reports_of_key on reports (key_id);
  create index reports_by_day on reports (day);
  create index report_rows_of_report on report_rows (report);
  create unique index report_shapes_by_hash on report_shapes (domain_id, hash);
  create index report_shapes_by_day on report_shapes (last_day);
  create index report_days_by_day on report_days (day);
  create index report_sources_by_day on report_sources (last_day);
  create index report_sums_by_day on report_sums (day);
  create index tls_reports_of_domain on tls_reports (domain_id, day);
  create index tls_reports_by_day on tls_reports (day);
  create index tls_sums_by_day on tls_sums (day);
  create index unproven_reports_of_domain on unproven_reports (domain_id, imported_at);
  create index unproven_reports_by_day on unproven_reports (day);
  create index watched_domains_due on watched_domains (due_at);
  create unique index watch_events_open on watch_events (domain, code, subject)
    where resolved_at is null;
  create index watch_events_of_domain on watch_events (domain, id);
  create index watch_changes_at on watch_changes (at);
  insert into watch_state (id, last_change, looked_at) values (1, 0, 0);
  create index alert_deliveries_waiting on alert_deliveries (due_at) where state = 'waiting';
  create index alert_deliveries_of_channel on alert_deliveries (channel_id, created_at);
  insert into revisions (id, keys, recalls) values (1, 0, 0);
  insert into maintenance (id, probes, pruned_at, steady_hours) values (1, 0, 0, 0);
  insert into compatibility (id, oldest_program) values (1, '0001-schema');`;

export const schema: Migration = {
  async up(db: Kysely<unknown>) {
    const rest = INDEXES_AND_FIRST_ROWS.split(';').filter((statement) => statement.trim() !== '');
    const statements =
      db.getExecutor().adapter instanceof SqliteAdapter
        ? [...tables('text'), ...rest, ...sqliteKeyChanges()]
        : [...tables('text collate "C"'), ...rest, ...postgresKeyChanges(), ...storageSettings()];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

// A random token per revision of keys, by which a process recognises another database or an older
// copy. Number -1 identifies the database and its copies, for a process whose revision was removed.
function sqliteKeyChanges(): string[] {
  const token = 'lower(hex(randomblob(16)))';
  const trigger = (name: string, event: string) => `
    create trigger record_key_change_${name} after ${event} on revisions begin
      insert into key_changes (number, token) values (new.keys, ${token})
        on conflict (number) do update set token = excluded.token;
      delete from key_changes where number between 0 and new.keys - 10001;
    end`;
  return [
    'create table key_changes (number integer primary key, token text not null) strict',
    `insert into key_changes (number, token) select keys, ${token} from revisions union all select -1, ${token}`,
    trigger('insert', 'insert'),
    trigger('update', 'update of keys'),
  ];
}

// The same on PostgreSQL. `whence_key_changes` is a function because connections keep its plans,
// also behind a pooler in transaction mode. `with_place` is false for services that refuse the
// functions for identity and write-ahead log.
function postgresKeyChanges(): string[] {
  return [
    'create table key_changes (number bigint primary key, token text not null)',
    // A process whose revision is no longer there forgets all keys, which is safe.
    `create function whence_record_key_change() returns trigger language plpgsql as $$
      begin
        insert into key_changes (number, token) values (new.keys, cast(gen_random_uuid() as text))
          on conflict (number) do update set token = excluded.token;
        delete from key_changes where number < new.keys - 10000;
        return null;
      end $$`,
    `create trigger record_key_change after insert or update of keys on revisions
      for each row execute function whence_record_key_change()`,
    'insert into key_changes (number, token) select keys, cast(gen_random_uuid() as text) from revisions',
    `create function whence_key_changes(
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
      end $$`,
  ];
}

// Autovacuum for tables that change continuously: the default waits for a fifth of the table, for
// `usage` half a year. Free space in pages of leases lets a changed row stay in its page, without
// new index entries.
function storageSettings(): string[] {
  const often = {
    autovacuum_vacuum_scale_factor: 0.02,
    autovacuum_vacuum_threshold: 500,
    autovacuum_analyze_scale_factor: 0.05,
    autovacuum_vacuum_cost_delay: 0,
  };
  // After as many changes whatever its size: rows of the last day change, the others never do.
  const byNumber = {
    autovacuum_vacuum_scale_factor: 0,
    autovacuum_vacuum_threshold: 200_000,
    autovacuum_vacuum_insert_scale_factor: 0,
    autovacuum_vacuum_insert_threshold: 200_000,
    autovacuum_analyze_scale_factor: 0,
    autovacuum_analyze_threshold: 200_000,
  };
  const settings: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    leases: { ...often, fillfactor: 70 },
    quota: { ...often, fillfactor: 70 },
    key_hours: { ...often, fillfactor: 90 },
    processes: often,
    writers: often,
    usage: { ...byNumber, fillfactor: 90 },
  };
  return Object.entries(settings).map(([table, values]) => {
    const list = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
    return `alter table ${table} set (${list.join(', ')})`;
  });
}
