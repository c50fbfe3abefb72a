/**
 * A thread with one SQLite connection. It may wait for a lock or for the disk as long as a statement's deadline allows;
 * the event loop of the process does not wait with it.
 *
 * Before a statement outside a transaction it compares the file at its path with the one it opened, and opens it again
 * when it differs: a database that was replaced or restored must not be answered from a cache. A checkpoint changes the
 * file as well, so it costs a reopening too (0.3 ms, once per 4 MB of writes).
 */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { monotonicMs } from './monotonic-clock.ts';
import type { CloseRequest, StatementReply, StatementRequest, ThreadOptions } from './thread-protocol.ts';

/** Prepared statements kept. Queries are a fixed set; only multi-row inserts differ by their number of rows. */
const MAX_STATEMENTS = 100;

class Connection {
  readonly #options: ThreadOptions;
  #database: Database.Database | undefined;
  #statements = new Map<string, Database.Statement<unknown[]>>();
  #fingerprint = '';
  generation = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  run({ sql, parameters, deadlineMs }: StatementRequest): Pick<StatementReply, 'rows' | 'changes'> {
    const database = this.#current();
    const leftMs = Math.floor(deadlineMs - monotonicMs());
    if (leftMs <= 0) throw new TimeoutError('timed out waiting for its turn');
    database.pragma(`busy_timeout = ${leftMs}`);
    const statement = this.#prepare(database, sql);
    if (statement.reader) return { rows: statement.all(...parameters), changes: 0 };
    return { rows: [], changes: statement.run(...parameters).changes };
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#statements.clear();
  }

  #current(): Database.Database {
    if (this.#database?.inTransaction === true) return this.#database;
    const fingerprint = this.#readFingerprint();
    if (this.#database !== undefined && fingerprint === this.#fingerprint) return this.#database;
    this.close();
    const { path, isReader } = this.#options;
    this.#database = new Database(path, { readonly: isReader, fileMustExist: true });
    // A quota that was granted must not be granted again after a power cut, nor may a revoked key come back.
    if (!isReader) this.#database.pragma('synchronous = FULL');
    this.#fingerprint = fingerprint;
    this.generation++;
    return this.#database;
  }

  #readFingerprint(): string {
    const { dev, ino, mtimeNs, size } = statSync(this.#options.path, { bigint: true });
    return `${dev} ${ino} ${mtimeNs} ${size}`;
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

const port = parentPort;
if (port === null) throw new Error('runs as a thread of the storage only');
// Handed over by SqliteThread and no other code.
const connection = new Connection(workerData as ThreadOptions);
port.on('message', (request: StatementRequest | CloseRequest) => {
  const { id } = request;
  if ('isLast' in request) {
    connection.close();
    port.postMessage({ id, rows: [], changes: 0, generation: connection.generation } satisfies StatementReply);
    if (request.isLast) port.close();
    return;
  }
  try {
    const result = connection.run(request);
    port.postMessage({ id, ...result, generation: connection.generation } satisfies StatementReply);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    const reply = { id, rows: [], changes: 0, generation: connection.generation };
    port.postMessage({ ...reply, error: { message, code: code ?? '' } } satisfies StatementReply);
  }
});
