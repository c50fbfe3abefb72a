/**
 * How far mailboxes of reports are read. One process reads a mailbox at a time: it claims it,
 * renews its claim while it reads, and can store nothing once another process has claimed it.
 */
import { findFirst, type Stored } from '../rows.ts';
import type { Db } from '../schema.ts';

export type StoredMailbox = Stored<'report_mailboxes'>;
/** `firstUid` and `since`: of the messages below only those that arrived since then are read. */
export type MailboxPosition = {
  readonly uidValidity: number;
  readonly lastUid: number;
  readonly firstUid: number;
  readonly since: Date;
};
export type MailboxCounts = {
  readonly messages: number;
  readonly read: number;
  readonly repeated: number;
  readonly notRead: number;
  /** Messages without a report, and those above the limit of size. */
  readonly withoutReport: number;
  readonly tooLarge: number;
};

/** `failure` is a sentence. `isAll`: there are no further messages. */
export type MailboxEnd = { readonly dueAt: Date } & (
  | { readonly kind: 'read'; readonly isAll: boolean }
  | { readonly kind: 'failed'; readonly failure: string }
  | { readonly kind: 'ended' }
);

export function mailboxStore(db: Db) {
  const claimed = (id: string, claim: string) =>
    db.updateTable('report_mailboxes').where('id', '=', id).where('claim', '=', claim);
  return {
    find: async (id: string): Promise<StoredMailbox | undefined> =>
      findFirst<'report_mailboxes'>(
        db.selectFrom('report_mailboxes').selectAll().where('id', '=', id),
      ),

    /**
     * For one process at a time; `isForced` also before the mailbox is due. A time far in the
     * future was written by a clock that was wrong.
     */
    async claim(
      id: string,
      claim: string,
      now: Date,
      { claimMs, dueMs, isForced }: { claimMs: number; dueMs: number; isForced: boolean },
    ): Promise<StoredMailbox | undefined> {
      const nowMs = now.getTime();
      await db
        .insertInto('report_mailboxes')
        .values({ id })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      const free = db
        .updateTable('report_mailboxes')
        .set({ claim, claimed_until: nowMs + claimMs })
        .where('id', '=', id)
        .where((eb) =>
          eb.or([
            eb('claim', 'is', null),
            eb('claimed_until', '<=', nowMs),
            eb('claimed_until', '>', nowMs + claimMs),
          ]),
        )
        .returningAll();
      const due = free.where((eb) =>
        eb.or([eb('due_at', '<=', nowMs), eb('due_at', '>', nowMs + dueMs)]),
      );
      return findFirst<'report_mailboxes'>(isForced ? free : due);
    },

    /** False if another process has claimed it. */
    async renew(id: string, claim: string, until: Date): Promise<boolean> {
      const renewed = claimed(id, claim).set({ claimed_until: until.getTime() });
      return (await renewed.executeTakeFirst()).numUpdatedRows > 0n;
    },

    /** False if another process has claimed it: nothing is stored. */
    async advance(
      id: string,
      claim: string,
      { uidValidity, lastUid, firstUid, since }: MailboxPosition,
      counts: MailboxCounts,
    ): Promise<boolean> {
      const advanced = claimed(id, claim).set((eb) => ({
        uid_validity: uidValidity,
        last_uid: lastUid,
        first_uid: firstUid,
        since_at: since.getTime(),
        messages: eb('messages', '+', counts.messages),
        reports_read: eb('reports_read', '+', counts.read),
        reports_repeated: eb('reports_repeated', '+', counts.repeated),
        reports_not_read: eb('reports_not_read', '+', counts.notRead),
        without_report: eb('without_report', '+', counts.withoutReport),
        too_large: eb('too_large', '+', counts.tooLarge),
      }));
      return (await advanced.executeTakeFirst()).numUpdatedRows > 0n;
    },

    /** Ends the claim. An attempt that was ended early says nothing about the mailbox. */
    async release(id: string, claim: string, now: Date, end: MailboxEnd): Promise<void> {
      const nowMs = now.getTime();
      await claimed(id, claim)
        .set((eb) => ({
          claim: null,
          claimed_until: 0,
          due_at: end.dueAt.getTime(),
          ...(end.kind === 'read' && { failure: null, failing_since_at: null }),
          ...(end.kind === 'read' && end.isAll && { fetched_at: nowMs }),
          ...(end.kind === 'failed' && {
            failure: end.failure,
            failing_since_at: eb.fn.coalesce('failing_since_at', eb.val(nowMs)),
          }),
        }))
        .execute();
    },
  };
}

export type MailboxStore = ReturnType<typeof mailboxStore>;
