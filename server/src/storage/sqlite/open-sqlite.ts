/** The embedded engine: one SQLite file in WAL mode, shared by the workers of one machine and by the command line. */
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import type { Engine } from '../engine.ts';
import { Kysely, sql } from '../kysely.ts';
import { migrate, schemaState } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import { NoDatabase } from '../storage-unavailable.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { threadDialect } from './thread-dialect.ts';
import { transactionalLeases } from './transactional-leases.ts';

/** Hashes of keys are in it. SQLite gives its `-wal` and `-shm` files the same permissions. */
const OWNER_ONLY = 0o600;

const NOW = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

/** Opens the file and, where steps are pending, brings its schema up to date; otherwise nothing is written. */
export async function openSqlite(path: string, { mustExist }: { mustExist: boolean }): Promise<Engine> {
  if (mustExist && !existsSync(path)) throw new NoDatabase(`there is no database at ${path}`);
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  restrictToOwner(path);
  const reader = new SqliteThread({ path, isReader: true });
  const writer = new SqliteThread({ path, isReader: false });
  const db = new Kysely<Schema>({ dialect: threadDialect(reader, writer) });
  try {
    if ((await schemaState(db, path)).pending.length > 0) {
      // Stored in the file. Set here, under no transaction, because two processes that set it at once are refused
      // despite the timeout.
      await writer.run('pragma journal_mode = wal', []);
      await migrate(db);
    }
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    name: 'SQLite',
    place: path,
    db,
    urgent: db,
    generation: () => reader.generation,
    now: NOW,
    nowMs: () => undefined,
    leases: transactionalLeases(db, NOW),
  };
}

function restrictToOwner(path: string): void {
  const { mode, uid } = statSync(path);
  const isOurs = process.getuid === undefined || process.getuid() === uid;
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
}
