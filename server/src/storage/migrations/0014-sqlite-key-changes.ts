/**
 * On SQLite, the tokens that step 0009 gave to PostgreSQL: a random one for each revision of keys, by which a process
 * recognises that another database, or an older copy of it, has taken the place of the one it knows. Number -1 identifies
 * the database and its copies, for a process that asks again after its revision was removed. Triggers write them, so that
 * programs that do not know the table do so too.
 */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter, sql } from '../kysely.ts';

const TOKEN = 'lower(hex(randomblob(16)))';

export const sqliteKeyChanges: Migration = {
  async up(db: Kysely<unknown>) {
    if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
    const run = (text: string) => sql.raw(text).execute(db);
    await run('create table key_changes (number integer primary key, token text not null) strict');
    await run(
      `insert into key_changes (number, token) select keys, ${TOKEN} from revisions union all select -1, ${TOKEN}`,
    );
    for (const [name, event] of Object.entries({ insert: 'insert', update: 'update of keys' }))
      await run(
        `create trigger record_key_change_${name} after ${event} on revisions begin
          insert into key_changes (number, token) values (new.keys, ${TOKEN})
            on conflict (number) do update set token = excluded.token;
          delete from key_changes where number between 0 and new.keys - 10001;
        end`,
      );
  },
};
