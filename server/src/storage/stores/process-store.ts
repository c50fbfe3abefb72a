/**
 * What the processes of a deployment last said of themselves, on all machines that share the
 * storage.
 */
import type { RawBuilder } from 'kysely';
import { findAll, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

export type ProcessReport = Stored<'processes'>;

type Database = {
  readonly db: Db;
  /** SQL for the milliseconds since 1970 on the clock that all processes share. */
  readonly now: RawBuilder<number>;
};

export function processStore({ db, now }: Database) {
  return {
    async report(report: Omit<ProcessReport, 'storedAt'>): Promise<void> {
      const row = toRow<'processes'>({ ...report, storedAt: report.seenAt });
      const { id, ...state } = { machine_at: null, ...row, stored_at: now };
      await db
        .insertInto('processes')
        .values({ id, ...state })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(state))
        .execute();
    },
    seenSince: (at: Date) =>
      findAll<'processes'>(
        db
          .selectFrom('processes')
          .selectAll()
          .where('seen_at', '>=', at.getTime())
          .orderBy('host')
          .orderBy('pid'),
      ),
    async recordAgreedDay(day: string): Promise<void> {
      await db.updateTable('maintenance').set({ agreed_day: day }).execute();
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
