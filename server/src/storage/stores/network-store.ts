/** Networks of looked-up addresses by day in storage, added up over all processes. */
import type { Db } from '../schema.ts';
import type { StatisticsChanges } from '../statistics-changes.ts';

export type NetworkSum = { readonly asn: number; readonly lookups: number };

export type NetworkStore = {
  readonly add: StatisticsChanges['addNetworks'];
  /** From this day on, the largest first. */
  since(day: string): Promise<NetworkSum[]>;
  /** Removes rows of days before this one, at most `limit`, and returns how many. */
  prune(beforeDay: string, limit: number): Promise<number>;
};

export function networkStore(db: Db, statistics: StatisticsChanges, reads: Db): NetworkStore {
  return {
    add: (batch, rows) => statistics.addNetworks(batch, rows),
    async since(day) {
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
    async prune(beforeDay, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('networks')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('day', 'asn'),
            'in',
            selectFrom('networks')
              .select(['day', 'asn'])
              .where('day', '<', beforeDay)
              .limit(limit)
              .$asTuple('day', 'asn'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
