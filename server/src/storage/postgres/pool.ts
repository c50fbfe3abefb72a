// A connection pool with a timeout on every wait, on the first host that accepts connections. A
// connection is closed after a timeout or network error: a late response may still arrive, and
// where packets are dropped it would keep failing for a quarter of an hour. Session settings are
// statements: poolers refuse or drop startup parameters.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { readDatabaseUrl } from './database-url.ts';
import { isWithheld, Lineage, PLACE } from './lineage.ts';

export type PoolTimeouts = {
  /** For a connection, whether a new one or one from the pool. */
  readonly connectMs: number;
  /** For a statement, at the server. */
  readonly statementMs: number;
  /** For a lock, at the server. */
  readonly lockMs: number;
  /** For any response, at the client. */
  readonly queryMs: number;
};

type Connection = PostgresPoolClient & {
  /** As of when it was opened; the place as in `lineage`. */
  readonly place: string | undefined;
  readonly isReadOnly: boolean;
};

export type Pool = Omit<PostgresPool, 'connect'> & {
  connect(): Promise<Connection>;
  /** Uses other connections from now on, to the next host where there are several. */
  renew(): void;
};

/** Per process. Usually one or two are in use. */
export const STATEMENT_CONNECTIONS = 8;
/** For changes of keys and the clock. */
export const URGENT_CONNECTIONS = 1;
/** For reads of statistics, which may take seconds. */
export const STATISTICS_CONNECTIONS = 2;
export const CONNECTIONS_PER_PROCESS =
  STATEMENT_CONNECTIONS + URGENT_CONNECTIONS + STATISTICS_CONNECTIONS;
/** While a process migrates the schema. */
export const MIGRATION_CONNECTIONS = 2;

const IDLE_MS = 30_000;
const CLOSE_MS = 1_000;
/** A replica that disappears inside a transaction holds its locks for at most this long. */
const IDLE_IN_TRANSACTION_MS = 5_000;
/**
 * PostgreSQL notices after 25 s that the machine of a connection is gone; by default after two
 * hours.
 */
const KEEP_ALIVES = { idle: 10, interval: 5, count: 3 };
/** `read_only_sql_transaction`: the server was a standby, or became read-only. */
const READ_ONLY = '25006';

/** What the connections of this process have learned from answers. */
type Answers = {
  /** When any of them was last answered, by the monotonic clock. */
  lastMs: number;
  /** Whether a pooler answers: it invents the process id that it gives to a client. */
  isPooled: boolean;
};

export const noAnswers = (): Answers => ({ lastMs: Number.NEGATIVE_INFINITY, isPooled: false });

export type PoolOptions = {
  readonly max: number;
  readonly timeouts: PoolTimeouts;
  /** Shared by the pools of a process. */
  readonly answers?: Answers;
  readonly lineage?: Lineage;
};

