/**
 * How many hours in a row the deployment has seen its clock advance steadily: rows are removed only after a day of them. A
 * deployment that has removed rows before does not wait.
 */
import type { Kysely, Migration } from 'kysely';

export const steadyHours: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('maintenance')
      .addColumn('steady_hours', 'integer', (column) => column.notNull().defaultTo(24))
      .execute();
  },
};
