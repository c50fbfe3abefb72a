/**
 * A row per lease, with its owner and its deadline; with which revision a key changed; which programs may use the
 * database. `quota.settled` and
 * `quota.last_granted` stay for programs that do not know lease rows.
 */
import type { Kysely, Migration } from 'kysely';
import { sql } from '../kysely.ts';

export const leaseRows: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('leases')
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('granted', 'bigint', (column) => column.notNull())
      .addColumn('opened', 'bigint', (column) => column.notNull())
      .addColumn('spent', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('leases_key', ['key_id', 'day', 'owner'])
      .execute();
    // None on `expires_at`, which every statement of an owner changes: PostgreSQL would have to write the indexes too.
    await db.schema.createIndex('leases_owner').on('leases').column('owner').execute();
    await db.schema
      .alterTable('keys')
      .addColumn('revision', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('keys_revision_index').on('keys').column('revision').execute();
    await db.schema
      .createTable('compatibility')
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('oldest_program', 'text', (column) => column.notNull())
      .execute();
    await sql`insert into compatibility (id, oldest_program) values (1, '0005-lease-rows')`.execute(db);
  },
};
