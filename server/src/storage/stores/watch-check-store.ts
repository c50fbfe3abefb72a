/**
 * Checks of watched domains in storage: each is claimed by one process. What it found is stored in
 * one transaction with the events that follow, and only while the claim is valid.
 */
import { sql } from 'kysely';
import { DAY_MS } from '../../day.ts';
import { severityOf } from '../../vocabulary.ts';
import type { Engine } from '../engine.ts';
import { fromRow } from '../rows.ts';
import { type EventChanges, eventsOf, type WatchEvent, writeEvents } from './watch-event-store.ts';
import type { WatchedDomain } from './watched-domain-store.ts';

/** Longer than until any check. What is later was written when the clock was wrong, and is due. */
const MAX_AHEAD_MS = 2 * DAY_MS;

export type CheckedColumns = Partial<
  Pick<WatchedDomain, 'answeredAt' | 'score' | 'grade' | 'policy' | 'verdict'>
> &
  Pick<WatchedDomain, 'dueAt' | 'triedAt' | 'state'> & {
    readonly unansweredSinceAt: Date | undefined;
  };

export function watchCheckStore({ db, statisticsReads: reads, name: engine }: Engine) {
  const skipLocked = engine === 'PostgreSQL' ? sql`for update skip locked` : sql``;
  return {
    /** Whether a check may begin; undefined if nothing is watched. */
    async isDue(now: Date): Promise<boolean | undefined> {
      const row = await db
        .selectFrom('watched_domains')
        .select((eb) => [
          eb.fn.min<number | null>('due_at').as('first'),
          eb.fn.max<number | null>('due_at').as('last'),
        ])
        .executeTakeFirst();
      if (row?.first == null || row.last == null) return undefined;
      return row.first <= now.getTime() || row.last > now.getTime() + MAX_AHEAD_MS;
    },

    /**
     * For one process each: those that are due, and not claimed by a process that still may run.
     */
    async claimDue(now: Date, claim: string, untilMs: number, limit: number) {
      const nowMs = now.getTime();
      const aheadMs = nowMs + MAX_AHEAD_MS;
      const { rows } = await sql<never>`
        update watched_domains set claim = ${claim}, claimed_until = ${untilMs}
        where domain in (
          select domain from watched_domains
          where (due_at <= ${nowMs} or due_at > ${aheadMs})
            and (claimed_until <= ${nowMs} or claimed_until > ${aheadMs})
          order by due_at, domain limit ${limit} ${skipLocked}
        ) returning *`.execute(db);
      return rows.map((row) => fromRow<'watched_domains'>(row));
    },

    /** The next check may begin at once, by any process. */
    async release(claim: string): Promise<void> {
      await db
        .updateTable('watched_domains')
        .set({ claim: null, claimed_until: 0 })
        .where('claim', '=', claim)
        .execute();
    },

    /** False if the claim has passed to another process, or the domain is no longer watched. */
    record: (
      domain: string,
      claim: string,
      columns: CheckedColumns,
      changes: EventChanges,
      now: Date,
    ): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('watched_domains')
          .set({ ...columnsOf(columns), claim: null, claimed_until: 0 })
          .where('domain', '=', domain)
          .where('claim', '=', claim)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        await writeEvents(transaction, domain, changes, now);
        return true;
      }),

    /** Events of the deployment, which one caller per `intervalMs` judges. */
    reviewDeployment: (
      now: Date,
      intervalMs: number,
      judge: (events: readonly WatchEvent[]) => EventChanges,
      resolvedSince: Date,
    ): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('watch_state')
          .set({ looked_at: now.getTime() })
          .where((eb) =>
            eb.or([
              eb('looked_at', '<=', now.getTime() - intervalMs),
              eb('looked_at', '>', now.getTime()),
            ]),
          )
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        const events = await eventsOf(transaction, '', resolvedSince);
        await writeEvents(transaction, '', judge(events), now);
        return true;
      }),

    /**
     * By domain the last regular check, the latest first: when it was, and whether it got an
     * answer. Repeated checks of a domain that did not answer are not among them.
     */
    async lastChecks(limit: number): Promise<{ at: Date; isAnswered: boolean }[]> {
      const { rows } = await sql<{ at: number; is_answered: number }>`
        select coalesce(unanswered_since_at, tried_at) as at,
          case when unanswered_since_at is null then 1 else 0 end as is_answered
        from watched_domains where tried_at is not null and domain not in (
          select domain from watch_events where code = 'dns_unavailable' and resolved_at is null)
        order by 1 desc limit ${limit}`.execute(reads);
      return rows.map(({ at, is_answered }) => ({
        at: new Date(Number(at)),
        isAnswered: Number(is_answered) === 1,
      }));
    },

    async counts(lateBefore: Date) {
      const { rows } = await sql<{ domains: number; late: number }>`
        select count(*) as domains,
          coalesce(sum(case when due_at < ${lateBefore.getTime()} then 1 else 0 end), 0) as late
        from watched_domains`.execute(reads);
      const open = await reads
        .selectFrom('watch_events')
        .select(['severity', (eb) => eb.fn.countAll<number>().as('events')])
        .where('resolved_at', 'is', null)
        .groupBy('severity')
        .execute();
      const openEvents = new Map(open.map((row) => [severityOf(row.severity), Number(row.events)]));
      return {
        domains: Number(rows[0]?.domains ?? 0),
        late: Number(rows[0]?.late ?? 0),
        openEvents,
      };
    },
  };
}

function columnsOf({ dueAt, triedAt, answeredAt, unansweredSinceAt, ...rest }: CheckedColumns) {
  return {
    ...rest,
    due_at: dueAt.getTime(),
    ...(triedAt && { tried_at: triedAt.getTime() }),
    ...(answeredAt && { answered_at: answeredAt.getTime() }),
    unanswered_since_at: unansweredSinceAt?.getTime() ?? null,
  };
}
