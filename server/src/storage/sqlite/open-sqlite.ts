/**
 * The embedded engine: one SQLite file in WAL mode, shared by the workers of one machine and by the
 * command line.
 */
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { changesSince, knownNumber, MAX_CHANGED, type ReadKeyChanges } from '../key-changes.ts';
import { migrate, schemaState } from '../migrations/migrate.ts';
import type { Db, Schema } from '../schema.ts';
import { NoDatabase } from '../storage-unavailable.ts';
import { SqliteThread } from './sqlite-thread.ts';
import { Mutex, threadDialect } from './thread-dialect.ts';
import { transactionalLeases } from './transactional-leases.ts';
import { transactionalStatistics } from './transactional-statistics.ts';

/** The file contains key hashes. SQLite gives its `-wal` and `-shm` files the same permissions. */
const OWNER_ONLY = 0o600;

/** A sum over a year takes seconds, and others wait for it. */
const STATISTICS_TIMEOUT_MS = 20_000;

const NOW = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

type SqliteOptions = {
  readonly mustExist: boolean;
  /** How long a statement waits for locks and the disk. */
  readonly waitMs?: number | undefined;
  /** Reads follow writes, and one thread is enough for both. */
  readonly isSequential: boolean;
};

/**
 * Opens the file and, where steps are pending, brings its schema up to date; otherwise nothing is
 * written.
 */
export async function openSqlite(
  path: string,
  { mustExist, waitMs, isSequential }: SqliteOptions,
): Promise<Engine> {
  if (mustExist && !existsSync(path))
    throw new NoDatabase(`there is no database in ${resolve(dirname(path))}`);
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWNER_ONLY));
  restrictToOwner(path);
  const writer = new SqliteThread({ path, isReader: false }, waitMs);
  const reader = isSequential ? writer : new SqliteThread({ path, isReader: true }, waitMs);
  // Started by the first read of statistics: commands and workers without one do not have the
  // thread.
  const statisticsReader = new SqliteThread(
    { path, isReader: true, isBackground: true },
    STATISTICS_TIMEOUT_MS,
  );
  const threads = { reader, writer, statisticsReader, writerLock: new Mutex() };
  const db = new Kysely<Schema>({ dialect: threadDialect(threads) });
  const statisticsReads = new Kysely<Schema>({
    dialect: threadDialect(threads, { reader: statisticsReader }),
  });
  try {
    if ((await schemaState(db, path)).pending.length > 0) {
      // Stored in the file. Not in a transaction: SQLite refuses two processes that set it at once
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
    keyWrites: new Kysely<Schema>({ dialect: threadDialect(threads, { isUrgent: true }) }),
    statisticsReads,
    keyChanges: fileKeyChanges(db),
    now: NOW,
    nowMs: () => undefined,
    clockState: () => undefined,
    leases: transactionalLeases(db, NOW),
    statistics: transactionalStatistics(db, NOW),
  };
}

function restrictToOwner(path: string): void {
  const { mode, uid } = statSync(path);
  const isOurs = process.getuid === undefined || process.getuid() === uid;
  if (isOurs && (mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
}

/** In one statement: a process never knows that keys have changed without knowing which. */
function fileKeyChanges(db: Db): ReadKeyChanges {
  return async (since) => {
    const sinceNumber = knownNumber(since);
    const token = (number: unknown) =>
      sql<string>`coalesce((select token from key_changes where number = ${number}), '')`;
    const { changed, ...answer } = await db
      .selectFrom('revisions')
      .select([
        'keys',
        token(sql.ref('revisions.keys')).as('token'),
        token(sinceNumber).as('known_token'),
        token(-1).as('database'),
        sql<string>`(
          select json_group_array(hash) from (select hash from keys where revision > ${sinceNumber} limit ${MAX_CHANGED + 1})
        )`.as('changed'),
      ])
      .executeTakeFirstOrThrow();
    return changesSince(since, { ...answer, changed: JSON.parse(changed) as string[] });
  };
}
