/** Events of watched domains in storage, and the order in which they opened and ended. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { type EventState, rankOf, type Severity, severityOf } from '../../vocabulary.ts';
import type { Engine } from '../engine.ts';
import { findAll, findFirst, fromRow, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';
import { type Allowed, isAllowed } from './allowed-domains.ts';

type EventSource = 'check' | 'reports';
/**
 * Why an opening is not alerted: it was there at the first check, or a new release finds it first.
 */
export type Quiet = 'first_check' | 'new_release';

/**
 * `domain` is empty for events of the deployment. Events from reports are shown only to those who
 * may read reports of the domain.
 */
export type WatchEvent = Omit<Stored<'watch_events'>, 'severity' | 'source' | 'quiet'> & {
  readonly severity: Severity;
  readonly source: EventSource;
  readonly quiet?: Quiet;
};

export type NewEvent = Pick<
  WatchEvent,
  'code' | 'subject' | 'source' | 'severity' | 'sentence' | 'act' | 'firstSeenAt'
> & {
  readonly oldText?: string | undefined;
  readonly newText?: string | undefined;
  readonly quiet?: Quiet | undefined;
};

/** An event comes at most once with each kind. */
export type WatchChange = {
  readonly seq: number;
  readonly kind: 'opened' | 'resolved';
  readonly at: Date;
  readonly event: WatchEvent;
};

/**
 * What becomes of the events of a domain. Texts and severity of open ones follow the last check.
 */
export type EventChanges = {
  readonly opened: readonly NewEvent[];
  readonly reopened: readonly string[];
  readonly resolved: readonly string[];
  readonly seen: readonly (Pick<WatchEvent, 'id' | 'severity' | 'sentence' | 'act'> &
    Pick<NewEvent, 'newText'>)[];
};

export type EventSelection = {
  readonly allowed: Allowed;
  readonly mayReadReports: boolean;
  readonly domain?: string | undefined;
  readonly state?: EventState | undefined;
  /** Opened, reopened or resolved since. */
  readonly since?: Date | undefined;
  /** The id of the last event of the page before. */
  readonly before?: string | undefined;
  readonly limit: number;
};

export function watchEventStore({ db, statisticsReads: reads }: Engine) {
  return {
    /** Open events of a domain, and those that were resolved since. */
    eventsOf: (domain: string, resolvedSince: Date) => eventsOf(db, domain, resolvedSince),

    async event(id: string): Promise<WatchEvent | undefined> {
      const row = await findFirst<'watch_events'>(
        db.selectFrom('watch_events').selectAll().where('id', '=', id),
      );
      return row && toEvent(row);
    },

    /** The latest openings first. */
    async events(selection: EventSelection): Promise<WatchEvent[]> {
      const { domain, state, since, before, limit, mayReadReports, allowed } = selection;
      const wanted = [isAllowed(allowed)];
      if (!mayReadReports) wanted.push(sql`source <> 'reports'`);
      if (domain !== undefined) wanted.push(sql`domain = ${domain}`);
      if (state === 'open') wanted.push(sql`resolved_at is null`);
      if (state === 'resolved') wanted.push(sql`resolved_at is not null`);
      if (since !== undefined) {
        const ms = since.getTime();
        wanted.push(sql`(first_seen_at >= ${ms} or reopened_at >= ${ms} or resolved_at >= ${ms})`);
      }
      if (before !== undefined) wanted.push(sql`id < ${before}`);
      const { rows } = await sql<never>`select * from watch_events
        where ${sql.join(wanted, sql` and `)} order by id desc limit ${limit}`.execute(reads);
      return rows.map((row) => toEvent(fromRow<'watch_events'>(row)));
    },

    /**
     * Resolves an event as accepted, with the state that the next check is compared with. A check
     * that is in progress is repeated. False if the domain was checked meanwhile or the event has
     * ended.
     */
    accept: (
      { id, domain }: Pick<WatchEvent, 'id' | 'domain'>,
      state: { readonly before: string; readonly after: string },
      by: string,
      now: Date,
    ): Promise<boolean> =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('watched_domains')
          .set({ state: state.after, claim: null, claimed_until: 0 })
          .where('domain', '=', domain)
          .where('state', '=', state.before)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        return (await resolveEvents(transaction, [id], now, by)) === 1;
      }),

    /**
     * Openings and ends after a number, in order, with the events as they are now. A change is
     * never committed before one with a smaller number.
     */
    async changesAfter(seq: number, limit: number): Promise<WatchChange[]> {
      const rows = await db
        .selectFrom('watch_changes')
        .innerJoin('watch_events', 'watch_events.id', 'watch_changes.event_id')
        .selectAll('watch_events')
        .select(['watch_changes.seq', 'watch_changes.kind', 'watch_changes.at'])
        .where('watch_changes.seq', '>', seq)
        .orderBy('watch_changes.seq')
        .limit(limit)
        .execute();
      return rows.map(({ seq: number, kind, at, ...event }) => ({
        seq: number,
        // Written by `addChanges`.
        kind: kind as WatchChange['kind'],
        at: new Date(at),
        event: toEvent(fromRow<'watch_events'>(event)),
      }));
    },

    /** The number of the last change, from which a new reader begins. */
    async lastChange(): Promise<number> {
      const { last_change } = await db
        .selectFrom('watch_state')
        .select('last_change')
        .executeTakeFirstOrThrow();
      return last_change;
    },

    /** Removes events that were resolved before, with their changes, `limit` at most. */
    prune: (before: Date, limit: number): Promise<number> =>
      db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom('watch_events')
          .select('id')
          .where('resolved_at', '<', before.getTime())
          .limit(limit)
          .execute();
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return 0;
        await transaction.deleteFrom('watch_events').where('id', 'in', ids).execute();
        await transaction.deleteFrom('watch_changes').where('event_id', 'in', ids).execute();
        return ids.length;
      }),
  };
}

