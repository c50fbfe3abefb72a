/** First use of a key, refused requests with a revoked one, and networks of looked-up addresses by day. */
import type { Kysely, Migration } from 'kysely';
import { SqliteAdapter } from '../kysely.ts';

export const keyUsesAndNetworks: Migration = {
  async up(db: Kysely<unknown>) {
    // Tables of the first release are STRICT, where SQLite takes no bigint; its integer has 64 bits.
    const bigint = db.getExecutor().adapter instanceof SqliteAdapter ? 'integer' : 'bigint';
    const add = (column: string, type: 'bigint' | 'integer' | 'text') =>
      db.schema.alterTable('keys').addColumn(column, type).execute();
    await add('first_used_at', bigint);
    await add('first_used_from', 'text');
    await add('first_used_status', 'integer');
    await add('last_refused_at', bigint);
    await db.schema
      .alterTable('keys')
      .addColumn('refused_requests', bigint, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('networks')
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('asn', 'bigint', (column) => column.notNull())
      .addColumn('look_ups', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('networks_key', ['day', 'asn'])
      .execute();
  },
};
