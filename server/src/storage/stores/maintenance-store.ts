/** What processes do to look after the database: try whether it can be written, and take turns in removing old rows. */
import type { Db } from '../schema.ts';

export type MaintenanceStore = {
  /** Throws when storage cannot be written. */
  probe(): Promise<void>;
  /** True for one caller, of all processes, in every `intervalMs`. */
  claimPruning(nowMs: number, intervalMs: number): Promise<boolean>;
  /** Forgets the batches of processes that have written none since. */
  pruneWriters(beforeMs: number): Promise<void>;
};

export function maintenanceStore(db: Db): MaintenanceStore {
  return {
    async probe() {
      // Another value each time: SQLite does not write a page whose content stays the same.
      await db
        .updateTable('maintenance')
        .set((eb) => ({ probes: eb('probes', '+', 1) }))
        .execute();
    },
    async claimPruning(nowMs, intervalMs) {
      const { numUpdatedRows } = await db
        .updateTable('maintenance')
        .set({ pruned_at: nowMs })
        // Far in the future: a clock was wrong when it was last claimed.
        .where((eb) => eb.or([eb('pruned_at', '<=', nowMs - intervalMs), eb('pruned_at', '>', nowMs + intervalMs)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async pruneWriters(beforeMs) {
      await db.deleteFrom('writers').where('written_at', '<', beforeMs).execute();
    },
  };
}
