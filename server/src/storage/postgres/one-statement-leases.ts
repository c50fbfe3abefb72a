// Lease operations as one statement each. All lock days, in order, before leases, so two cannot
// deadlock.
import { type RawBuilder, sql } from 'kysely';
import type { LeaseChanges } from '../leases/lease-changes.ts';
import type { Db } from '../schema.ts';

type TakenRow = {
  key_id: string;
  taken: number;
  granted: number;
  opened: number;
  elsewhere: number;
};

export function oneStatementLeases(db: Db, now: RawBuilder<number>): LeaseChanges {
  return {
    async take(takes, leaseMs) {
      // By key id, because `on conflict` sees the existing and the new row, but not the input that
      // they come from.
      const byKey = Object.fromEntries(
        takes.map(({ keyId, wanted, limit, ...take }) => [
          keyId,
          { ...take, wanted: Math.min(wanted, limit), limit },
        ]),
      );
      const inputOf = (key: RawBuilder<unknown>, name: string) =>
        sql`cast((select takes from input) #>> array[${key}, ${sql.lit(name)}] as bigint)`;
      // The remainder is negative if the limit was lowered during the day.
      const grant = sql`greatest(0, least(excluded.granted, ${inputOf(sql`q.key_id`, 'limit')} - q.granted))`;
      const granted = sql`l.granted + excluded.granted - ${inputOf(sql`l.key_id`, 'opened')}`;
      const { rows } = await sql<TakenRow>`
        with input as materialized (
          select cast(${JSON.stringify(byKey)} as jsonb) as takes
        ), asked as materialized (
          select key as key_id, take.* from input, jsonb_each(takes), jsonb_to_record(value) as take (
            day text, owner text, wanted bigint, spent bigint, opened bigint, open bigint
          )
        ), day_of_key as (
          insert into quota as q (key_id, day, granted, last_granted)
          select key_id, day, wanted, wanted from asked order by key_id, day
          on conflict (key_id, day) do update set granted = q.granted + ${grant}, last_granted = ${grant}
          returning key_id, granted, last_granted
        ), lease as (
          insert into leases as l (key_id, day, owner, granted, opened, spent, expires_at)
          select key_id, day, owner, opened + last_granted, least(opened + last_granted, open), spent,
            ${now} + ${bigint(leaseMs)}
          from asked join day_of_key using (key_id)
          on conflict (key_id, day, owner) do update set
            granted = ${granted},
            opened = greatest(l.opened, least(${granted}, ${inputOf(sql`l.key_id`, 'open')})),
            spent = excluded.spent,
            expires_at = excluded.expires_at
          returning key_id, granted, opened
        )
        select key_id, day_of_key.granted as taken, lease.granted, lease.opened, (
          select cast(coalesce(sum(other.granted - other.spent), 0) as bigint) from leases other
          where other.key_id = asked.key_id and other.day = asked.day and other.owner <> asked.owner
        ) as elsewhere
        from asked join day_of_key using (key_id) join lease using (key_id)`.execute(db);
      const taken = new Map(rows.map((row) => [row.key_id, row]));
      return takes.map(({ keyId, limit }) => {
        const row = taken.get(keyId) as TakenRow;
        return {
          granted: row.granted,
          opened: row.opened,
          left: Math.max(0, limit - row.taken),
          heldElsewhere: row.elsewhere,
        };
      });
    },

    async end(leases) {
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

    async recall({ keyId, day }, kept) {
      // The row lock of the revision orders recalls by commit: a reader never sees a number before
      // the one ahead of it.
      await sql`
        with moved as (
          update revisions set recalls = recalls + 1 returning recalls
        ), removed as (
          delete from recalls where number < (select recalls from moved) - ${bigint(kept)}
        )
        insert into recalls (number, key_id, day) select recalls, ${keyId}, ${day} from moved`.execute(
        db,
      );
    },
  };
}

/** PostgreSQL cannot infer the type of a parameter from an expression of parameters. */
const bigint = (value: number) => sql<number>`cast(${value} as bigint)`;
