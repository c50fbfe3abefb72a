/**
 * The embedded engine: one SQLite file, shared by the workers of one machine and by the command line. Everything answers at once.
 * Commits are synced to disk (`synchronous = FULL`): a quota that was granted must not be granted again after a power cut, nor a revoked
 * key come back.
 */
import Database from 'better-sqlite3';
import type { Permission, Tier } from '../keys/tiers.ts';
import { migrate } from './sqlite-migrations.ts';
import { type Storage, StorageUnavailable, type StoredKey, type UsageRow } from './storage.ts';

const BUSY_TIMEOUT_MS = 5_000;

export type SqliteDatabase = Database.Database;

/** Opens the file and brings its schema up to date. Done once, before any worker starts: two at once would collide. */
export function openSqlite(path: string): SqliteDatabase {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What SQLite refuses (a full disk, a lock that is not let go, a damaged file) is storage being down, for everybody above. */
export function guarded<A extends unknown[], R>(work: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return work(...args);
    } catch (error) {
      if (error instanceof Database.SqliteError) throw new StorageUnavailable(error.message, { cause: error });
      throw error;
    }
  };
}

type KeyRow = {
  id: string;
  name: string;
  hash: string;
  masked: string;
  permissions: string;
  tier: string;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
  revoked_by: string | null;
};

export function sqliteStorage(database: SqliteDatabase): Storage {
  const insertKey = database.prepare(
    'INSERT INTO keys (id, name, hash, masked, permissions, tier, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const findKey = database.prepare<[string], KeyRow>('SELECT * FROM keys WHERE hash = ?');
  const listKeys = database.prepare<[], KeyRow>('SELECT * FROM keys ORDER BY created_at, id');
  const revokeKey = database.prepare(
    'UPDATE keys SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const keyExists = database.prepare('SELECT 1 FROM keys WHERE id = ?').pluck();
  const nextRevision = database.prepare('UPDATE keys_revision SET revision = revision + 1');
  const readRevision = database.prepare<[], number>('SELECT revision FROM keys_revision').pluck();
  // Tells in two microseconds, without touching a table, whether another connection has committed anything.
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  const addUsage = database.prepare(
    `INSERT INTO usage (key_id, day, endpoint, status_class, requests) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (key_id, day, endpoint, status_class) DO UPDATE SET requests = requests + excluded.requests`,
  );
  const touchKey = database.prepare('UPDATE keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?');
  const writeUsage = database.transaction((rows: readonly UsageRow[], lastUsed: ReadonlyMap<string, Date>) => {
    for (const { keyId, day, endpoint, statusClass, requests } of rows)
      addUsage.run(keyId, day, endpoint, statusClass, requests);
    for (const [id, at] of lastUsed) touchKey.run(at.getTime(), id);
  });
  const usageOf = database.prepare<[string], UsageRow>(
    `SELECT key_id AS keyId, day, endpoint, status_class AS statusClass, requests FROM usage
     WHERE key_id = ? ORDER BY day, endpoint, status_class`,
  );

  let seenDataVersion = -1;
  let revision = -1;
  const refreshRevision = () => {
    revision = readRevision.get() ?? 0;
  };

  return {
    insertKey: guarded(
      database.transaction((key: StoredKey) => {
        const { id, name, hash, masked, permissions, tier, createdAt } = key;
        insertKey.run(id, name, hash, masked, permissions.join(' '), tier, createdAt.getTime());
        nextRevision.run();
        refreshRevision();
      }).immediate,
    ),
    findKeyByHash: guarded((hash: string) => {
      const row = findKey.get(hash);
      return row && fromRow(row);
    }),
    listKeys: guarded(() => listKeys.all().map(fromRow)),
    revokeKey: guarded(
      database.transaction((id: string, at: Date, by: string) => {
        if (revokeKey.run(at.getTime(), by, id).changes === 0)
          return keyExists.get(id) === 1 ? 'already revoked' : 'unknown';
        nextRevision.run();
        refreshRevision();
        return 'revoked' as const;
      }).immediate,
    ),
    keysRevision: guarded(() => {
      const current = dataVersion.get() ?? 0;
      if (current !== seenDataVersion) {
        refreshRevision();
        // Only now: a revision that could not be read must be asked for again.
        seenDataVersion = current;
      }
      return revision;
    }),
    addUsage: guarded((rows: readonly UsageRow[], lastUsed: ReadonlyMap<string, Date>) => {
      // Waiting for the disk once a second made one request in a hundred 7 ms late. A power cut may cost some seconds of statistics;
      // what is synced next, a lease or a key, syncs them along.
      database.pragma('synchronous = NORMAL');
      try {
        writeUsage.immediate(rows, lastUsed);
      } finally {
        database.pragma('synchronous = FULL');
      }
    }),
    usageOf: guarded((keyId: string) => usageOf.all(keyId)),
    check: guarded(() => {
      readRevision.get();
    }),
    close() {
      database.close();
    },
  };
}

function fromRow(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    masked: row.masked,
    // Only this engine writes the table, and only from these types.
    permissions: row.permissions.split(' ') as Permission[],
    tier: row.tier as Tier,
    createdAt: new Date(row.created_at),
    ...(row.last_used_at === null ? {} : { lastUsedAt: new Date(row.last_used_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: new Date(row.revoked_at) }),
    ...(row.revoked_by === null ? {} : { revokedBy: row.revoked_by }),
  };
}