export async function eventsOf(db: Db, domain: string, resolvedSince: Date): Promise<WatchEvent[]> {
  const rows = await findAll<'watch_events'>(
    db
      .selectFrom('watch_events')
      .selectAll()
      .where('domain', '=', domain)
      .where((eb) =>
        eb.or([eb('resolved_at', 'is', null), eb('resolved_at', '>=', resolvedSince.getTime())]),
      )
      .orderBy('id'),
  );
  return rows.map(toEvent);
}

export async function writeEvents(
  db: Db,
  domain: string,
  { opened, reopened, resolved, seen }: EventChanges,
  now: Date,
): Promise<void> {
  const at = now.getTime();
  const rows = opened.map(({ oldText, newText, quiet, ...event }) => ({
    ...toRow<'watch_events'>({
      ...event,
      id: `${at.toString(16).padStart(12, '0')}${randomBytes(6).toString('hex')}`,
      domain,
      severity: rankOf(event.severity),
      lastSeenAt: now,
    }),
    old_text: oldText ?? null,
    new_text: newText ?? null,
    quiet: quiet ?? null,
  }));
  if (rows.length > 0) await db.insertInto('watch_events').values(rows).execute();
  await addChanges(
    db,
    rows.map(({ id }) => id),
    'opened',
    now,
  );
  if (reopened.length > 0)
    await db
      .updateTable('watch_events')
      .set({ resolved_at: null, accepted_by: null, reopened_at: at, last_seen_at: at })
      .where('id', 'in', reopened)
      .execute();
  for (const { id, severity, sentence, act, newText } of seen)
    await db
      .updateTable('watch_events')
      .set({
        severity: rankOf(severity),
        sentence,
        act,
        new_text: newText ?? null,
        last_seen_at: at,
      })
      .where('id', '=', id)
      .execute();
  await resolveEvents(db, resolved, now);
}

/** Returns how many were open. The end of one that came back has been told already. */
export async function resolveEvents(
  db: Db,
  ids: readonly string[],
  now: Date,
  acceptedBy?: string,
): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await db
    .updateTable('watch_events')
    .set({ resolved_at: now.getTime(), accepted_by: acceptedBy ?? null })
    .where('id', 'in', ids)
    .where('resolved_at', 'is', null)
    .returning(['id', 'reopened_at'])
    .execute();
  const first = rows.filter(({ reopened_at }) => reopened_at === null);
  await addChanges(
    db,
    first.map(({ id }) => id),
    'resolved',
    now,
  );
  return rows.length;
}

/**
 * Numbers of the next changes. The row stays locked until the transaction ends, so that changes are
 * committed in the order of their numbers.
 */
export async function nextChange(db: Db, count: number): Promise<number> {
  const { last_change } = await db
    .updateTable('watch_state')
    .set((eb) => ({ last_change: eb('last_change', '+', count) }))
    .returning('last_change')
    .executeTakeFirstOrThrow();
  return last_change - count + 1;
}

async function addChanges(
  db: Db,
  ids: readonly string[],
  kind: WatchChange['kind'],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  const first = await nextChange(db, ids.length);
  await db
    .insertInto('watch_changes')
    .values(ids.map((id, i) => ({ seq: first + i, event_id: id, kind, at: now.getTime() })))
    .execute();
}

function toEvent({ severity, source, quiet, ...same }: Stored<'watch_events'>): WatchEvent {
  return {
    ...same,
    // Written by `writeEvents`.
    source: source as EventSource,
    severity: severityOf(severity),
    ...(quiet !== undefined && { quiet: quiet as Quiet }),
  };
}
