/** Leases in storage, and the recalls by which processes ask each other for them. */

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../schema.ts';
import { pruneRows } from '../tables.ts';
import type {
  DayOfKey,
  Grant,
  LeaseChanges,
  LeaseName,
  LeaseRequest,
  LeaseTake,
} from './lease-changes.ts';

export type Recall = DayOfKey & { readonly number: number };

/**
 * How long a lease lasts without a heartbeat; its owner may come back within it. No limit depends
 * on it.
 */
const LEASE_MS = 120_000;

/** A recall is answered within a second; those before the last thousand have been. */
const KEPT_RECALLS = 1_000;
const LEASES_PER_STATEMENT = 500;

type Database = {
  readonly db: Db;
  readonly statisticsReads: Db;
  /** SQL for the milliseconds since 1970 on the clock that all processes share. */
  readonly now: RawBuilder<number>;
  readonly leases: LeaseChanges;
};

export function leaseStore({ db, statisticsReads, now, leases }: Database, leaseMs = LEASE_MS) {
  const deadline = sql<number>`${now} + ${sql.lit(leaseMs)}`;
  const takes = new TakeQueue((batch) => leases.take(batch, leaseMs));
  return {
    /** Takes up to `wanted` of the day's remainder, and opens the requested part. */
    take: ({ keyId, day, owner }: LeaseName, request: LeaseRequest): Promise<Grant> =>
      takes.add({ keyId, day, owner, ...request }),
    /**
     * Ends leases: what was not spent goes back to their days. Those that were ended already are
     * left alone.
     */
    async end(all: readonly (LeaseName & { readonly spent: number })[]): Promise<void> {
      for (let i = 0; i < all.length; i += LEASES_PER_STATEMENT)
        await leases.end(all.slice(i, i + LEASES_PER_STATEMENT));
    },
    async renew(owners: readonly string[]): Promise<void> {
      for (let i = 0; i < owners.length; i += LEASES_PER_STATEMENT) {
        await db
          .updateTable('leases')
          .set({ expires_at: deadline })
          .where('owner', 'in', owners.slice(i, i + LEASES_PER_STATEMENT))
          .execute();
      }
    },
    /**
     * Ends leases past their deadline: what was not opened goes back. Of one key's day, or of all.
     * How many leases.
     */
    reclaim: (of?: DayOfKey): Promise<number> => leases.reclaim(LEASES_PER_STATEMENT, of),
    recall: (of: DayOfKey): Promise<void> => leases.recall(of, KEPT_RECALLS),
    async recallsSince(number: number): Promise<Recall[]> {
      const rows = await db
        .selectFrom('recalls')
        .select(['number', 'key_id as keyId', 'day'])
        .where('number', '>', number)
        .orderBy('number')
        .execute();
      return rows;
    },
    async lastRecall(): Promise<number> {
      const { recalls } = await db
        .selectFrom('revisions')
        .select('recalls')
        .executeTakeFirstOrThrow();
      return recalls;
    },
    /**
     * What was taken from the day of these keys, or of all: what was spent, and what processes
     * hold.
     */
    async takenOn(day: string, keyIds?: readonly string[]): Promise<Map<string, number>> {
      if (keyIds?.length === 0) return new Map();
      const rows = await statisticsReads
        .selectFrom('quota')
        .select(['key_id', 'granted'])
        .where('day', '=', day)
        .$if(keyIds !== undefined, (query) => query.where('key_id', 'in', keyIds ?? []))
        .execute();
      return new Map(rows.map(({ key_id, granted }) => [key_id, granted]));
    },
    /**
     * Removes quotas, leases and recalls of days before this one, at most `limit` quotas; returns
     * how many quotas.
     */
    async prune(beforeDay: string, limit: number): Promise<number> {
      // At most the thousand that are kept, so not in parts.
      await db.deleteFrom('recalls').where('day', '<', beforeDay).execute();
      await db.deleteFrom('leases').where('day', '<', beforeDay).execute();
      return pruneRows(db, 'quota', 'day', beforeDay, limit);
    },
  };
}

export type LeaseStore = ReturnType<typeof leaseStore>;

/** Bounds how long a statement holds its locks. */
const MAX_BATCH = 250;

type Waiter = {
  readonly take: LeaseTake;
  readonly resolve: (grant: Grant) => void;
  readonly reject: (error: unknown) => void;
};

// Leases of many keys in one statement, one at a time: the busier storage is, the more leases share
// a sync to disk.
class TakeQueue {
  readonly #takeAll: (takes: readonly LeaseTake[]) => Promise<readonly Grant[]>;
  #waiting: Waiter[] = [];
  #isRunning = false;

  constructor(takeAll: (takes: readonly LeaseTake[]) => Promise<readonly Grant[]>) {
    this.#takeAll = takeAll;
  }

  add(take: LeaseTake): Promise<Grant> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ take, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const grants = await this.#takeAll(batch.map(({ take }) => take));
        for (const [i, { resolve }] of batch.entries()) resolve(grants[i] as Grant);
      } catch (error) {
        // Those behind would wait as long for the same lock, disk or network.
        for (const { reject } of [...batch, ...this.#waiting]) reject(error);
        this.#waiting = [];
      }
    }
    this.#isRunning = false;
  }

  /** The oldest of each key: a statement cannot change a row twice. */
  #nextBatch(): Waiter[] {
    const batch = new Map<string, Waiter>();
    const later: Waiter[] = [];
    for (const waiter of this.#waiting) {
      if (batch.size < MAX_BATCH && !batch.has(waiter.take.keyId))
        batch.set(waiter.take.keyId, waiter);
      else later.push(waiter);
    }
    this.#waiting = later;
    return [...batch.values()];
  }
}
