/** Counters of the API by hour in storage, added up over all processes. */
import type { Db } from '../schema.ts';
import type { StatisticsChanges, TrafficRow } from '../statistics-changes.ts';

export type TrafficStore = {
  readonly add: StatisticsChanges['addTraffic'];
  since(hour: number): Promise<TrafficRow[]>;
  /** Returns how many rows were removed. */
  prune(beforeHour: number): Promise<number>;
};

export function trafficStore(db: Db, statistics: StatisticsChanges, reads: Db): TrafficStore {
  return {
    add: (batch, rows) => statistics.addTraffic(batch, rows),
    since: (hour) => reads.selectFrom('traffic').selectAll().where('hour', '>=', hour).orderBy('hour').execute(),
    async prune(beforeHour) {
      const { numDeletedRows } = await db.deleteFrom('traffic').where('hour', '<', beforeHour).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
