/** The process's side of a SQLite thread: statements in, results out, in order. Started with the first statement. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { monotonicMs } from './monotonic-clock.ts';
import type { CloseRequest, StatementReply, StatementRequest, ThreadOptions } from './thread-protocol.ts';

/** Longer than any statement of ours takes; what waits longer waits for a lock or a broken disk. */
const STATEMENT_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 5_000;

type Waiter = { resolve: (reply: StatementReply) => void; reject: (error: Error) => void };

export class SqliteThread {
  readonly #options: ThreadOptions;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #starting: Promise<number> | undefined;
  #lastId = 0;
  #generation = 0;
  #isClosed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** How often the thread had opened the file when it last answered. */
  get generation(): number {
    return this.#generation;
  }

  async run(sql: string, parameters: readonly unknown[], deadlineMs = statementDeadline()): Promise<StatementReply> {
    // One that comes too late would start a thread that nothing ends.
    if (this.#isClosed) throw new StorageUnavailable('the database was closed');
    // On a busy machine a thread takes seconds to start, which is no wait for a lock or the disk.
    const startMs = this.#worker === undefined || this.#starting !== undefined ? await this.#start() : 0;
    const reply = await this.#ask((id) => ({ id, sql, parameters, deadlineMs: deadlineMs + startMs }));
    if (reply.error !== undefined) throw new SqliteError(this.#options.path, reply.error);
    return reply;
  }

  /** Closes the connection; the next statement opens it again. */
  async closeConnection(): Promise<void> {
    if (this.#worker !== undefined) await this.#ask((id) => ({ id, isLast: false }));
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    const timer = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
    // A thread that had to be terminated has not answered.
    await this.#ask((id) => ({ id, isLast: true })).catch(() => {});
    await exited;
    clearTimeout(timer);
  }

  /** Returns how long it took. */
  async #start(): Promise<number> {
    const startedMs = monotonicMs();
    // Closing what is not open is answered as soon as the thread runs.
    this.#starting ??= this.#ask((id) => ({ id, isLast: false }))
      .then(() => monotonicMs() - startedMs)
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  #ask(request: (id: number) => StatementRequest | CloseRequest): Promise<StatementReply> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject });
      this.#started().postMessage(request(id));
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: this.#options });
    worker.on('message', (reply: StatementReply) => {
      const waiter = this.#waiters.get(reply.id);
      this.#waiters.delete(reply.id);
      this.#generation = reply.generation;
      waiter?.resolve(reply);
    });
    let failure = 'the SQLite thread ended';
    worker.on('error', (error: Error) => {
      failure = `the SQLite thread failed: ${error.message}`;
    });
    // A thread that ended is started again by the next statement.
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiters.values()) reject(new StorageUnavailable(failure));
      this.#waiters.clear();
    });
    this.#worker = worker;
    return worker;
  }
}

/** By the beginning of SQLite's code. */
const WORDS = [
  ['SQLITE_BUSY', 'locked by another process'],
  ['SQLITE_FULL', 'no space left on the disk'],
  ['SQLITE_READONLY', 'read-only: this user must be able to write to it and to its directory'],
  ['SQLITE_CANTOPEN', 'cannot be opened: this user must be able to read and write it, and its directory'],
  ['SQLITE_NOTADB', 'not a database of whence: restore a backup, or move it away to begin without keys'],
  ['SQLITE_CORRUPT', 'damaged: restore a backup, or move it away to begin without keys'],
  ['SQLITE_IOERR', 'the disk is full or broken'],
] as const;

export class SqliteError extends StorageUnavailable {
  /** Like `SQLITE_BUSY`; empty for what SQLite did not say itself. */
  readonly code: string;

  constructor(path: string, { message, code }: { message: string; code: string }) {
    const words = WORDS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? message;
    super(`${path}: ${words}${code === '' ? '' : ` (${code})`}`);
    this.code = code;
  }
}

export function statementDeadline(): number {
  return monotonicMs() + STATEMENT_TIMEOUT_MS;
}
