/** Sessions of the dashboard in storage. Only the hash of a token is stored. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../schema.ts';

export type StoredSession = {
  readonly id: string;
  readonly tokenHash: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly address: string;
  readonly userAgent: string;
};

export type SessionStore = {
  insert(session: StoredSession): Promise<void>;
  /** Sessions that were not ended; whether they have expired is for the caller to see. */
  findByTokenHash(tokenHash: string): Promise<StoredSession | undefined>;
  ofAccount(accountId: string): Promise<StoredSession[]>;
  /** Moves the time of last use forward. */
  seen(id: string, at: Date): Promise<void>;
  /** False if the account has no such session. */
  end(accountId: string, id: string, at: Date): Promise<boolean>;
  /** All of the account, except one. */
  endAll(accountId: string, at: Date, exceptId?: string): Promise<void>;
  /** From where the account has signed in, the latest first, in sessions that are not past their expiry, ended or not. */
  addressesOf(accountId: string, limit: number): Promise<string[]>;
  /** Removes those past their expiry. */
  prune(now: Date): Promise<void>;
};

export function sessionStore(db: Db): SessionStore {
  const open = () => db.selectFrom('sessions').selectAll().where('ended_at', 'is', null);
  return {
    async insert(session) {
      await db
        .insertInto('sessions')
        .values({
          id: session.id,
          token_hash: session.tokenHash,
          account_id: session.accountId,
          created_at: session.createdAt.getTime(),
          last_seen_at: session.lastSeenAt.getTime(),
          expires_at: session.expiresAt.getTime(),
          address: session.address,
          user_agent: session.userAgent,
        })
        .execute();
    },
    async findByTokenHash(tokenHash) {
      const row = await open().where('token_hash', '=', tokenHash).executeTakeFirst();
      return row && fromRow(row);
    },
    async ofAccount(accountId) {
      const rows = await open().where('account_id', '=', accountId).orderBy('last_seen_at', 'desc').execute();
      return rows.map(fromRow);
    },
    async seen(id, at) {
      await db
        .updateTable('sessions')
        .set({ last_seen_at: at.getTime() })
        .where('id', '=', id)
        .where('last_seen_at', '<', at.getTime())
        .execute();
    },
    async end(accountId, id, at) {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ ended_at: at.getTime() })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .where('ended_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async endAll(accountId, at, exceptId = '') {
      await db
        .updateTable('sessions')
        .set({ ended_at: at.getTime() })
        .where('account_id', '=', accountId)
        .where('id', '!=', exceptId)
        .where('ended_at', 'is', null)
        .execute();
    },
    async addressesOf(accountId, limit) {
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
    async prune(now) {
      await db.deleteFrom('sessions').where('expires_at', '<', now.getTime()).execute();
    },
  };
}

function fromRow(row: Selectable<Schema['sessions']>): StoredSession {
  return {
    id: row.id,
    tokenHash: row.token_hash,
    accountId: row.account_id,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
    address: row.address,
    userAgent: row.user_agent,
  };
}
