/** Counters of the API by hour in storage, added up over all processes. */
import type { Db } from '../schema.ts';
import type { StatisticsChanges, TrafficRow } from '../statistics-changes.ts';

export function trafficStore(db: Db, statistics: StatisticsChanges, reads: Db) {
  return {
    add: (...given: Parameters<StatisticsChanges['addTraffic']>) => statistics.addTraffic(...given),
    since: (hour: number): Promise<TrafficRow[]> =>
      reads.selectFrom('traffic').selectAll().where('hour', '>=', hour).orderBy('hour').execute(),
    /** Returns how many rows were removed. */
    async prune(beforeHour: number): Promise<number> {
      const { numDeletedRows } = await db.deleteFrom('traffic').where('hour', '<', beforeHour).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

export type TrafficStore = ReturnType<typeof trafficStore>;
