/** One-time links in storage: to set up, to join, to set a password. Only the hash of a token is stored. */
import type { Selectable } from 'kysely';
import type { Db, Schema } from '../schema.ts';

export type StoredLink = {
  readonly id: string;
  readonly tokenHash: string;
  readonly kind: string;
  readonly role: string;
  /** The account whose password is set. */
  readonly accountId?: string;
  readonly note?: string;
  readonly createdAt: Date;
  /** Name at that time, and the id; absent for commands, and for links of programs that did not record it. */
  readonly createdBy: string;
  readonly createdById?: string;
  readonly expiresAt: Date;
};

export type LinkStore = {
  insert(link: StoredLink): Promise<void>;
  /** Undefined if it has expired. */
  find(tokenHash: string, now: Date): Promise<StoredLink | undefined>;
  /** Removes the link and answers with it, to one caller only. */
  take(tokenHash: string, now: Date): Promise<StoredLink | undefined>;
  /** Those that have not expired, oldest first. */
  list(now: Date): Promise<StoredLink[]>;
  remove(id: string): Promise<StoredLink | undefined>;
  /** By id, and by name where no id was recorded. Answers with what was removed. */
  removeCreatedBy(accountId: string, name: string): Promise<StoredLink[]>;
  removeKind(kind: string, accountId?: string): Promise<void>;
  prune(now: Date): Promise<void>;
};

export function linkStore(db: Db): LinkStore {
  return {
    async insert({ id, tokenHash, kind, role, accountId, note, createdAt, createdBy, createdById, expiresAt }) {
      await db
        .insertInto('links')
        .values({
          id,
          token_hash: tokenHash,
          kind,
          role,
          account_id: accountId ?? null,
          note: note ?? null,
          created_at: createdAt.getTime(),
          created_by: createdBy,
          created_by_id: createdById ?? null,
          expires_at: expiresAt.getTime(),
        })
        .execute();
    },
    async find(tokenHash, now) {
      const row = await db
        .selectFrom('links')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now.getTime())
        .executeTakeFirst();
      return row && fromRow(row);
    },
    async take(tokenHash, now) {
      const row = await db
        .deleteFrom('links')
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now.getTime())
        .returningAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    async list(now) {
      const rows = await db
        .selectFrom('links')
        .selectAll()
        .where('expires_at', '>', now.getTime())
        .orderBy('created_at')
        .execute();
      return rows.map(fromRow);
    },
    async remove(id) {
      const row = await db.deleteFrom('links').where('id', '=', id).returningAll().executeTakeFirst();
      return row && fromRow(row);
    },
    async removeCreatedBy(accountId, name) {
      const rows = await db
        .deleteFrom('links')
        .where((eb) =>
          eb.or([
            eb('created_by_id', '=', accountId),
            eb.and([eb('created_by_id', 'is', null), eb('created_by', '=', name)]),
          ]),
        )
        .returningAll()
        .execute();
      return rows.map(fromRow);
    },
    async removeKind(kind, accountId) {
      await db
        .deleteFrom('links')
        .where('kind', '=', kind)
        .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
        .execute();
    },
    async prune(now) {
      await db.deleteFrom('links').where('expires_at', '<=', now.getTime()).execute();
    },
  };
}

function fromRow(row: Selectable<Schema['links']>): StoredLink {
  return {
    id: row.id,
    tokenHash: row.token_hash,
    kind: row.kind,
    role: row.role,
    createdAt: new Date(row.created_at),
    createdBy: row.created_by,
    expiresAt: new Date(row.expires_at),
    ...(row.created_by_id === null ? {} : { createdById: row.created_by_id }),
    ...(row.account_id === null ? {} : { accountId: row.account_id }),
    ...(row.note === null ? {} : { note: row.note }),
  };
}
