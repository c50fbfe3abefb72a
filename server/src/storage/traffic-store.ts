/** Counters of the API by hour in storage, added up over all processes. */
import type { RawBuilder } from 'kysely';
import { addOnce, type Batch } from './batch.ts';
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

/** `hour` is its start, in milliseconds since 1970. */
export type TrafficRow = { readonly hour: number; readonly counter: string; readonly count: number };

export type TrafficStore = {
  /** Nothing for a batch that is stored already. */
  add(batch: Batch, rows: readonly TrafficRow[]): Promise<void>;
  since(hour: number): Promise<TrafficRow[]>;
  prune(beforeHour: number): Promise<void>;
};

/** Three parameters each, well below the limit of either engine. */
const ROWS_PER_STATEMENT = 500;

export function trafficStore(db: Db, now: RawBuilder<number>): TrafficStore {
  return {
    async add(batch, rows) {
      // In one order, so that no two processes wait for each other's rows.
      const sorted = [...rows].sort((a, b) => a.hour - b.hour || (a.counter < b.counter ? -1 : 1));
      await addOnce(db, now, batch, async (transaction) => {
        for (let i = 0; i < sorted.length; i += ROWS_PER_STATEMENT) {
          await transaction
            .insertInto('traffic')
            .values(sorted.slice(i, i + ROWS_PER_STATEMENT).map((row) => ({ ...row })))
            .onConflict((conflict) =>
              conflict.columns(['hour', 'counter']).doUpdateSet({ count: sql<number>`traffic.count + excluded.count` }),
            )
            .execute();
        }
      });
    },
    since: (hour) => db.selectFrom('traffic').selectAll().where('hour', '>=', hour).orderBy('hour').execute(),
    async prune(beforeHour) {
      await db.deleteFrom('traffic').where('hour', '<', beforeHour).execute();
    },
  };
}
