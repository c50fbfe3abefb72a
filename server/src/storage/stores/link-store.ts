/** One-time links in storage: to set up, to join, to set a password. Only the hash of a token is stored. */
import { fromRow, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

/** `accountId`: whose password is set. `createdBy` is the name at that time; `createdById` is absent for commands. */
export type StoredLink = Stored<'links'>;

export function linkStore(db: Db) {
  const usable = (now: Date) => db.selectFrom('links').selectAll().where('expires_at', '>', now.getTime());
  return {
    async insert(link: StoredLink): Promise<void> {
      await db.insertInto('links').values(toRow<'links'>(link)).execute();
    },
    async find(tokenHash: string, now: Date): Promise<StoredLink | undefined> {
      const row = await usable(now).where('token_hash', '=', tokenHash).executeTakeFirst();
      return row && fromRow<'links'>(row);
    },
    /** Removes the link and answers with it, to one caller only. */
    async take(tokenHash: string, now: Date): Promise<StoredLink | undefined> {
      const row = await db
        .deleteFrom('links')
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now.getTime())
        .returningAll()
        .executeTakeFirst();
      return row && fromRow<'links'>(row);
    },
    /** Those that have not expired, oldest first. */
    async list(now: Date): Promise<StoredLink[]> {
      const rows = await usable(now).orderBy('created_at').execute();
      return rows.map(fromRow<'links'>);
    },
    async remove(id: string): Promise<StoredLink | undefined> {
      const row = await db.deleteFrom('links').where('id', '=', id).returningAll().executeTakeFirst();
      return row && fromRow<'links'>(row);
    },
    async removeCreatedBy(accountId: string): Promise<StoredLink[]> {
      const rows = await db.deleteFrom('links').where('created_by_id', '=', accountId).returningAll().execute();
      return rows.map(fromRow<'links'>);
    },
    async removeKind(kind: string, accountId?: string): Promise<void> {
      await db
        .deleteFrom('links')
        .where('kind', '=', kind)
        .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
        .execute();
    },
    async prune(now: Date): Promise<void> {
      await db.deleteFrom('links').where('expires_at', '<=', now.getTime()).execute();
    },
  };
}

export type LinkStore = ReturnType<typeof linkStore>;
