/**
 * A pool of connections with a time-out on every wait. A connection on which a time-out or a network error has happened
 * is closed: the answer to an earlier statement may still come, and behind a network that drops packets without closing
 * connections it would fail again for a quarter of an hour.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

export type PoolTimeouts = {
  /** For a connection, whether it is opened or one of the pool becomes free. */
  readonly connectMs: number;
  /** At the server, of a statement. */
  readonly statementMs: number;
  /** At the server, of a wait for a lock. */
  readonly lockMs: number;
  /** At the client, for a server that does not answer at all. */
  readonly queryMs: number;
};

const IDLE_MS = 30_000;
/** How long open connections may take to say goodbye when the pool is closed. */
const CLOSE_MS = 1_000;

export function openPool(url: string, max: number, timeouts: PoolTimeouts): PostgresPool {
  const pool = new pg.Pool({
    connectionString: withTlsOfLibpq(url),
    application_name: 'whence',
    max,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    lock_timeout: timeouts.lockMs,
    query_timeout: timeouts.queryMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => open.add(client));
  pool.on('remove', (client) => open.delete(client));
  // A connection that breaks while it is idle is replaced when it is needed; the query that needs it reports.
  pool.on('error', () => {});
  return {
    connect: async () => closedWhenBroken(await pool.connect()),
    async end() {
      const cut = setTimeout(() => {
        for (const client of open) socketOf(client)?.destroy();
      }, CLOSE_MS);
      await pool.end();
      clearTimeout(cut);
    },
  };
}

/** What the server has answered itself, a refusal too, has a SQLSTATE of five characters. */
const isAnswer = (error: unknown) => /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '');

function closedWhenBroken(client: pg.PoolClient): PostgresPoolClient {
  let failure: Error | undefined;
  // Otherwise the end of a connection between two statements of a transaction would end the process.
  const onError = (error: Error) => {
    failure ??= error;
  };
  client.on('error', onError);
  const query = async (...args: unknown[]) => {
    if (failure !== undefined) throw failure;
    try {
      return await (client.query as (...args: unknown[]) => Promise<unknown>)(...args);
    } catch (error) {
      if (!isAnswer(error)) failure = error as Error;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release() {
      client.off('error', onError);
      client.release(failure);
    },
  };
}

/** Not part of pg's types; ending a client properly waits for the server. */
function socketOf(client: pg.PoolClient): { destroy(): void } | undefined {
  return (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
}

/** `sslmode` means what it means to psql; without this, pg treats `require` as `verify-full` and warns. */
function withTlsOfLibpq(url: string): string {
  if (!/[?&]sslmode=/.test(url) || /[?&]uselibpqcompat=/.test(url)) return url;
  return `${url}&uselibpqcompat=true`;
}

/** Counts and times are `bigint` columns and fit into a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
