/**
 * The account that created a one-time link, so that disabling or demoting it revokes the link; and an index in the order
 * in which usage is read in pages. It begins with the day, so it replaces the index on the day for older programs too.
 */
import type { Kysely, Migration } from 'kysely';

export const linkCreatorsAndUsageIndex: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('links').addColumn('created_by_id', 'text').execute();
    await db.schema
      .createIndex('usage_day_key')
      .on('usage')
      .columns(['day', 'key_id', 'endpoint', 'status_class'])
      .execute();
    await db.schema.dropIndex('usage_day').execute();
  },
};
