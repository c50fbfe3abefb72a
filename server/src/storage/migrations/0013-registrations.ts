/** Answers of the registries about addresses, which all processes share for a day. */
import type { Kysely, Migration } from 'kysely';

export const registrations: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('registrations')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('fetched_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('registrations_fetched_at').on('registrations').column('fetched_at').execute();
  },
};
