/** PostgreSQL, for several machines. */

import type { Engine } from '../engine.ts';
import { Kysely, PostgresDialect, sql } from '../kysely.ts';
import { migrate, schemaState } from '../migrations/migrate.ts';
import type { Db, Schema } from '../schema.ts';
import { NoDatabase } from '../storage-unavailable.ts';
import { DatabaseClock } from './database-clock.ts';
import { oneStatementLeases } from './one-statement-leases.ts';
import { openFailure } from './open-failure.ts';
import { openPool, type PoolTimeouts } from './pool.ts';
import { unavailableDialect } from './unavailable-dialect.ts';

/** Of one process. Most of the time one or two are in use. */
const MAX_CONNECTIONS = 8;
const TIMEOUTS: PoolTimeouts = { connectMs: 2_000, statementMs: 2_000, lockMs: 2_000, queryMs: 3_000 };

/** A replica waits while another one migrates; a step over a large table takes its time. */
const MIGRATION_TIMEOUTS: PoolTimeouts = { connectMs: 10_000, statementMs: 600_000, lockMs: 60_000, queryMs: 660_000 };

const NOW = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;

/** Opens the database and, where steps are pending, brings its schema up to date under Kysely's advisory lock. */
export async function openPostgres(url: string, { mustExist }: { mustExist: boolean }): Promise<Engine> {
  const place = nameOf(url);
  const db = connect(url, MAX_CONNECTIONS, TIMEOUTS);
  const urgent = connect(url, 1, TIMEOUTS);
  const clock = new DatabaseClock(async () => {
    const { rows } = await sql<{ now: number }>`select ${NOW} as now`.execute(urgent);
    return (rows[0] as { now: number }).now;
  });
  const destroy = db.destroy.bind(db);
  db.destroy = async () => {
    clock.stop();
    await Promise.all([urgent.destroy(), destroy()]);
  };
  try {
    const { isEmpty, pending } = await schemaState(db, place);
    if (isEmpty && mustExist) throw new NoDatabase(`${place} has no tables of whence: is it the right database?`);
    if (pending.length > 0) await migrateAlone(url);
    await clock.start();
  } catch (error) {
    await db.destroy();
    throw openFailure(error, place);
  }
  return {
    name: 'PostgreSQL',
    place,
    db,
    urgent,
    generation: () => 0,
    now: NOW,
    nowMs: () => clock.nowMs(),
    leases: oneStatementLeases(db, NOW),
  };
}

/** On connections of its own, whose time-outs are those of migrations. */
async function migrateAlone(url: string): Promise<void> {
  const db = connect(url, 2, MIGRATION_TIMEOUTS);
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}

function connect(url: string, max: number, timeouts: PoolTimeouts): Db {
  const dialect = new PostgresDialect({ pool: async () => openPool(url, max, timeouts) });
  return new Kysely<Schema>({ dialect: unavailableDialect(dialect) });
}

/** Without user, password and parameters. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
