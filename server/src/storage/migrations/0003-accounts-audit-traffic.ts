/** Accounts of the dashboard with their sessions and one-time links, the audit log, traffic by hour, owners of keys. */
import type { Kysely, Migration } from 'kysely';

export const accountsAuditTraffic: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('accounts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', 'text', (column) => column.notNull().unique())
      .addColumn('password_hash', 'text')
      .addColumn('provider_subject', 'text', (column) => column.unique())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_sign_in_at', 'bigint')
      .addColumn('disabled_at', 'bigint')
      .execute();
    await db.schema
      .createTable('sessions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('user_agent', 'text', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('sessions_account').on('sessions').column('account_id').execute();
    await db.schema
      .createTable('links')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('account_id', 'text')
      .addColumn('note', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('audit')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('target_kind', 'text', (column) => column.notNull())
      .addColumn('target_id', 'text')
      .addColumn('target', 'text')
      .addColumn('address', 'text')
      .addColumn('details', 'text')
      .execute();
    await db.schema.createIndex('audit_target').on('audit').column('target_id').execute();
    await db.schema
      .createTable('traffic')
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('counter', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('traffic_key', ['hour', 'counter'])
      .execute();
    await db.schema
      .createTable('processes')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('memory_bytes', 'bigint', (column) => column.notNull())
      .addColumn('lag_ms', 'bigint', (column) => column.notNull())
      .addColumn('dataset_version', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('keys').addColumn('owner_id', 'text').execute();
    await db.schema.alterTable('keys').addColumn('predecessor_id', 'text').execute();
    await db.schema.createIndex('usage_day').on('usage').column('day').execute();
  },
};
