/**
 * Kysely over two SQLite threads, one that reads and one that writes: in WAL mode a read never waits for a write, so
 * what a lookup needs to know of its key does not wait for another process's lock, nor for the disk.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, Kysely, QueryResult } from 'kysely';
import { compiledQuery, SelectQueryNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from '../kysely.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { monotonicMs } from './monotonic-clock.ts';
import { SqliteError, type SqliteThread, statementDeadline } from './sqlite-thread.ts';
import { FILE_CHANGED } from './thread-protocol.ts';

export function threadDialect(reader: SqliteThread, writer: SqliteThread): Dialect {
  return {
    createDriver: () => new ThreadDriver(reader, writer),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

/**
 * SQLite changes schemas in transactions. With one around all steps, its write lock keeps two migrating processes
 * apart.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #reader: SqliteThread;
  readonly #writer: SqliteThread;
  readonly #writerTurns = new Turns();

  constructor(reader: SqliteThread, writer: SqliteThread) {
    this.#reader = reader;
    this.#writer = writer;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#reader, this.#writer, this.#writerTurns);
  }

  async beginTransaction(connection: ThreadConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    await connection.executeQuery(compiledQuery.raw('commit'));
    connection.isOpen = false;
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    const { isOpen } = connection;
    connection.isOpen = false;
    if (isOpen) await connection.rollBack();
  }

  async releaseConnection(connection: ThreadConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    // The writer last: the last connection moves the WAL into the file, and one that only reads cannot.
    await this.#reader.close();
    await this.#writer.close();
  }
}

/** What one query or one transaction uses. A transaction has the writer to itself until it is released. */
class ThreadConnection implements DatabaseConnection {
  readonly #reader: SqliteThread;
  readonly #writer: SqliteThread;
  readonly #writerTurns: Turns;
  #holdsWriter = false;
  /** Whether a transaction was begun and not ended. */
  isOpen = false;

  constructor(reader: SqliteThread, writer: SqliteThread, writerTurns: Turns) {
    this.#reader = reader;
    this.#writer = writer;
    this.#writerTurns = writerTurns;
  }

  async begin(): Promise<void> {
    const deadlineMs = statementDeadline();
    await this.#writerTurns.take(deadlineMs);
    this.#holdsWriter = true;
    // Takes the write lock now: a transaction that reads first and then cannot write would have to be tried again.
    const begin = () => this.#writer.run('begin immediate', [], deadlineMs);
    try {
      await begin();
    } catch (error) {
      if (!isFileChanged(error)) throw error;
      await this.#closeConnections();
      await begin();
    }
    this.isOpen = true;
  }

  /** On a full disk SQLite has rolled back by itself, and the error of the statement is the one to report. */
  async rollBack(): Promise<void> {
    try {
      await this.executeQuery(compiledQuery.raw('rollback'));
    } catch (error) {
      if (!(error instanceof SqliteError) || !error.message.includes('no transaction is active')) throw error;
    }
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const deadlineMs = statementDeadline();
    const run = async (thread: SqliteThread): Promise<QueryResult<R>> => {
      const { rows, changes } = await thread.run(sql, parameters, deadlineMs);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    };
    if (this.#holdsWriter) return run(this.#writer);
    const isRead = SelectQueryNode.is(query);
    try {
      return await (isRead ? run(this.#reader) : this.#inTurn(deadlineMs, () => run(this.#writer)));
    } catch (error) {
      if (!isFileChanged(error)) throw error;
      return await this.#inTurn(deadlineMs, async () => {
        await this.#closeConnections();
        return run(isRead ? this.#reader : this.#writer);
      });
    }
  }

  /**
   * Connections of one process share what they know of a file, so a database that was copied over the open one is seen
   * only after all are closed. The reader last: the last connection that can write moves the WAL into the file, and the
   * WAL of the old database must not get into the new one.
   */
  async #closeConnections(): Promise<void> {
    await this.#writer.closeConnection();
    await this.#reader.closeConnection();
  }

  async #inTurn<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
    await this.#writerTurns.take(deadlineMs);
    try {
      return await work();
    } finally {
      this.#writerTurns.release();
    }
  }

  // biome-ignore lint/correctness/useYield: results come whole, and no query of ours asks for a stream.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('results of SQLite are not streamed');
  }

  release(): void {
    if (this.#holdsWriter) this.#writerTurns.release();
    this.#holdsWriter = false;
  }
}

function isFileChanged(error: unknown): boolean {
  return error instanceof SqliteError && error.code === FILE_CHANGED;
}

/** One holder at a time, in the order of asking. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  async take(deadlineMs: number): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    if (monotonicMs() < deadlineMs) return;
    this.release();
    throw new StorageUnavailable('timed out behind other writes');
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
