/** The tables of the first release. Its SQLite files have them already, from before migrations were recorded. */
import type { Kysely, Migration } from 'kysely';

export const keysQuotaUsage: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('keys')
      .ifNotExists()
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('masked', 'text', (column) => column.notNull())
      .addColumn('permissions', 'text', (column) => column.notNull())
      .addColumn('tier', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .addColumn('revoked_by', 'text')
      .execute();
    await db.schema
      .createTable('quota')
      .ifNotExists()
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('granted', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('quota_key', ['key_id', 'day'])
      .execute();
    await db.schema
      .createTable('usage')
      .ifNotExists()
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('endpoint', 'text', (column) => column.notNull())
      .addColumn('status_class', 'integer', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_key', ['key_id', 'day', 'endpoint', 'status_class'])
      .execute();
  },
};
