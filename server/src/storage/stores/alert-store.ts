/**
 * Channels of alerts and what is delivered to them. Each process may make and claim deliveries:
 * changes of a channel's cursor and claims succeed for one process only.
 */
import { sql } from 'kysely';
import { DAY_MS } from '../../day.ts';
import { findAll, findFirst, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

export type StoredChannel = Stored<'alert_channels'>;
export type StoredDelivery = Stored<'alert_deliveries'>;

/** An opening is kept as long as its event, whose end goes to the same channels. */
const OPENED = 'opened';

export function alertStore(db: Db) {
  const channels = () => db.selectFrom('alert_channels').selectAll();
  const channel = (id: string) => db.updateTable('alert_channels').where('id', '=', id);
  const deliveries = () => db.selectFrom('alert_deliveries').selectAll();
  /** No attempt waits for a day: what is later was written when the clock was wrong. */
  const isDue = (now: Date) =>
    sql<boolean>`state = 'waiting' and (due_at <= ${now.getTime()} or due_at > ${now.getTime() + DAY_MS})`;
  /** What happened before concerns other channels. */
  const lastChange = db.selectFrom('watch_state').select('last_change');

  /** Moves a channel forward, if no other process has, and stores the deliveries with that. */
  const advance = (
    id: string,
    cursor: 'last_change' | 'summary_at',
    from: number,
    to: number,
    made: readonly StoredDelivery[],
  ): Promise<boolean> =>
    db.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('alert_channels')
        .set({ [cursor]: to })
        .where('id', '=', id)
        .where(cursor, '=', from)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (made.length > 0)
        await transaction
          .insertInto('alert_deliveries')
          .values(made.map(toRow<'alert_deliveries'>))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
      return true;
    });

  return {
    async insert(created: Omit<StoredChannel, 'lastChange'>): Promise<void> {
      const row = toRow<'alert_channels'>({ ...created, lastChange: 0 });
      await db
        .insertInto('alert_channels')
        .values({ ...row, last_change: lastChange })
        .execute();
    },
    /** Oldest first. */
    list: () => findAll<'alert_channels'>(channels().orderBy('created_at').orderBy('id')),
    find: (id: string) => findFirst<'alert_channels'>(channels().where('id', '=', id)),
    async change({ id, name, minSeverity, tags }: StoredChannel): Promise<void> {
      await channel(id).set({ name, min_severity: minSeverity, tags }).execute();
    },
    async remove(id: string): Promise<void> {
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('alert_deliveries').where('channel_id', '=', id).execute();
        await transaction.deleteFrom('alert_channels').where('id', '=', id).execute();
      });
    },
    async setToken(id: string, tokenHash: string, expiresAt: Date): Promise<void> {
      await channel(id)
        .set({ token_hash: tokenHash, token_expires_at: expiresAt.getTime() })
        .execute();
    },
    /** For one caller. From now on it receives alerts. */
    confirm: (tokenHash: string, now: Date, summaryAt: Date) =>
      findFirst<'alert_channels'>(
        db
          .updateTable('alert_channels')
          .set({
            confirmed_at: now.getTime(),
            summary_at: summaryAt.getTime(),
            last_change: lastChange,
            token_hash: null,
            token_expires_at: null,
          })
          .where('token_hash', '=', tokenHash)
          .where('token_expires_at', '>', now.getTime())
          .returningAll(),
      ),
    async setFailingSince(id: string, since: Date | undefined): Promise<void> {
      await channel(id)
        .set({ failing_since_at: since?.getTime() ?? null })
        .$if(since !== undefined, (query) => query.where('failing_since_at', 'is', null))
        .execute();
    },

    /** Which of the deliveries exist. */
    async existing(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom('alert_deliveries')
        .select('id')
        .where('id', 'in', ids)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
    makeAlerts: (id: string, from: number, to: number, made: readonly StoredDelivery[]) =>
      advance(id, 'last_change', from, to, made),
    makeSummary: (id: string, from: Date, to: Date, made: readonly StoredDelivery[]) =>
      advance(id, 'summary_at', from.getTime(), to.getTime(), made),
    async insertDelivery(delivery: StoredDelivery): Promise<void> {
      await db.insertInto('alert_deliveries').values(toRow<'alert_deliveries'>(delivery)).execute();
    },

    /** Channels with deliveries that are due. */
    async dueChannels(now: Date): Promise<string[]> {
      const rows = await db
        .selectFrom('alert_deliveries')
        .select('channel_id')
        .distinct()
        .where(isDue(now))
        .execute();
      return rows.map(({ channel_id }) => channel_id);
    },
    /** The oldest of a channel that is due. */
    nextDue: (channelId: string, now: Date) =>
      findFirst<'alert_deliveries'>(
        deliveries()
          .where('channel_id', '=', channelId)
          .where(isDue(now))
          .orderBy('created_at')
          .orderBy('id')
          .limit(1),
      ),
    /** For one process, until `until`. */
    async claim({ id, dueAt }: StoredDelivery, until: Date): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('alert_deliveries')
        .set((eb) => ({ due_at: until.getTime(), attempts: eb('attempts', '+', 1) }))
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .where('due_at', '=', dueAt.getTime())
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** After an attempt, or without one. A delivery that stays `waiting` is due again then. */
    async finish(delivery: StoredDelivery): Promise<void> {
      const { id, state, attempts, createdAt, dueAt, triedAt, result } = delivery;
      await db
        .updateTable('alert_deliveries')
        .set({
          state,
          attempts,
          created_at: createdAt.getTime(),
          due_at: dueAt.getTime(),
          tried_at: triedAt?.getTime() ?? null,
          result: result ?? null,
        })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .execute();
    },
    findDelivery: (id: string) => findFirst<'alert_deliveries'>(deliveries().where('id', '=', id)),
    /** Newest first. */
    lastDeliveries: (channelId: string, limit: number) =>
      findAll<'alert_deliveries'>(
        deliveries()
          .where('channel_id', '=', channelId)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit),
      ),

    /** Openings are kept until `openedBefore`, because ends follow them. */
    async prune(before: Date, openedBefore: Date): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('alert_deliveries')
        .where('state', '!=', 'waiting')
        .where((eb) =>
          eb.or([
            eb('created_at', '<', openedBefore.getTime()),
            eb.and([eb('created_at', '<', before.getTime()), eb('kind', '!=', OPENED)]),
          ]),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

export type AlertStore = ReturnType<typeof alertStore>;
