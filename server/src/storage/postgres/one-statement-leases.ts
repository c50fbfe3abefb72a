/**
 * Leases in one statement each, so that a round trip is all they cost and nothing is left half done. Each locks the row
 * of a key's day before the leases of that day, and several days in one order: no two of them wait for each other.
 */
import type { RawBuilder } from 'kysely';
import { sql } from '../kysely.ts';
import type { LeaseChanges } from '../lease-changes.ts';
import type { Db } from '../schema.ts';

type TakenRow = { taken: number; granted: number; opened: number; elsewhere: number };

export function oneStatementLeases(db: Db, now: RawBuilder<number>): LeaseChanges {
  return {
    async take({ keyId, day, owner }, { wanted, limit, spent, opened, open }, leaseMs) {
      const first = Math.min(wanted, limit);
      // What is left may be less than nothing, where a limit was lowered in the middle of the day.
      const grant = sql`greatest(0, least(${bigint(wanted)}, ${bigint(limit)} - q.granted))`;
      const { rows } = await sql<TakenRow>`
        with day_of_key as (
          insert into quota as q (key_id, day, granted, last_granted)
          values (${keyId}, ${day}, ${bigint(first)}, ${bigint(first)})
          on conflict (key_id, day) do update set granted = q.granted + ${grant}, last_granted = ${grant}
          returning granted, last_granted
        ), lease as (
          insert into leases as l (key_id, day, owner, granted, opened, spent, expires_at)
          select ${keyId}, ${day}, ${owner}, ${bigint(opened)} + last_granted,
            least(${bigint(opened)} + last_granted, ${bigint(open)}), ${bigint(spent)}, ${now} + ${bigint(leaseMs)}
          from day_of_key
          on conflict (key_id, day, owner) do update set
            granted = l.granted + excluded.granted - ${bigint(opened)},
            opened = greatest(l.opened, least(l.granted + excluded.granted - ${bigint(opened)}, ${bigint(open)})),
            spent = excluded.spent,
            expires_at = excluded.expires_at
          returning granted, opened
        )
        select day_of_key.granted as taken, lease.granted, lease.opened, (
          select cast(coalesce(sum(granted - spent), 0) as bigint) from leases
          where key_id = ${keyId} and day = ${day} and owner <> ${owner}
        ) as elsewhere
        from day_of_key, lease`.execute(db);
      const [row] = rows as [TakenRow];
      return {
        granted: row.granted,
        opened: row.opened,
        left: Math.max(0, limit - row.taken),
        heldElsewhere: row.elsewhere,
      };
    },

    async settle(leases) {
      if (leases.length === 0) return;
      await sql`
        with given as (
          select * from unnest(
            ${leases.map(({ keyId }) => keyId)}::text[], ${leases.map(({ day }) => day)}::text[],
            ${leases.map(({ owner }) => owner)}::text[], ${leases.map(({ spent }) => spent)}::bigint[]
          ) as given (key_id, day, owner, spent)
        ), locked as materialized (
          select q.key_id, q.day from quota q where (q.key_id, q.day) in (select key_id, day from given)
          order by q.key_id, q.day for update
        ), ended as (
          delete from leases l using given g, locked k
          where (l.key_id, l.day, l.owner) = (g.key_id, g.day, g.owner) and (k.key_id, k.day) = (l.key_id, l.day)
          returning l.key_id, l.day, l.granted - g.spent as unspent
        ), returned as (
          select key_id, day, sum(unspent) as unspent from ended group by key_id, day
        )
        update quota q set granted = q.granted - r.unspent from returned r
        where (q.key_id, q.day) = (r.key_id, r.day)`.execute(db);
    },

    async reclaim(limit, of) {
      const only = of === undefined ? sql`true` : sql`key_id = ${of.keyId} and day = ${of.day}`;
      const { rows } = await sql<{ ended: number }>`
        with expired as (
          select distinct key_id, day from leases where expires_at < ${now} and ${only} limit ${limit}
        ), locked as materialized (
          select q.key_id, q.day from quota q where (q.key_id, q.day) in (select key_id, day from expired)
          order by q.key_id, q.day for update
        ), ended as (
          delete from leases l using locked k
          where (k.key_id, k.day) = (l.key_id, l.day) and l.expires_at < ${now}
          returning l.key_id, l.day, l.granted - l.opened as unopened
        ), returned as (
          select key_id, day, sum(unopened) as unopened from ended group by key_id, day
        ), updated as (
          update quota q set granted = q.granted - r.unopened from returned r
          where (q.key_id, q.day) = (r.key_id, r.day)
        )
        select cast(count(*) as integer) as ended from ended`.execute(db);
      return rows[0]?.ended ?? 0;
    },
  };
}

/** PostgreSQL cannot tell the type of a parameter from an expression of parameters. */
const bigint = (value: number) => sql<number>`cast(${value} as bigint)`;
