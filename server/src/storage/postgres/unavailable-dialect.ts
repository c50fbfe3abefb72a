// Wraps a dialect: failures of server and network are `StorageUnavailable`, and transactions begin
// with `begin`. The one place that decides whether a failed change may have been made
// (`OutcomeUnknown`): a commit, or a write outside a transaction, was sent and not refused. It may
// wait for a synchronous standby and hold its locks, so a statement that runs into them is not the
// last word either.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  type QueryResult,
  sql,
} from 'kysely';
import { OutcomeUnknown, StorageUnavailable } from '../storage-unavailable.ts';
import { textParameters } from '../text-parameters.ts';

export function unavailableDialect(dialect: Dialect, begin: string): Dialect {
  return {
    createAdapter: () => new RowLockAdapter(begin),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => unavailableDriver(dialect.createDriver(), begin),
  };
}

/** For a replica that waits while another one migrates, which can take minutes. */
const MIGRATION_LOCK_MS = 600_000;

// Replicas that migrate take turns by a row lock, which ends with the transaction. Kysely's
// advisory lock belongs to a session, which a pooler in transaction mode may change, and compatible
// engines may not have it.
class RowLockAdapter extends PostgresAdapter {
  readonly #begin: string;

  constructor(begin: string) {
    super();
    this.#begin = begin;
  }

  override async acquireMigrationLock(
    db: Kysely<unknown>,
    { lockTable, lockRowId, lockTableSchema }: MigrationLockOptions,
  ): Promise<void> {
    const table =
      lockTableSchema === undefined ? sql.table(lockTable) : sql.id(lockTableSchema, lockTable);
    // The transaction of the steps begins here: `begin` inside it has no effect but to set its
    // timeouts again.
    await sql.raw(`${this.#begin}; set local lock_timeout = ${MIGRATION_LOCK_MS}`).execute(db);
    await sql`update ${table} set is_locked = is_locked where id = ${lockRowId}`.execute(db);
  }

  /** Where the steps have not begun, it is still open. */
  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql.raw('rollback').execute(db);
  }
}

function unavailableDriver(driver: Driver, begin: string): Driver {
  const wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();
  const inTransaction = new WeakSet<DatabaseConnection>();
  const inner = (connection: DatabaseConnection) => wrapped.get(connection) ?? connection;
  const orUnavailable = async <T>(
    work: () => Promise<T>,
    { mayTakeEffect = false, isChange = false } = {},
  ) => {
    try {
      return await work();
    } catch (thrown) {
      const error = thrown as Failed;
      if (isChange && WAITED.includes(error.code ?? '') && (await isCommitWaiting(driver)))
        throw new OutcomeUnknown(
          'an earlier change waits for a synchronous standby of PostgreSQL',
          { cause: error },
        );
      const Failure = mayTakeEffect && !isRefused(error) ? OutcomeUnknown : StorageUnavailable;
      throw new Failure(messageOf(error), { cause: error });
    }
  };
  return {
    init: () => orUnavailable(() => driver.init()),
    destroy: () => driver.destroy(),
    async acquireConnection() {
      const connection = await orUnavailable(() => driver.acquireConnection());
      const wrapper: DatabaseConnection = {
        executeQuery: <R>(query: CompiledQuery) => {
          const sent = { ...query, parameters: textParameters(query.parameters) };
          return orUnavailable(() => connection.executeQuery<R>(sent), {
            mayTakeEffect: !inTransaction.has(wrapper) && !isRead(query),
            isChange: isChange(query),
          });
        },
        streamQuery: <R>(
          query: CompiledQuery,
          chunkSize?: number,
        ): AsyncIterableIterator<QueryResult<R>> => connection.streamQuery<R>(query, chunkSize),
      };
      wrapped.set(wrapper, connection);
      return wrapper;
    },
    async beginTransaction(connection) {
      inTransaction.add(connection);
      await connection.executeQuery(CompiledQuery.raw(begin));
    },
    commitTransaction: (connection) =>
      orUnavailable(() => driver.commitTransaction(inner(connection)), { mayTakeEffect: true }),
    /**
     * If it fails, its connection is closed, which rolls back; the error of the statement before is
     * the one to report.
     */
    rollbackTransaction: (connection) =>
      driver.rollbackTransaction(inner(connection)).catch(() => {}),
    releaseConnection: (connection) => driver.releaseConnection(inner(connection)),
  };
}

async function isCommitWaiting(driver: Driver): Promise<boolean> {
  try {
    const connection = await driver.acquireConnection();
    try {
      return (await connection.executeQuery(CompiledQuery.raw(WAITING_COMMITS))).rows.length > 0;
    } finally {
      await driver.releaseConnection(connection);
    }
  } catch {
    return false;
  }
}

type Failed = Error & { code?: string };

/** `lock_not_available`, and `query_canceled` by the timeout of the statement, which is as long. */
const WAITED = ['55P03', '57014'];
const WAITING_COMMITS = `select 1 from pg_stat_activity
  where wait_event = 'SyncRep' and datname = current_database() limit 1`;

/** A statement in a `with` may write. */
const isRead = ({ sql }: CompiledQuery) => /^\s*select\b/i.test(sql);
/**
 * Not leases and statistics, which begin with `with` and are many: a database that is slow is not
 * asked more.
 */
const isChange = ({ sql }: CompiledQuery) => /^\s*(insert|update|delete)\b/i.test(sql);

/**
 * Whether the server refused it: an SQLSTATE other than a lost connection (08, 57P) or "unknown"
 * (40003).
 */
const isRefused = ({ code = '' }: Failed) =>
  /^[0-9A-Z]{5}$/.test(code) && !/^(08...|57P0.|40003)$/.test(code);

/** A connection that is refused on several addresses is an AggregateError without a message. */
function messageOf({ message, code }: Failed): string {
  const text = message === '' ? 'no connection to PostgreSQL' : message;
  return code === undefined ? text : `${text} (${code})`;
}
