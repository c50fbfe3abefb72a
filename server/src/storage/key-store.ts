/** API keys in storage. Tier and permissions are text here; their rules are in `keys/`. */
import type { Selectable, SelectQueryBuilder } from 'kysely';
import { sql } from './kysely.ts';
import type { Db, Schema } from './schema.ts';

export type StoredKey = {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. */
  readonly hash: string;
  /** The secret as it is shown, `whence_ab12…wxyz`. */
  readonly masked: string;
  readonly permissions: readonly string[];
  readonly tier: string;
  readonly createdAt: Date;
  readonly firstUse?: FirstUse;
  readonly lastUsedAt?: Date;
  readonly revokedAt?: Date;
  readonly revokedBy?: string;
  /** Account of the dashboard; absent for keys of the command line. */
  readonly ownerId?: string;
  /** The key that this one replaces. */
  readonly predecessorId?: string;
  /** Requests with the key after it was revoked; absent if there was none. */
  readonly refused?: Refused;
};

/** The first request with a key: its client address and the status of the answer. */
export type FirstUse = { readonly at: Date; readonly from: string; readonly status: number };
export type Refused = { readonly requests: number; readonly lastAt: Date };

export type RevokeOutcome = 'revoked' | 'already revoked' | 'unknown';

export type KeyStore = {
  insert(key: StoredKey): Promise<void>;
  /** Inserts it if there is no key at all. Of several callers at once, in any process, one succeeds. */
  insertFirst(key: StoredKey): Promise<boolean>;
  findByHash(hash: string): Promise<StoredKey | undefined>;
  find(id: string): Promise<StoredKey | undefined>;
  /** Oldest first. */
  list(): Promise<StoredKey[]>;
  /**
   * Commits the revocation. Other processes may accept the key until what they know of keys has expired: see
   * `keys/vouching`.
   */
  revoke(id: string, at: Date, by: string): Promise<RevokeOutcome>;
  /**
   * Differs from an earlier answer when a key was created or revoked since, by any process, or the database was
   * replaced.
   */
  revision(): Promise<string>;
  /** Hashes of the keys that were created or revoked since; undefined if they are many, or cannot be told. */
  changedSince(revision: string): Promise<string[] | undefined>;
};

/** More than this and forgetting all keys costs less. */
const MAX_CHANGED = 1_000;

/**
 * `generation` differs once the engine has opened the database again, which may be another one under the same name.
 * `urgent` is for the question on which every answer depends.
 */
export function keyStore(db: Db, generation: () => number, urgent: Db = db): KeyStore {
  // Ahead of the change: its row lock makes other changes wait, so that numbers are seen in their order.
  const moveRevision = async (transaction: Db) => {
    const { keys } = await transaction
      .updateTable('revisions')
      .set((eb) => ({ keys: eb('keys', '+', 1) }))
      .returning('keys')
      .executeTakeFirstOrThrow();
    return keys;
  };
  // The database as of the last look. One that was opened again is the same if no key has changed: SQLite opens its
  // file again after each checkpoint, and forgetting all keys each time would cost a query for each of them.
  let seen = { generation: generation(), change: '', database: 0 };
  return {
    async insert(key) {
      await db.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        await transaction
          .insertInto('keys')
          .values({ ...toRow(key), revision })
          .execute();
      });
    },
    async insertFirst(key) {
      return db.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        const found = await transaction.selectFrom('keys').select('id').limit(1).executeTakeFirst();
        if (found !== undefined) return false;
        await transaction
          .insertInto('keys')
          .values({ ...toRow(key), revision })
          .execute();
        return true;
      });
    },
    async findByHash(hash) {
      const row = await db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row && fromRow(row);
    },
    async find(id) {
      const row = await db.selectFrom('keys').selectAll().where('id', '=', id).executeTakeFirst();
      return row && fromRow(row);
    },
    async list() {
      const rows = await db.selectFrom('keys').selectAll().orderBy('created_at').orderBy('id').execute();
      return rows.map(fromRow);
    },
    async revoke(id, at, by) {
      return db.transaction().execute(async (transaction) => {
        const revision = await moveRevision(transaction);
        const { numUpdatedRows } = await transaction
          .updateTable('keys')
          .set({ revoked_at: at.getTime(), revoked_by: by, revision })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) {
          const known = await transaction.selectFrom('keys').select('id').where('id', '=', id).executeTakeFirst();
          return known === undefined ? 'unknown' : 'already revoked';
        }
        return 'revoked';
      });
    },
    async revision() {
      const { keys, last } = await urgent
        .selectFrom('revisions')
        .select(['keys', (eb) => lastChange(eb.selectFrom('keys')).as('last')])
        .executeTakeFirstOrThrow();
      const change = `${keys} ${last}`;
      const isSame = seen.generation === generation() || seen.change === change;
      seen = { generation: generation(), change, database: seen.database + (isSame ? 0 : 1) };
      return `${seen.database}.${keys}`;
    },
    async changedSince(revision) {
      const [database, number] = revision.split('.').map(Number);
      const changed = await urgent
        .selectFrom('keys')
        .select('hash')
        .where('revision', '>', number ?? 0)
        .limit(MAX_CHANGED + 1)
        .execute();
      // Compared afterwards: reading may have been what opened it again.
      const isSame = database === seen.database && seen.generation === generation();
      if (!isSame || changed.length > MAX_CHANGED) return undefined;
      return changed.map(({ hash }) => hash);
    },
  };
}

/** Of two copies of a database that went on separately, both may have the same number of changes, but not this. */
function lastChange(keys: SelectQueryBuilder<Schema, 'keys', object>) {
  return keys
    .select(sql<string>`id || ' ' || coalesce(revoked_at, 0)`.as('change'))
    .orderBy('revision', 'desc')
    .limit(1);
}

function toRow({ id, name, hash, masked, permissions, tier, createdAt, ownerId, predecessorId }: StoredKey) {
  return {
    id,
    name,
    hash,
    masked,
    permissions: permissions.join(' '),
    tier,
    created_at: createdAt.getTime(),
    owner_id: ownerId ?? null,
    predecessor_id: predecessorId ?? null,
  };
}

function fromRow(row: Selectable<Schema['keys']>): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    masked: row.masked,
    permissions: row.permissions.split(' ').filter((permission) => permission !== ''),
    tier: row.tier,
    createdAt: new Date(row.created_at),
    ...(row.first_used_at === null
      ? {}
      : {
          firstUse: {
            at: new Date(row.first_used_at),
            from: row.first_used_from ?? '',
            status: row.first_used_status ?? 0,
          },
        }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: new Date(row.last_used_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: new Date(row.revoked_at) }),
    ...(row.revoked_by === null ? {} : { revokedBy: row.revoked_by }),
    ...(row.owner_id === null ? {} : { ownerId: row.owner_id }),
    ...(row.predecessor_id === null ? {} : { predecessorId: row.predecessor_id }),
    ...(row.last_refused_at === null
      ? {}
      : { refused: { requests: row.refused_requests, lastAt: new Date(row.last_refused_at) } }),
  };
}
