/** What processes need to look after the database: a row to try writing with, and indexes by which old rows are found. */
import type { Kysely, Migration } from 'kysely';
import { sql } from '../kysely.ts';

export const maintenance: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('maintenance')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('probes', 'bigint', (column) => column.notNull())
      .addColumn('pruned_at', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into maintenance (id, probes, pruned_at) values (1, 0, 0)`.execute(db);
    await db.schema.createIndex('quota_day').on('quota').column('day').execute();
  },
};
