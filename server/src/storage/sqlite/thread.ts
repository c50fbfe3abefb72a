// A thread with one SQLite connection, which may wait for a lock or the disk until a statement's
// deadline. Outside transactions it first compares the files at its path with those it opened.
// Other files, or a new `-shm`, refuse the statement with FILE_CHANGED: all connections of the
// process must be closed. Only the end of the thread closes one: the driver's `close()` leaves
// prepared statements open, and with them the files, until they are garbage collected.
import { statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite';
import {
  END,
  FILE_CHANGED,
  monotonicMs,
  READY,
  type StatementReply,
  type StatementRequest,
  type ThreadOptions,
} from './thread-protocol.ts';

/**
 * Prepared statements kept. Queries are a fixed set; only multi-row inserts differ by their number
 * of rows.
 */
const MAX_STATEMENTS = 100;
/** Page cache of a connection. SQLite's 2 MB would spill a large import to the WAL early. */
const CACHE_KIBIBYTES = 16_000;

type Statement = { readonly prepared: StatementSyncInstance; readonly returnsRows: boolean };

class Connection {
  readonly #options: ThreadOptions;
  #database: DatabaseSyncInstance | undefined;
  #statements = new Map<string, Statement>();
  /**
   * Identity of the files when the connection was opened; `-shm` exists only once a statement has
   * run.
   */
  #files = { database: '', sharedMemory: '' };

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  run({ sql, parameters, deadlineMs }: StatementRequest): Pick<StatementReply, 'rows' | 'changes'> {
    const leftMs = Math.floor(deadlineMs - monotonicMs());
    if (leftMs <= 0) throw new TimeoutError('timed out waiting for other statements');
    const database = this.#current(leftMs);
    database.exec(`pragma busy_timeout = ${leftMs}`);
    const { prepared, returnsRows } = this.#prepare(database, sql);
    const result = returnsRows
      ? { rows: prepared.all(...parameters), changes: 0 }
      : { rows: [], changes: prepared.run(...parameters).changes };
    this.#files.sharedMemory ||= this.#sharedMemory();
    return result;
  }

  #current(timeoutMs: number): DatabaseSyncInstance {
    if (this.#database?.isTransaction === true) return this.#database;
    const { path, isReader } = this.#options;
    const { dev, ino } = statSync(path, { bigint: true });
    const database = `${dev} ${ino}`;
    if (this.#database !== undefined) {
      const opened = this.#files;
      const isSame =
        database === opened.database && ['', this.#sharedMemory()].includes(opened.sharedMemory);
      if (!isSame) throw new FileChanged('the file was replaced');
      return this.#database;
    }
    const opened = new DatabaseSync(path, { readOnly: isReader, timeout: timeoutMs });
    try {
      opened.exec(`pragma cache_size = -${CACHE_KIBIBYTES}`);
      // A quota that was granted must not be granted again after a power cut, nor may a revoked key
      // come back.
      if (!isReader) opened.exec('pragma synchronous = full');
    } catch (error) {
      opened.close();
      throw error;
    }
    this.#database = opened;
    this.#files = { database, sharedMemory: '' };
    return opened;
  }

  #sharedMemory(): string {
    const stats = statSync(`${this.#options.path}-shm`, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.ino}`;
  }

  #prepare(database: DatabaseSyncInstance, sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      const prepared = database.prepare(sql);
      statement = { prepared, returnsRows: prepared.columns().length > 0 };
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

class TimeoutError extends Error {}

class FileChanged extends Error {
  readonly code = FILE_CHANGED;
}

const port = parentPort;
if (port === null) throw new Error('this module must run as a thread of the storage');
// Passed by SqliteThread, the only caller.
const options = workerData as ThreadOptions;
// Linux sets the priority of the calling thread; other systems would set that of the whole process.
if (options.isBackground === true && process.platform === 'linux')
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const connection = new Connection(options);
port.on('message', (request: StatementRequest | typeof END) => {
  if (request === END) {
    port.close();
    return;
  }
  const { id } = request;
  try {
    const result = connection.run(request);
    port.postMessage({ id, ...result } satisfies StatementReply);
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
    const reply = { id, rows: [], changes: 0 };
    port.postMessage({
      ...reply,
      error: { message, code: errcode ?? code ?? '' },
    } satisfies StatementReply);
  }
});
port.postMessage(READY);
