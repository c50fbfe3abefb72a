/** Why requests with a key were refused, by hour, and which share of its daily limit a key was last reported to have used. */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter } from '../kysely.ts';

export const keyRefusals: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('key_refusals')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('requests', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .addColumn('detail', 'text')
      .addPrimaryKeyConstraint('key_refusals_key', ['key_id', 'hour', 'reason'])
      .execute();
    // For the removal of old rows.
    await db.schema.createIndex('key_refusals_by_hour').on('key_refusals').column('hour').execute();
    // Tables of the first release are STRICT, where SQLite takes no bigint; its integer has 64 bits.
    const integer = db.getExecutor().adapter instanceof SqliteAdapter ? 'integer' : 'bigint';
    await db.schema
      .alterTable('quota')
      .addColumn('alerted_percent', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
