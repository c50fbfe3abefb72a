// A batch and its number in one statement: a busy key's rows are locked by one process after
// another, which over several round trips would limit a deployment. All lock rows in the same
// order, so two cannot deadlock.
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../schema.ts';
import {
  type Batch,
  HOUR_CHANGES,
  hourRows,
  KEY_USE_CHANGES,
  keyUseRow,
  type StatisticsChanges,
  usageRows,
} from '../statistics-changes.ts';

/** Some tens of milliseconds, far below the timeout of a statement. */
const ROWS_PER_STATEMENT = 2_000;

export function oneStatementStatistics(db: Db, now: RawBuilder<number>): StatisticsChanges {
  /** No row if this batch or a later one of its writer is already stored. */
  const claimed = ({ writer, number }: Batch) => sql`claimed as (
    insert into writers as w (id, last_batch, written_at) values (${writer}, ${number}, ${now})
    on conflict (id) do update set last_batch = excluded.last_batch, written_at = excluded.written_at
    where w.last_batch < excluded.last_batch
    returning id
  )`;
  return {
    async addUsage(batch, rows, uses) {
      const seen = [...uses].map(([id, use]) => keyUseRow(id, use));
      const counts = usageRows(rows);
      const hours = hourRows(uses);
      for (const [part, i] of partsOf(batch, Math.max(counts.length, seen.length, hours.length))) {
        await sql`
          with ${claimed(part)}, counted as (
            insert into usage as u (key_id, day, endpoint, status_class, requests)
            select key_id, day, endpoint, status_class, requests
            from claimed, jsonb_to_recordset(${json(counts, i)}) as given (
              key_id text, day text, endpoint text, status_class integer, requests bigint
            )
            order by key_id, day, endpoint, status_class
            on conflict (key_id, day, endpoint, status_class) do update set requests = u.requests + excluded.requests
            returning 1
          ), by_hour as (
            insert into key_hours (key_id, hour, reason, requests, last_at, detail)
            select key_id, hour, reason, requests, last_at, detail
            from claimed, jsonb_to_recordset(${json(hours, i)}) as given (
              key_id text, hour bigint, reason text, requests bigint, last_at bigint, detail text
            )
            where (select count(*) from counted) >= 0
            order by key_id, hour, reason
            on conflict (key_id, hour, reason) do update set ${sql.raw(HOUR_CHANGES)}
            returning 1
          ), seen as materialized (
            select given.* from claimed, jsonb_to_recordset(${json(seen, i)}) as given (
              id text, used_at bigint, used_from text, first_at bigint, first_from text, first_status integer,
              refused bigint, refused_at bigint, refused_from text, day_rank bigint, requests bigint
            )
            -- After the rows above, so that all statements lock in this order.
            where (select count(*) from by_hour) >= 0
          ), locked as materialized (
            select id from keys where id in (select id from seen) order by id for no key update
          )
          update keys set ${sql.raw(KEY_USE_CHANGES)} from seen, locked
          where keys.id = seen.id and keys.id = locked.id`.execute(db);
      }
    },
    async addTraffic(batch, rows) {
      for (const [part, i] of partsOf(batch, rows.length)) {
        await sql`
          with ${claimed(part)}
          insert into traffic as t (hour, counter, count)
          select hour, counter, count from claimed, jsonb_to_recordset(${json(rows, i)}) as given (
            hour bigint, counter text, count bigint
          )
          order by hour, counter
          on conflict (hour, counter) do update set count = t.count + excluded.count`.execute(db);
      }
    },
  };
}

/**
 * A large batch is several, each with a writer of its own: those that are stored are left out when
 * it is repeated.
 */
function* partsOf({ writer, number }: Batch, rows: number): Generator<[part: Batch, from: number]> {
  for (let i = 0; i === 0 || i < rows; i += ROWS_PER_STATEMENT)
    yield [{ writer: i === 0 ? writer : `${writer}/${i}`, number }, i];
}

const json = (rows: readonly object[], from: number) =>
  sql`cast(${JSON.stringify(rows.slice(from, from + ROWS_PER_STATEMENT))} as jsonb)`;
