/**
 * On PostgreSQL, a random token for each revision of keys: an older copy of the database that has taken its place lacks
 * the token of the revision that a process knows, or has another. A trigger writes it, so that programs that do not know
 * the table do so too. SQLite notices that its file was replaced without it.
 */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter, sql } from '../kysely.ts';

export const keyChanges: Migration = {
  async up(db: Kysely<unknown>) {
    if (db.getExecutor().adapter instanceof SqliteAdapter) return;
    await db.schema
      .createTable('key_changes')
      .addColumn('number', 'bigint', (column) => column.primaryKey())
      .addColumn('token', 'text', (column) => column.notNull())
      .execute();
    // A process whose revision is no longer there forgets all keys, which is safe.
    await sql`
      create function whence_record_key_change() returns trigger language plpgsql as $$
      begin
        insert into key_changes (number, token) values (new.keys, cast(gen_random_uuid() as text))
          on conflict (number) do update set token = excluded.token;
        delete from key_changes where number < new.keys - 10000;
        return null;
      end $$`.execute(db);
    await sql`
      create trigger record_key_change after insert or update of keys on revisions
      for each row execute function whence_record_key_change()`.execute(db);
    await sql`insert into key_changes (number, token) select keys, cast(gen_random_uuid() as text) from revisions`.execute(
      db,
    );
  },
};
