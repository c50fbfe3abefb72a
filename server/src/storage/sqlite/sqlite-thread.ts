/** The process's side of a SQLite thread: statements in, results out, in order. Started with the first statement. */
import { once } from 'node:events';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownedByAnother } from '@whence/dataset/internal/io/ownership';
import { StorageUnavailable } from '../storage-unavailable.ts';
import {
  type CloseRequest,
  monotonicMs,
  type StatementReply,
  type StatementRequest,
  type ThreadOptions,
} from './thread-protocol.ts';

/** Longer than any of our statements takes: a longer wait means a lock or a failing disk. */
const STATEMENT_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 5_000;

type Waiter = { resolve: (reply: StatementReply) => void; reject: (error: Error) => void };

export class SqliteThread {
  readonly #options: ThreadOptions;
  readonly #timeoutMs: number;
  readonly #waiters = new Map<number, Waiter>();
  #worker: Worker | undefined;
  #starting: Promise<number> | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: ThreadOptions, timeoutMs = STATEMENT_TIMEOUT_MS) {
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  /** For a statement that begins now. */
  deadline(): number {
    return monotonicMs() + this.#timeoutMs;
  }

  async run(sql: string, parameters: readonly unknown[], deadlineMs = this.deadline()): Promise<StatementReply> {
    // A late statement would start a thread that is never stopped.
    if (this.#isClosed) throw new StorageUnavailable('the database was closed');
    // The deadline is for locks and the disk; on a busy machine, starting the thread takes seconds more.
    const startMs = this.#worker === undefined || this.#starting !== undefined ? await this.#start() : 0;
    const reply = await this.#ask((id) => ({ id, sql, parameters, deadlineMs: deadlineMs + startMs }));
    if (reply.error !== undefined) throw new SqliteError(this.#options.path, reply.error);
    return reply;
  }

  /** Closes the connection; the next statement opens it again. */
  async closeConnection(): Promise<void> {
    if (this.#worker !== undefined) await this.#ask((id) => ({ id, isLast: false }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, 'exit');
    const timer = setTimeout(() => void worker.terminate(), CLOSE_TIMEOUT_MS);
    // A thread that had to be terminated does not answer.
    await this.#ask((id) => ({ id, isLast: true })).catch(() => {});
    await exited;
    clearTimeout(timer);
  }

  async #start(): Promise<number> {
    const startedMs = monotonicMs();
    // A close request without an open connection is answered as soon as the thread runs.
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

/** By prefix of the SQLite error code. */
const EXPLANATIONS = [
  ['SQLITE_BUSY', 'locked by another process'],
  ['SQLITE_FULL', 'no space left on the disk'],
  ['SQLITE_READONLY', 'read-only: this user must be able to write to it and to its directory'],
  ['SQLITE_CANTOPEN', 'cannot be opened: this user must be able to read and write it, and its directory'],
  ['SQLITE_NOTADB', 'not a Whence database: restore a backup, or move the file away to start without keys'],
  ['SQLITE_CORRUPT', 'damaged: restore a backup, or move the file away to start without keys'],
  ['SQLITE_IOERR', 'the disk is full or broken'],
] as const;

export class SqliteError extends StorageUnavailable {
  /** Such as `SQLITE_BUSY`; empty for errors that are not from SQLite. */
  readonly code: string;

  constructor(path: string, { message, code }: { message: string; code: string }) {
    const explanation = EXPLANATIONS.find(([prefix]) => code.startsWith(prefix))?.[1] ?? message;
    const owned = /READONLY|CANTOPEN|EACCES|EPERM/.test(`${code} ${message}`) ? ownerProblem(path) : undefined;
    super(owned ?? `${path}: ${explanation}${code === '' ? '' : ` (${code})`}`);
    this.code = code;
  }
}

/** The file, those that SQLite keeps beside it, and their folder. */
function ownerProblem(path: string): string | undefined {
  const folder = dirname(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`, folder]) {
    const problem = ownedByAnother(file, folder);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
