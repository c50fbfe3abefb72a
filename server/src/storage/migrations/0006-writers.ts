/** The last batch of statistics of each process, so that one whose answer was lost is not added again. */
import type { Kysely, Migration } from 'kysely';

export const writers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('writers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('last_batch', 'bigint', (column) => column.notNull())
      .addColumn('written_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
