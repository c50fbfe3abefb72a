/** Leases in transactions of several statements, for an engine without a network between. */
import type { RawBuilder } from 'kysely';
import { sql } from '../kysely.ts';
import type { DayOfKey, LeaseChanges } from '../lease-changes.ts';
import type { Db } from '../schema.ts';

export function transactionalLeases(db: Db, now: RawBuilder<number>): LeaseChanges {
  return {
    take: ({ keyId, day, owner }, { wanted, limit, spent, opened, open }, leaseMs) =>
      db.transaction().execute(async (transaction) => {
        const isOfDay = { key_id: keyId, day };
        const before = await transaction
          .selectFrom('quota')
          .select('granted')
          .where((eb) => eb.and(isOfDay))
          .executeTakeFirst();
        const heldElsewhere = await heldByOthers(transaction, { keyId, day }, owner);
        // A key that is used up asks again and again: nothing is written for it, as writing costs a sync to disk.
        if (wanted > 0 && before !== undefined && before.granted >= limit) {
          const found = await transaction
            .selectFrom('leases')
            .select(['granted', 'opened'])
            .where((eb) => eb.and({ ...isOfDay, owner }))
            .executeTakeFirst();
          return { ...(found ?? { granted: opened, opened }), left: 0, heldElsewhere };
        }
        const first = Math.min(wanted, limit);
        // What is left may be less than nothing, where a limit was lowered in the middle of the day.
        const grant = sql<number>`max(0, min(${wanted}, ${limit} - quota.granted))`;
        const quota = await transaction
          .insertInto('quota')
          .values({ key_id: keyId, day, granted: first, last_granted: first })
          .onConflict((conflict) =>
            conflict
              .columns(['key_id', 'day'])
              .doUpdateSet({ granted: sql<number>`quota.granted + ${grant}`, last_granted: grant }),
          )
          .returning(['granted', 'last_granted'])
          .executeTakeFirstOrThrow();
        const granted = opened + quota.last_granted;
        const sum = sql<number>`leases.granted + ${quota.last_granted}`;
        const lease = await transaction
          .insertInto('leases')
          .values({
            key_id: keyId,
            day,
            owner,
            granted,
            opened: Math.min(granted, open),
            spent,
            expires_at: sql<number>`${now} + ${leaseMs}`,
          })
          .onConflict((conflict) =>
            conflict.columns(['key_id', 'day', 'owner']).doUpdateSet({
              granted: sum,
              opened: sql<number>`max(leases.opened, min(${sum}, ${open}))`,
              spent,
              expires_at: sql<number>`excluded.expires_at`,
            }),
          )
          .returning(['granted', 'opened'])
          .executeTakeFirstOrThrow();
        return { ...lease, left: Math.max(0, limit - quota.granted), heldElsewhere };
      }),

    settle: (leases) =>
      db.transaction().execute(async (transaction) => {
        for (const { keyId, day, owner, spent } of leases) {
          const ended = await transaction
            .deleteFrom('leases')
            .where('key_id', '=', keyId)
            .where('day', '=', day)
            .where('owner', '=', owner)
            .returning('granted')
            .executeTakeFirst();
          if (ended !== undefined) await giveBack(transaction, { keyId, day }, ended.granted - spent);
        }
      }),

    reclaim: (limit, of) =>
      db.transaction().execute(async (transaction) => {
        let expired = transaction.selectFrom('leases').selectAll().where('expires_at', '<', now).limit(limit);
        if (of !== undefined) expired = expired.where('key_id', '=', of.keyId).where('day', '=', of.day);
        const leases = await expired.execute();
        for (const { key_id: keyId, day, owner, granted, opened } of leases) {
          await transaction
            .deleteFrom('leases')
            .where('key_id', '=', keyId)
            .where('day', '=', day)
            .where('owner', '=', owner)
            .execute();
          await giveBack(transaction, { keyId, day }, granted - opened);
        }
        return leases.length;
      }),
  };
}

async function heldByOthers(transaction: Db, { keyId, day }: DayOfKey, owner: string): Promise<number> {
  const others = await transaction
    .selectFrom('leases')
    .select((eb) => eb.fn.sum<number | null>(eb('granted', '-', eb.ref('spent'))).as('held'))
    .where('key_id', '=', keyId)
    .where('day', '=', day)
    .where('owner', '!=', owner)
    .executeTakeFirst();
  return others?.held ?? 0;
}

async function giveBack(transaction: Db, { keyId, day }: DayOfKey, unspent: number): Promise<void> {
  if (unspent === 0) return;
  await transaction
    .updateTable('quota')
    .set((eb) => ({ granted: eb('granted', '-', unspent) }))
    .where('key_id', '=', keyId)
    .where('day', '=', day)
    .execute();
}
