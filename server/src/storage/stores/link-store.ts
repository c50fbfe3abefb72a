/**
 * One-time links in storage: to set up, to join, to set a password. Only the hash of a token is
 * stored.
 */
import { findAll, findFirst, type Stored, toRow } from '../rows.ts';
import type { Db } from '../schema.ts';

/**
 * `accountId`: whose password is set. `createdBy` is the name at that time; `createdById` is absent
 * for commands.
 */
export type StoredLink = Stored<'links'>;

export function linkStore(db: Db) {
  const usable = (now: Date) =>
    db.selectFrom('links').selectAll().where('expires_at', '>', now.getTime());
  const removed = () => db.deleteFrom('links').returningAll();
  return {
    async insert(link: StoredLink): Promise<void> {
      await db.insertInto('links').values(toRow<'links'>(link)).execute();
    },
    find: (tokenHash: string, now: Date) =>
      findFirst<'links'>(usable(now).where('token_hash', '=', tokenHash)),
    /** Removes the link and answers with it, to one caller only. */
    take: (tokenHash: string, now: Date) =>
      findFirst<'links'>(
        removed().where('token_hash', '=', tokenHash).where('expires_at', '>', now.getTime()),
      ),
    /** Those that have not expired, oldest first. */
    list: (now: Date) => findAll<'links'>(usable(now).orderBy('created_at')),
    remove: (id: string) => findFirst<'links'>(removed().where('id', '=', id)),
    removeCreatedBy: (accountId: string) =>
      findAll<'links'>(removed().where('created_by_id', '=', accountId)),
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
