// Kysely over SQLite threads: two that read and one that writes, so that in WAL mode key checks
// wait neither for another process's lock nor for the disk. Statistics have a reader of their own.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { textParameters } from '../text-parameters.ts';
import { SqliteError, type SqliteThread } from './sqlite-thread.ts';
import { FILE_CHANGED, monotonicMs } from './thread-protocol.ts';

type Threads = {
  readonly reader: SqliteThread;
  readonly statisticsReader: SqliteThread;
  readonly writer: SqliteThread;
  readonly writerLock: Mutex;
};

/** `reader` runs the reads. The transactions of an urgent one go ahead of those that wait. */
export function threadDialect(
  threads: Threads,
  { reader = threads.reader, isUrgent = false } = {},
): Dialect {
  return {
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => new ThreadConnection(threads, reader, isUrgent),
      beginTransaction: (connection: ThreadConnection) => connection.begin(),
      commitTransaction: (connection: ThreadConnection) => connection.commit(),
      rollbackTransaction: (connection: ThreadConnection) => connection.rollBack(),
      releaseConnection: async (connection: ThreadConnection) => connection.release(),
      async destroy() {
        // The writer last: the last connection moves the WAL into the file, and one that only reads
        // cannot.
        await threads.statisticsReader.close();
        await threads.reader.close();
        await threads.writer.close();
      },
    }),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  };
}

// SQLite changes schemas in transactions: one around all steps keeps two migrating processes apart.
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * The connection of one query or one transaction. A transaction holds the writer until it is
 * released.
 */
class ThreadConnection implements DatabaseConnection {
  readonly #threads: Threads;
  readonly #reader: SqliteThread;
  readonly #isUrgent: boolean;
  #holdsWriter = false;
  #isOpen = false;

  constructor(threads: Threads, reader: SqliteThread, isUrgent: boolean) {
    this.#threads = threads;
    this.#reader = reader;
    this.#isUrgent = isUrgent;
  }

  async begin(): Promise<void> {
    const { writer, writerLock } = this.#threads;
    let deadlineMs = writer.deadline();
    await writerLock.acquire(
      this.#isUrgent ? Number.POSITIVE_INFINITY : deadlineMs,
      this.#isUrgent,
    );
    // The write before it, which may have waited for a lock, must not take its time.
    if (this.#isUrgent) deadlineMs = writer.deadline();
    this.#holdsWriter = true;
    // Takes the write lock now: a transaction that reads first and then cannot write would have to
    // be repeated.
    await this.#withCurrentFiles(() => writer.run('begin immediate', [], deadlineMs));
    this.#isOpen = true;
  }

  async commit(): Promise<void> {
    await this.executeQuery(CompiledQuery.raw('commit'));
    this.#isOpen = false;
  }

  /**
   * On a full disk SQLite has rolled back by itself, and the error of the statement is the one to
   * report.
   */
  async rollBack(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.executeQuery(CompiledQuery.raw('rollback'));
    } catch (error) {
      if (!(error instanceof SqliteError) || !error.message.includes('no transaction is active'))
        throw error;
    }
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { writer } = this.#threads;
    const isRead = SelectQueryNode.is(query);
    const deadlineMs = (isRead ? this.#reader : writer).deadline();
    const run = async (thread: SqliteThread): Promise<QueryResult<R>> => {
      const { rows, changes } = await thread.run(sql, textParameters(parameters), deadlineMs);
      return { rows: rows as R[], numAffectedRows: BigInt(changes) };
    };
    if (this.#holdsWriter) return run(writer);
    try {
      return await (isRead ? run(this.#reader) : this.#withWriter(deadlineMs, () => run(writer)));
    } catch (error) {
      if (!isFileChanged(error)) throw error;
      return await this.#withWriter(deadlineMs, () =>
        this.#withCurrentFiles(() => run(isRead ? this.#reader : writer)),
      );
    }
  }

  /** Closes all connections and tries again if the files were replaced; needs the writer lock. */
  async #withCurrentFiles<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isFileChanged(error)) throw error;
    }
    // Connections of a process share state about a file, so a database copied over the open one is
    // seen only after all are closed. The readers last: the last writer moves the WAL, which must
    // not get into the new database.
    await this.#threads.writer.stop();
    await this.#threads.statisticsReader.stop();
    await this.#threads.reader.stop();
    return work();
  }

  async #withWriter<T>(deadlineMs: number, work: () => Promise<T>): Promise<T> {
    const { writerLock } = this.#threads;
    await writerLock.acquire(deadlineMs);
    try {
      return await work();
    } finally {
      writerLock.release();
    }
  }

  streamQuery(): never {
    throw new Error('results of SQLite are not streamed');
  }

  release(): void {
    if (this.#holdsWriter) this.#threads.writerLock.release();
    this.#holdsWriter = false;
  }
}

function isFileChanged(error: unknown): boolean {
  return error instanceof SqliteError && error.code === FILE_CHANGED;
}

/** One holder at a time, urgent ones first, else first come, first served. */
export class Mutex {
  readonly #urgent: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  async acquire(deadlineMs: number, isUrgent = false): Promise<void> {
    const queue = isUrgent ? this.#urgent : this.#waiting;
    if (this.#isHeld) await new Promise<void>((resolve) => queue.push(resolve));
    this.#isHeld = true;
    if (monotonicMs() < deadlineMs) return;
    this.release();
    throw new StorageUnavailable('timed out waiting for other writes');
  }

  release(): void {
    const next = this.#urgent.shift() ?? this.#waiting.shift();
    if (next === undefined) this.#isHeld = false;
    else next();
  }
}