export function openPool(url: string, options: PoolOptions): Pool {
  const { hosts, attributes } = readDatabaseUrl(url);
  const pools = hosts.map((host) => openHost(host, options, attributes !== 'any'));
  let current = 0;
  return {
    async connect() {
      const failures: unknown[] = [];
      for (let i = 0; i < pools.length; i++) {
        const index = (current + failures.length) % pools.length;
        try {
          const client = await (pools[index] as Pool).connect();
          current = index;
          return client;
        } catch (error) {
          failures.push(error);
        }
      }
      const { message, code } = failures[0] as Error & { code?: string };
      throw failures.length === 1
        ? failures[0]
        : Object.assign(new AggregateError(failures, message), { code });
    },
    renew() {
      for (const pool of pools) pool.renew();
      current = (current + 1) % pools.length;
    },
    async end() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function openHost(url: string, options: PoolOptions, mustBeWritable: boolean): Pool {
  const { max, timeouts, answers = noAnswers(), lineage = new Lineage() } = options;
  const pool = new pg.Pool({
    connectionString: withTlsOfLibpq(url),
    application_name: 'whence',
    max,
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.queryMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVES.idle * 1000,
    types: { getTypeParser },
  });
  const open = new Set<pg.PoolClient>();
  const broken = new WeakMap<pg.PoolClient, Error>();
  const prepared = new WeakMap<pg.PoolClient, Session>();
  // The pool's own listeners end when it hands the connection out; an error without a listener
  // would end the process.
  pool.on('connect', (client) => {
    open.add(client);
    client.on('error', (error) => broken.set(client, error));
  });
  pool.on('remove', (client) => open.delete(client));
  // A connection that breaks while it is idle is replaced when it is needed; the query that needs
  // it reports.
  pool.on('error', () => {});
  const prepare = async (client: pg.PoolClient) => {
    const startedMs = performance.now();
    let session: Session;
    try {
      session = prepared.get(client) ?? (await prepareSession(client, timeouts));
      if (session.isReadOnly && mustBeWritable)
        throw Object.assign(new Error('the server is read-only'), { code: READ_ONLY });
      if (!prepared.has(client)) lineage.enter(session.place);
    } catch (error) {
      client.release(true);
      throw lateAnswer(error as Error, answers.lastMs > startedMs, answers);
    }
    prepared.set(client, session);
    answers.isPooled ||= session.isPooled;
    answers.lastMs = performance.now();
    return { ...closedWhenBroken(client, () => broken.get(client), answers), ...session };
  };
  return {
    async connect() {
      for (;;) {
        const client = await pool.connect();
        const failure = broken.get(client);
        if (failure === undefined && lineage.isCurrent(prepared.get(client)?.place))
          return prepare(client);
        client.release(true);
        // One that was in use before is replaced; a new one that is broken already is the answer of
        // the server.
        if (!prepared.has(client)) throw failure;
      }
    },
    renew() {
      // Connections in use are closed when they are released, idle ones when they are next asked
      // for.
      for (const client of open)
        broken.set(client, new Error('the connection was given up for another one'));
    },
    async end() {
      const cut = setTimeout(() => {
        for (const client of open) socketOf(client)?.destroy();
      }, CLOSE_MS);
      await pool.end();
      clearTimeout(cut);
    },
  };
}

type Session = Pick<Connection, 'place' | 'isReadOnly'> & { readonly isPooled: boolean };

// One round trip for a new connection. Isolation is explicit because a stricter default makes
// statements fail when they meet. A pooler in transaction mode may drop this, so transactions set
// their timeouts too: `openTransaction`.
async function prepareSession(
  client: pg.PoolClient,
  { statementMs, lockMs }: PoolTimeouts,
): Promise<Session> {
  const settings = {
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    default_transaction_isolation: 'read committed',
    tcp_keepalives_idle: KEEP_ALIVES.idle,
    tcp_keepalives_interval: KEEP_ALIVES.interval,
    tcp_keepalives_count: KEEP_ALIVES.count,
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  const ask = (place: string) =>
    client.query(
      `select current_setting('transaction_read_only') as read_only, pg_backend_pid() as pid, ${place} as place, ${calls}`,
    );
  const { rows } = await ask(PLACE).catch((error) => {
    if (!isWithheld(error.code)) throw error;
    return ask('null');
  });
  const { read_only, pid, place } = rows[0] ?? {};
  return {
    isReadOnly: read_only === 'on',
    place: place ?? undefined,
    isPooled: pid !== processIdOf(client),
  };
}

/** Begins a transaction with its settings in the same round trip. */
export function openTransaction({ statementMs, lockMs }: PoolTimeouts): string {
  return [
    'begin isolation level read committed',
    `set local statement_timeout = ${statementMs}`,
    `set local lock_timeout = ${lockMs}`,
    `set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  ].join('; ');
}

/**
 * A pooler in session mode lets a client in and makes its first statement wait for a connection of
 * another client.
 */
const TOO_FEW_CONNECTIONS =
  `a pooler in session mode has too few server connections: a process opens up to ${CONNECTIONS_PER_PROCESS}. ` +
  'Raise default_pool_size of PgBouncer, or use pool_mode = transaction';

/**
 * The operator's message for a connection that is not answered while another one of this process
 * is.
 */
export function lateAnswer(error: Error, isOtherAnswered: boolean, { isPooled }: Answers): Error {
  if (!isOtherAnswered || !/timeout/.test(error.message)) return error;
  return new Error(isPooled ? TOO_FEW_CONNECTIONS : 'answers too slowly: timeout');
}

/** Every error that the server itself reports has a five-character SQLSTATE. */
const isServerError = (error: unknown) =>
  /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '');

function closedWhenBroken(
  client: pg.PoolClient,
  connectionError: () => Error | undefined,
  answers: Answers,
): Omit<Connection, keyof Session> {
  let queryError: Error | undefined;
  const query = async (...args: unknown[]) => {
    const failure = connectionError() ?? queryError;
    if (failure !== undefined) throw failure;
    try {
      const result = await (client.query as (...args: unknown[]) => Promise<unknown>)(...args);
      answers.lastMs = performance.now();
      return result;
    } catch (error) {
      if (!isServerError(error) || (error as { code?: string }).code === READ_ONLY)
        queryError = error as Error;
      throw error;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: () => client.release(connectionError() ?? queryError),
  };
}

/**
 * Not part of pg's types: the process id that the server, or a pooler, sent when the connection was
 * opened.
 */
const processIdOf = (client: pg.PoolClient) =>
  (client as unknown as { processID?: number | null }).processID;

/** Not part of pg's types; ending a client properly waits for the server. */
function socketOf(client: pg.PoolClient): { destroy(): void } | undefined {
  return (client as unknown as { connection?: { stream?: { destroy(): void } } }).connection
    ?.stream;
}

/**
 * Gives `sslmode` its meaning in psql; without this, pg treats `require` as `verify-full` and
 * warns.
 */
function withTlsOfLibpq(url: string): string {
  if (!/[?&]sslmode=/.test(url) || /[?&]uselibpqcompat=/.test(url)) return url;
  return `${url}&uselibpqcompat=true`;
}

/** Counts and times are `bigint` columns and fit into a number. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
