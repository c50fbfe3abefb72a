/** PostgreSQL, for several machines: a pool of connections with a time-out on every wait. */

import pg from 'pg';
import type { Engine } from '../engine.ts';
import { Kysely, PostgresDialect } from '../kysely.ts';
import { migrate, pendingMigrations } from '../migrations/migrate.ts';
import type { Schema } from '../schema.ts';
import { unavailableDialect } from './unavailable-dialect.ts';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 2_000;
/** At the server, of a statement and of a wait for a row lock. */
const STATEMENT_TIMEOUT_MS = 2_000;
/** At the client, for a server that does not answer at all. */
const QUERY_TIMEOUT_MS = 3_000;
const IDLE_TIMEOUT_MS = 30_000;

/** Opens the database and, where steps are pending, brings its schema up to date under Kysely's advisory lock. */
export async function openPostgres(url: string): Promise<Engine> {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'whence',
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // A connection that breaks while it is idle is replaced when it is needed; the query that needs it reports.
  pool.on('error', () => {});
  const db = new Kysely<Schema>({ dialect: unavailableDialect(new PostgresDialect({ pool })) });
  try {
    if ((await pendingMigrations(db, nameOf(url))).length > 0) await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { name: 'PostgreSQL', db, generation: () => 0 };
}

/** Counts and times are `bigint` columns and fit into a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** Without user, password and parameters. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
