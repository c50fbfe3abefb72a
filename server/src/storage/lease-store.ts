/**
 * Leases: parts of a key's day that processes take from storage and spend in memory. One statement takes a lease, so no
 * two processes are granted the same request, in either engine; what is taken counts as used until it is returned.
 */
import { sql } from './kysely.ts';
import type { Db } from './schema.ts';

/** A key's day, and the limit of that day. */
export type DayOfKey = { readonly keyId: string; readonly day: string };

export type Grant = {
  readonly granted: number;
  /** Of the day, after this grant. */
  readonly left: number;
  /** How much of the day other processes hold, or have lost. */
  readonly heldElsewhere: number;
};

export type Recall = DayOfKey & { readonly number: number };

export type LeaseStore = {
  /**
   * Takes up to `wanted` of what is left. `spent` is what the caller has spent of earlier leases and not reported yet.
   */
  take(of: DayOfKey, request: { wanted: number; limit: number; spent: number }): Promise<Grant>;
  /**
   * Ends a lease: reports what was spent of it and returns what was not. Negative `spent` undoes what was reported
   * before.
   */
  settle(of: DayOfKey, lease: { spent: number; unspent: number }): Promise<void>;
  /** Asks all processes to return what they hold of the key's day. */
  recall(of: DayOfKey): Promise<void>;
  /** Recalls since that number, oldest first. */
  recallsSince(number: number): Promise<Recall[]>;
  lastRecall(): Promise<number>;
  /** What was taken from each key's day: what was spent, and what processes hold. */
  takenOn(day: string): Promise<Map<string, number>>;
  /** Removes quotas and recalls of days before this one, at most `limit` quotas, and returns how many quotas. */
  prune(beforeDay: string, limit: number): Promise<number>;
};

/** A recall is answered within a second; those before the last thousand have been. */
const KEPT_RECALLS = 1_000;

export function leaseStore(db: Db): LeaseStore {
  return {
    async take({ keyId, day }, { wanted, limit, spent }) {
      const first = Math.min(wanted, limit);
      // What is left may be less than nothing, where a limit was lowered in the middle of the day.
      const grant = sql<number>`case
        when quota.granted >= ${limit} then 0
        when quota.granted + ${wanted} > ${limit} then ${limit} - quota.granted
        else ${wanted} end`;
      const row = await db
        .insertInto('quota')
        .values({ key_id: keyId, day, granted: first, settled: 0, last_granted: first })
        .onConflict((conflict) =>
          conflict.columns(['key_id', 'day']).doUpdateSet({
            granted: sql<number>`quota.granted + ${grant}`,
            settled: sql<number>`quota.settled + ${spent}`,
            last_granted: grant,
          }),
        )
        .returning(['granted', 'settled', 'last_granted'])
        .executeTakeFirstOrThrow();
      return {
        granted: row.last_granted,
        left: Math.max(0, limit - row.granted),
        heldElsewhere: row.granted - row.settled - row.last_granted,
      };
    },
    async settle({ keyId, day }, { spent, unspent }) {
      await db
        .updateTable('quota')
        .set((eb) => ({ granted: eb('granted', '-', unspent), settled: eb('settled', '+', spent) }))
        .where('key_id', '=', keyId)
        .where('day', '=', day)
        .execute();
    },
    async recall({ keyId, day }) {
      await db.transaction().execute(async (transaction) => {
        // The row lock of the revision orders recalls by commit: a reader never sees a number before the one ahead of
        // it.
        const { recalls: number } = await transaction
          .updateTable('revisions')
          .set((eb) => ({ recalls: eb('recalls', '+', 1) }))
          .returning('recalls')
          .executeTakeFirstOrThrow();
        await transaction.insertInto('recalls').values({ number, key_id: keyId, day }).execute();
        await transaction
          .deleteFrom('recalls')
          .where('number', '<', number - KEPT_RECALLS)
          .execute();
      });
    },
    async recallsSince(number) {
      const rows = await db
        .selectFrom('recalls')
        .select(['number', 'key_id as keyId', 'day'])
        .where('number', '>', number)
        .orderBy('number')
        .execute();
      return rows;
    },
    async lastRecall() {
      const { recalls } = await db.selectFrom('revisions').select('recalls').executeTakeFirstOrThrow();
      return recalls;
    },
    async takenOn(day) {
      const rows = await db.selectFrom('quota').select(['key_id', 'granted']).where('day', '=', day).execute();
      return new Map(rows.map(({ key_id, granted }) => [key_id, granted]));
    },
    async prune(beforeDay, limit) {
      // At most the thousand that are kept, so not in parts.
      await db.deleteFrom('recalls').where('day', '<', beforeDay).execute();
      const { numDeletedRows } = await db
        .deleteFrom('quota')
        .where(({ eb, refTuple, selectFrom }) =>
          eb(
            refTuple('key_id', 'day'),
            'in',
            selectFrom('quota')
              .select(['key_id', 'day'])
              .where('day', '<', beforeDay)
              .limit(limit)
              .$asTuple('key_id', 'day'),
          ),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
