/** Networks of looked-up addresses by day in storage, added up over all processes. */
import type { Db } from '../schema.ts';
import type { StatisticsChanges } from '../statistics-changes.ts';
import { pruneRows } from '../tables.ts';

export type NetworkSum = { readonly asn: number; readonly lookups: number };

export function networkStore(db: Db, statistics: StatisticsChanges, reads: Db) {
  return {
    add: (...given: Parameters<StatisticsChanges['addNetworks']>) => statistics.addNetworks(...given),
    /** From this day on, the largest first. */
    async since(day: string): Promise<NetworkSum[]> {
      const sums = await reads
        .selectFrom('networks')
        .select('asn')
        .select((eb) => eb.fn.sum<number>('look_ups').as('lookups'))
        .where('day', '>=', day)
        .groupBy('asn')
        .execute();
      // PostgreSQL sums bigint as numeric, which arrives as text.
      return sums
        .map(({ asn, lookups }) => ({ asn, lookups: Number(lookups) }))
        .sort((a, b) => b.lookups - a.lookups || a.asn - b.asn);
    },
    /** Removes rows of days before this one, at most `limit`, and returns how many. */
    prune: (beforeDay: string, limit: number): Promise<number> => pruneRows(db, 'networks', 'day', beforeDay, limit),
  };
}

export type NetworkStore = ReturnType<typeof networkStore>;
