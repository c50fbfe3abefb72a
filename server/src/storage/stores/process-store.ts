/** What the processes of a deployment last said of themselves, on all machines that share the storage. */
import { fromRow, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

export type ProcessReport = Stored<'processes'>;

export function processStore(db: Db) {
  return {
    async report(report: ProcessReport): Promise<void> {
      const { id, ...state } = toRow<'processes'>(report);
      await db
        .insertInto('processes')
        .values({ id, ...state })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
        .execute();
    },
    async seenSince(at: Date): Promise<ProcessReport[]> {
      const rows = await db
        .selectFrom('processes')
        .selectAll()
        .where('seen_at', '>=', at.getTime())
        .orderBy('host')
        .orderBy('pid')
        .execute();
      return rows.map(fromRow<'processes'>);
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },
    async prune(before: Date): Promise<void> {
      await db.deleteFrom('processes').where('seen_at', '<', before.getTime()).execute();
    },
  };
}

export type ProcessStore = ReturnType<typeof processStore>;
