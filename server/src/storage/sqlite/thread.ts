// A thread with one SQLite connection, which may wait for a lock or the disk until a statement's deadline. Outside
// transactions it first compares the files at its path with those it opened. Other files, or a new `-shm`, refuse the
// statement with FILE_CHANGED: all connections of the process must be closed. Other content in the same file is a
// checkpoint or a database copied over it: this connection is opened again (0.3 ms, once per 4 MB of writes) while the
// others stay, since on a full disk `-shm` could not be made anew.
import { statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import {
  type CloseRequest,
  FILE_CHANGED,
  monotonicMs,
  type StatementReply,
  type StatementRequest,
  type ThreadOptions,
} from './thread-protocol.ts';

/** Prepared statements kept. Queries are a fixed set; only multi-row inserts differ by their number of rows. */
const MAX_STATEMENTS = 100;

class Connection {
  readonly #options: ThreadOptions;
  #database: Database.Database | undefined;
  #statements = new Map<string, Database.Statement<unknown[]>>();
  /** Identity of the files when the connection was opened; `-shm` exists only once a statement has run. */
  #files = { database: '', sharedMemory: '' };
  #content = '';

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  run({ sql, parameters, deadlineMs }: StatementRequest): Pick<StatementReply, 'rows' | 'changes'> {
    const database = this.#current();
    const leftMs = Math.floor(deadlineMs - monotonicMs());
    if (leftMs <= 0) throw new TimeoutError('timed out waiting for other statements');
    database.pragma(`busy_timeout = ${leftMs}`);
    const statement = this.#prepare(database, sql);
    const result = statement.reader
      ? { rows: statement.all(...parameters), changes: 0 }
      : { rows: [], changes: statement.run(...parameters).changes };
    this.#files.sharedMemory ||= this.#sharedMemory();
    return result;
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#statements.clear();
  }

  #current(): Database.Database {
    if (this.#database?.inTransaction === true) return this.#database;
    const { path, isReader } = this.#options;
    const { dev, ino, mtimeNs, size } = statSync(path, { bigint: true });
    const [database, content] = [`${dev} ${ino}`, `${mtimeNs} ${size}`];
    if (this.#database !== undefined) {
      const opened = this.#files;
      const isSame = database === opened.database && ['', this.#sharedMemory()].includes(opened.sharedMemory);
      if (!isSame) throw new FileChanged('the file was replaced');
      if (content === this.#content) return this.#database;
    }
    this.close();
    this.#database = new Database(path, { readonly: isReader, fileMustExist: true });
    // A quota that was granted must not be granted again after a power cut, nor may a revoked key come back.
    if (!isReader) this.#database.pragma('synchronous = FULL');
    this.#files = { database, sharedMemory: '' };
    this.#content = content;
    return this.#database;
  }

  #sharedMemory(): string {
    const found = statSync(`${this.#options.path}-shm`, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino}`;
  }

  #prepare(database: Database.Database, sql: string): Database.Statement<unknown[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = database.prepare<unknown[]>(sql);
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
port.on('message', (request: StatementRequest | CloseRequest) => {
  const { id } = request;
  if ('isLast' in request) {
    connection.close();
    port.postMessage({ id, rows: [], changes: 0 } satisfies StatementReply);
    if (request.isLast) port.close();
    return;
  }
  try {
    const result = connection.run(request);
    port.postMessage({ id, ...result } satisfies StatementReply);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const reply = { id, rows: [], changes: 0 };
    port.postMessage({ ...reply, error: { message, code: code ?? '' } } satisfies StatementReply);
  }
});
