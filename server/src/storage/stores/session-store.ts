/** Sessions of the dashboard in storage. Only the hash of a token is stored. */
import { findAll, findFirst, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

export type StoredSession = Stored<'sessions'>;

export function sessionStore(db: Db) {
  const open = () => db.selectFrom('sessions').selectAll().where('ended_at', 'is', null);
  const ending = (accountId: string, at: Date) =>
    db
      .updateTable('sessions')
      .set({ ended_at: at.getTime() })
      .where('account_id', '=', accountId)
      .where('ended_at', 'is', null);
  return {
    async insert(session: StoredSession): Promise<void> {
      await db.insertInto('sessions').values(toRow<'sessions'>(session)).execute();
    },
    /** Sessions that were not ended; whether they have expired is for the caller to see. */
    findByTokenHash: (tokenHash: string) =>
      findFirst<'sessions'>(open().where('token_hash', '=', tokenHash)),
    ofAccount: (accountId: string) =>
      findAll<'sessions'>(
        open().where('account_id', '=', accountId).orderBy('last_seen_at', 'desc'),
      ),
    async seen(id: string, at: Date): Promise<void> {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: at.getTime() })
        .where('id', '=', id)
        .where('last_seen_at', '<', at.getTime())
        .execute();
    },
    async end(accountId: string, id: string, at: Date): Promise<boolean> {
      return (
        (await ending(accountId, at).where('id', '=', id).executeTakeFirst()).numUpdatedRows === 1n
      );
    },
    async endAll(accountId: string, at: Date): Promise<void> {
      await ending(accountId, at).execute();
    },
    /**
     * From where the account has signed in, the latest first, in sessions that are not past their
     * expiry, ended or not.
     */
    async addressesOf(accountId: string, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('sessions')
        .select('address')
        .where('account_id', '=', accountId)
        .groupBy('address')
        .orderBy((eb) => eb.fn.max('created_at'), 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ address }) => address);
    },
    async prune(now: Date): Promise<void> {
      await db.deleteFrom('sessions').where('expires_at', '<', now.getTime()).execute();
    },
  };
}

export type SessionStore = ReturnType<typeof sessionStore>;
