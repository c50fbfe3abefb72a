// Leases in transactions that lock first. Rows are one JSON text, so the cost hardly depends on
// their number.
import { type RawBuilder, sql } from 'kysely';
import type {
  DayOfKey,
  Grant,
  LeaseChanges,
  LeaseName,
  LeaseTake,
} from '../leases/lease-changes.ts';
import type { Db } from '../schema.ts';

/** Stored values before a take; null if there is no row. */
type StoredRow = {
  readonly taken: number | null;
  readonly granted: number | null;
  readonly opened: number | null;
  readonly heldElsewhere: number;
};

type EndedLease = LeaseName & { readonly granted: number };

/** What a take changes. */
type Change = {
  readonly take: LeaseTake;
  readonly grant: Grant;
  readonly grantedNow: number;
  /** Total granted of the key's day, after this change. */
  readonly taken: number;
  readonly isExhausted: boolean;
};

type Returned = DayOfKey & { readonly unspent: number };

export function transactionalLeases(db: Db, now: RawBuilder<number>): LeaseChanges {
  return {
    take: (takes, leaseMs) =>
      db.transaction().execute(async (transaction) => {
        const stored = await storedRows(transaction, takes);
        const changes = takes.map((take, i) => changeBy(take, stored[i] as StoredRow));
        // Exhausted keys keep asking. Nothing is written for them, because a write costs a sync to
        // disk.
        const written = changes.filter(({ isExhausted }) => !isExhausted);
        if (written.length > 0) {
          await writeDays(transaction, written);
          await writeLeases(transaction, written, sql<number>`${now} + ${leaseMs}`);
        }
        return changes.map(({ grant }) => grant);
      }),

    end: (leases) =>
      db.transaction().execute(async (transaction) => {
        const ended = await remove(transaction, leases);
        const granted = new Map(ended.map((lease) => [nameOf(lease), lease.granted]));
        const returned = leases.flatMap((lease) => {
          const held = granted.get(nameOf(lease));
          granted.delete(nameOf(lease));
          return held === undefined ? [] : [{ ...lease, unspent: held - lease.spent }];
        });
        await refund(transaction, returned);
      }),

    reclaim: (limit, of) =>
      db.transaction().execute(async (transaction) => {
        let expired = transaction
          .selectFrom('leases')
          .select(['key_id as keyId', 'day', 'owner', 'granted', 'opened'])
          .where('expires_at', '<', now)
          .limit(limit);
        if (of !== undefined)
          expired = expired.where('key_id', '=', of.keyId).where('day', '=', of.day);
        const leases = await expired.execute();
        await remove(transaction, leases);
        await refund(
          transaction,
          leases.map((lease) => ({ ...lease, unspent: lease.granted - lease.opened })),
        );
        return leases.length;
      }),

    recall: ({ keyId, day }, kept) =>
      db.transaction().execute(async (transaction) => {
        const { recalls: number } = await transaction
          .updateTable('revisions')
          .set((eb) => ({ recalls: eb('recalls', '+', 1) }))
          .returning('recalls')
          .executeTakeFirstOrThrow();
        await transaction.insertInto('recalls').values({ number, key_id: keyId, day }).execute();
        await transaction
          .deleteFrom('recalls')
          .where('number', '<', number - kept)
          .execute();
      }),
  };
}

function changeBy(take: LeaseTake, stored: StoredRow): Change {
  const { wanted, limit, opened, open } = take;
  const takenBefore = stored.taken ?? 0;
  // The remainder is negative if the limit was lowered during the day.
  const grantedNow = Math.max(0, Math.min(wanted, limit - takenBefore));
  const granted = (stored.granted ?? opened) + grantedNow;
  const isExhausted = wanted > 0 && stored.taken !== null && stored.taken >= limit;
  const grant = {
    granted,
    opened: Math.max(stored.opened ?? 0, isExhausted ? opened : Math.min(granted, open)),
    left: Math.max(0, limit - takenBefore - grantedNow),
    heldElsewhere: stored.heldElsewhere,
  };
  return { take, grant, grantedNow, taken: takenBefore + grantedNow, isExhausted };
}

async function storedRows(
  transaction: Db,
  takes: readonly LeaseTake[],
): Promise<readonly StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select q.granted as taken, l.granted, l.opened, (
      select coalesce(sum(o.granted - o.spent), 0) from leases o
      where o.key_id = t.value ->> 0 and o.day = t.value ->> 1 and o.owner <> t.value ->> 2
    ) as heldElsewhere
    from json_each(${namesOf(takes)}) t
    left join quota q on q.key_id = t.value ->> 0 and q.day = t.value ->> 1
    left join leases l on l.key_id = t.value ->> 0 and l.day = t.value ->> 1 and l.owner = t.value ->> 2
    order by t.key`.execute(transaction);
  return rows;
}

async function writeDays(transaction: Db, changes: readonly Change[]): Promise<void> {
  const rows = changes.map(({ take: { keyId, day }, taken, grantedNow }) => [
    keyId,
    day,
    taken,
    grantedNow,
  ]);
  await sql`
    insert into quota (key_id, day, granted, last_granted)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${JSON.stringify(rows)}) where true
    on conflict (key_id, day) do update set granted = excluded.granted, last_granted = excluded.last_granted
  `.execute(transaction);
}

async function writeLeases(
  transaction: Db,
  changes: readonly Change[],
  expiresAt: RawBuilder<number>,
): Promise<void> {
  const rows = changes.map(({ take: { keyId, day, owner, spent }, grant: { granted, opened } }) => [
    keyId,
    day,
    owner,
    granted,
    opened,
    spent,
  ]);
  await sql`
    insert into leases (key_id, day, owner, granted, opened, spent, expires_at)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, ${expiresAt}
    from json_each(${JSON.stringify(rows)}) where true
    on conflict (key_id, day, owner) do update set
      granted = excluded.granted, opened = excluded.opened, spent = excluded.spent, expires_at = excluded.expires_at
  `.execute(transaction);
}

async function remove(
  transaction: Db,
  leases: readonly LeaseName[],
): Promise<readonly EndedLease[]> {
  if (leases.length === 0) return [];
  const { rows } = await sql<EndedLease>`
    delete from leases where (key_id, day, owner) in (
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${namesOf(leases)})
    ) returning key_id as keyId, day, owner, granted`.execute(transaction);
  return rows;
}

async function refund(transaction: Db, returned: readonly Returned[]): Promise<void> {
  const some = returned.filter(({ unspent }) => unspent !== 0);
  if (some.length === 0) return;
  const rows = JSON.stringify(some.map(({ keyId, day, unspent }) => [keyId, day, unspent]));
  // Summed by day: several leases can be from one day, and an update changes each row only once.
  await sql`
    update quota set granted = quota.granted - r.unspent
    from (
      select value ->> 0 as key_id, value ->> 1 as day, sum(value ->> 2) as unspent
      from json_each(${rows}) group by 1, 2
    ) r where quota.key_id = r.key_id and quota.day = r.day`.execute(transaction);
}

function namesOf(leases: readonly LeaseName[]): string {
  return JSON.stringify(leases.map(({ keyId, day, owner }) => [keyId, day, owner]));
}

function nameOf({ keyId, day, owner }: LeaseName): string {
  return `${keyId} ${day} ${owner}`;
}
