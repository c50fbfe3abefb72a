/**
 * The process's side of a SQLite thread: statements in, results out, in order. Started with the
 * first statement.
 */
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startThread } from '@whence/dataset/io/thread';
import { ownedByAnother } from '../../file-ownership.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import {
  END,
  monotonicMs,
  READY,
  type StatementReply,
  type StatementRequest,
  type ThreadOptions,
} from './thread-protocol.ts';

/** Longer than any of our statements takes: a longer wait means a lock or a failing disk. */
const STATEMENT_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 5_000;

type Waiter = { resolve: (reply: StatementReply) => void; reject: (error: Error) => void };
type Running = {
  readonly worker: Worker;
  readonly isReady: Promise<void>;
  readonly waiters: Map<number, Waiter>;
};

export class SqliteThread {
  readonly #options: ThreadOptions;
  readonly #timeoutMs: number;
  #running: Running | undefined;
  /** Settled when the connection of the thread before is closed. */
  #stopped: Promise<void> | undefined;
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

  async run(
    sql: string,
    parameters: readonly unknown[],
    deadlineMs = this.deadline(),
  ): Promise<StatementReply> {
    const beganMs = monotonicMs();
    await this.#stopped;
    // A late statement would start a thread that is never stopped.
    if (this.#isClosed) throw new StorageUnavailable('the database was closed');
    this.#running ??= this.#start();
    const { worker, isReady, waiters } = this.#running;
    await isReady;
    // The deadline is for locks and the disk; on a busy machine, starting the thread takes seconds
    // more.
    const startMs = monotonicMs() - beganMs;
    const id = ++this.#lastId;
    const reply = await new Promise<StatementReply>((resolve, reject) => {
      waiters.set(id, { resolve, reject });
      worker.postMessage({
        id,
        sql,
        parameters,
        deadlineMs: deadlineMs + startMs,
      } satisfies StatementRequest);
    });
    if (reply.error !== undefined) throw new SqliteError(this.#options.path, reply.error);
    return reply;
  }

  /** Ends the thread, and closes its connection with it; the next statement starts another one. */
  async stop(): Promise<void> {
    this.#stopped = this.#end(this.#running);
    this.#running = undefined;
    await this.#stopped;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  async #end(running: Running | undefined): Promise<void> {
    if (running === undefined) return;
    const exited = once(running.worker, 'exit');
    const timer = setTimeout(() => void running.worker.terminate(), CLOSE_TIMEOUT_MS);
    running.worker.postMessage(END);
    await exited;
    clearTimeout(timer);
  }

  #start(): Running {
    const worker = this.#startThread();
    const waiters = new Map<number, Waiter>();
    let failure = 'the SQLite thread ended';
    const isReady = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: StatementReply | typeof READY) => {
        if (message === READY) {
          resolve();
          return;
        }
        const waiter = waiters.get(message.id);
        waiters.delete(message.id);
        waiter?.resolve(message);
      });
      worker.on('error', (error: Error) => {
        failure = `the SQLite thread failed: ${error.message}`;
      });
      // A thread that ended is started again by the next statement.
      worker.on('exit', () => {
        if (this.#running?.worker === worker) this.#running = undefined;
        reject(new StorageUnavailable(failure));
        for (const waiter of waiters.values()) waiter.reject(new StorageUnavailable(failure));
        waiters.clear();
      });
    });
    return { worker, isReady, waiters };
  }

  #startThread(): Worker {
    try {
      return startThread(new URL('./thread.js', import.meta.url), { workerData: this.#options });
    } catch (error) {
      throw new StorageUnavailable((error as Error).message);
    }
  }
}

/**
 * By primary result code, which is the lowest byte of an extended one
 * (https://sqlite.org/rescode.html), and by SQLite's text for it: `all()` of the driver reports no
 * code.
 */
const EXPLANATIONS = [
  [5, 'SQLITE_BUSY', 'database is locked', 'locked by another process'],
  [
    8,
    'SQLITE_READONLY',
    'attempt to write a readonly database',
    'read-only: this user must be able to write to it and to its directory',
  ],
  [10, 'SQLITE_IOERR', 'disk I/O error', 'the disk is full or broken'],
  [
    11,
    'SQLITE_CORRUPT',
    'database disk image is malformed',
    'damaged: restore a backup, or move the file away to start without keys',
  ],
  [13, 'SQLITE_FULL', 'database or disk is full', 'no space left on the disk'],
  [
    14,
    'SQLITE_CANTOPEN',
    'unable to open database file',
    'cannot be opened: this user must be able to read and write it, and its directory',
  ],
  [
    26,
    'SQLITE_NOTADB',
    'file is not a database',
    'not a Whence database: restore a backup, or move the file away to start without keys',
  ],
] as const;

export class SqliteError extends StorageUnavailable {
  /**
   * SQLite's extended result code, or that of the file system, such as `EACCES`; empty for other
   * errors.
   */
  readonly code: string | number;

  constructor(path: string, { message, code }: { message: string; code: string | number }) {
    const [name, explanation] = explain(message, code);
    const owned = /READONLY|CANTOPEN|EACCES|EPERM/.test(`${name} ${message}`)
      ? ownerProblem(path)
      : undefined;
    super(owned ?? `${path}: ${explanation}${name === '' ? '' : ` (${name})`}`);
    this.code = code;
  }
}

function explain(
  message: string,
  code: string | number,
): readonly [name: string, explanation: string] {
  const primary = typeof code === 'number' ? code & 0xff : undefined;
  const row = EXPLANATIONS.find(([number, , text]) =>
    primary === undefined ? text === message : number === primary,
  );
  if (row === undefined)
    return [primary === undefined ? `${code}` : `SQLite error ${code}`, message];
  const [, name, , explanation] = row;
  return [primary === undefined || primary === code ? name : `${name} ${code}`, explanation];
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
