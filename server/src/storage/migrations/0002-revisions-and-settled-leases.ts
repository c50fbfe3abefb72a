/** One row of revisions instead of a table for keys alone, and in `quota` what was reported as spent. */
import type { Kysely, Migration } from 'kysely';
import { sql } from '../kysely.ts';

export const revisionsAndSettledLeases: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('revisions')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('keys', 'bigint', (column) => column.notNull())
      .addColumn('recalls', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into revisions (id, keys, recalls) values (1, 0, 0)`.execute(db);
    await db.schema.dropTable('keys_revision').ifExists().execute();

    const number = (name: string) =>
      db.schema.alterTable('quota').addColumn(name, 'integer', (c) => c.notNull().defaultTo(0));
    await number('settled').execute();
    await number('last_granted').execute();
    // No process of the first release holds a lease while this one migrates: what was granted was spent or lost.
    await sql`update quota set settled = granted`.execute(db);

    await db.schema.dropTable('recalls').ifExists().execute();
    await db.schema
      .createTable('recalls')
      .addColumn('number', 'bigint', (column) => column.primaryKey())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .execute();
  },
};
