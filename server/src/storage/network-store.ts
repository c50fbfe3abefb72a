/** Networks of looked-up addresses by day in storage, added up over all processes. */
import type { RawBuilder } from 'kysely';
import { addOnce, type Batch } from './batch.ts';
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

/** `asn` is 0 for networks that are counted together. */
export type NetworkRow = { readonly day: string; readonly asn: number; readonly lookUps: number };
export type NetworkSum = { readonly asn: number; readonly lookUps: number };

export type NetworkStore = {
  /** Adds to what is stored: all of it, or nothing; nothing for a batch that is stored already. */
  add(batch: Batch, rows: readonly NetworkRow[]): Promise<void>;
  /** From this day on, the largest first. */
  since(day: string): Promise<NetworkSum[]>;
  /** Removes rows of days before this one, at most `limit`, and returns how many. */
  prune(beforeDay: string, limit: number): Promise<number>;
};

/** Three parameters each, well below the limit of either engine. */
const ROWS_PER_STATEMENT = 500;

export function networkStore(db: Db, now: RawBuilder<number>): NetworkStore {
  return {
    async add(batch, rows) {
      // In one order, so that no two processes wait for each other's rows.
      const sorted = [...rows].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.asn - b.asn));
      await addOnce(db, now, batch, async (transaction) => {
        for (let i = 0; i < sorted.length; i += ROWS_PER_STATEMENT) {
          await transaction
            .insertInto('networks')
            .values(
              sorted.slice(i, i + ROWS_PER_STATEMENT).map(({ day, asn, lookUps }) => ({ day, asn, look_ups: lookUps })),
            )
            .onConflict((conflict) =>
              conflict
                .columns(['day', 'asn'])
                .doUpdateSet({ look_ups: sql<number>`networks.look_ups + excluded.look_ups` }),
            )
            .execute();
        }
      });
    },
    async since(day) {
      const sums = await db
        .selectFrom('networks')
        .select('asn')
        .select((eb) => eb.fn.sum<number>('look_ups').as('lookUps'))
        .where('day', '>=', day)
        .groupBy('asn')
        .execute();
      // PostgreSQL sums bigint as numeric, which arrives as text.
      return sums
        .map(({ asn, lookUps }) => ({ asn, lookUps: Number(lookUps) }))
        .sort((a, b) => b.lookUps - a.lookUps || a.asn - b.asn);
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
