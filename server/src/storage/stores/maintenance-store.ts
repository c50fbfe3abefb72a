/**
 * What processes do to look after the database: try whether it can be written, and take turns in
 * removing old rows.
 */
import { DAY_MS } from '../../day.ts';
import type { Db } from '../schema.ts';

export const STEADY_HOURS = 24;

export function maintenanceStore(db: Db) {
  return {
    /** Throws when storage cannot be written. */
    async probe(): Promise<void> {
      // Another value each time: SQLite does not write a page whose content stays the same.
      await db
        .updateTable('maintenance')
        .set((eb) => ({ probes: eb('probes', '+', 1) }))
        .execute();
    },
    /**
     * For one caller per `intervalMs`, of all processes: how many claims followed each other within
     * a day, at most 24. Begins with 0 after a jump of the clock.
     */
    async claimPruning(nowMs: number, intervalMs: number): Promise<number | undefined> {
      const claim = await db
        .updateTable('maintenance')
        .set((eb) => ({
          pruned_at: nowMs,
          steady_hours: eb
            .case()
            .when(eb.and([eb('pruned_at', '>=', nowMs - DAY_MS), eb('pruned_at', '<=', nowMs)]))
            .then(
              eb
                .case()
                .when('steady_hours', '<', STEADY_HOURS)
                .then(eb('steady_hours', '+', 1))
                .else(STEADY_HOURS)
                .end(),
            )
            .else(0)
            .end(),
        }))
        // Far in the future: a clock was wrong when it was last claimed.
        .where((eb) =>
          eb.or([
            eb('pruned_at', '<=', nowMs - intervalMs),
            eb('pruned_at', '>', nowMs + intervalMs),
          ]),
        )
        .returning('steady_hours')
        .executeTakeFirst();
      return claim?.steady_hours;
    },
    /** Forgets the batches of processes that have written none since. */
    async pruneWriters(beforeMs: number): Promise<void> {
      await db.deleteFrom('writers').where('written_at', '<', beforeMs).execute();
    },
  };
}
