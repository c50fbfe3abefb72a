// Lookups in earlier versions, one at a time in a thread that opens the files. Requests wait in
// turn by key, bounded in number and time. The thread ends after a while without requests, which
// closes its versions.
import type { Worker } from 'node:worker_threads';
import { startThread } from '@whence/dataset/io/thread';
import { ApiError } from '../http/errors.ts';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import type { PastReply, PastTask } from './past-worker.ts';

/**
 * No more than the longest wait leaves of the deadline. A history over 100 versions
 * takes 3 s; a network disk may not answer at all.
 */
const TIMEOUT_MS = 10_000;
const IDLE_MS = 60_000;
/** Above this the thread ends, and not the process. Files of versions are outside the heap. */
const MAX_HEAP_MB = 512;

type PastEvents = {
  failed(reason: string): void;
  tookTooLong(): void;
};

export class PastLookups {
  readonly #dataDir: string;
  readonly #events: PastEvents;
  readonly #timeoutMs: number;
  readonly #queue = new CostQueue('past_version');
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(dataDir: string, events: PastEvents, timeoutMs = TIMEOUT_MS) {
    this.#dataDir = dataDir;
    this.#events = events;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws an ApiError if the queue is full, it takes too long, or a file is damaged. */
  async ask<Kind extends PastTask['kind']>(
    task: PastTask & { readonly kind: Kind },
    requester: Requester,
  ): Promise<Extract<PastReply, { kind: Kind }>> {
    // The server may have stopped while the request waited.
    const run = async () => (this.#isClosed ? undefined : this.#run(task));
    const reply = this.#isClosed
      ? undefined
      : await this.#queue.run(requester, run, () => undefined);
    if (reply === undefined) throw new ApiError('QUEUE_FULL');
    if (reply.kind === 'failed') {
      this.#events.failed(reply.reason);
      throw new ApiError('VERSION_UNREADABLE');
    }
    // The thread answers a task with a reply of its kind.
    return reply as Extract<PastReply, { kind: Kind }>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endThread();
  }

  /** Undefined if it took too long, or the thread was ended. */
  #run(task: PastTask): Promise<PastReply | undefined> {
    clearTimeout(this.#idle);
    try {
      this.#worker ??= this.#startThread();
    } catch (error) {
      return Promise.resolve({ kind: 'failed', reason: (error as Error).message });
    }
    const worker = this.#worker;
    return new Promise<PastReply | undefined>((resolve) => {
      const end = (reply: PastReply | undefined) => {
        clearTimeout(timer);
        for (const name of ['message', 'error', 'exit']) worker.removeAllListeners(name);
        // An error that comes later must not end the process.
        worker.on('error', () => {});
        this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref();
        resolve(reply);
      };
      const timer = setTimeout(() => {
        this.#events.tookTooLong();
        void this.#endThread();
        end(undefined);
      }, this.#timeoutMs);
      const fail = (reason: string) => {
        this.#worker = undefined;
        end(this.#isClosed ? undefined : { kind: 'failed', reason });
      };
      worker.on('message', end);
      worker.on('error', ({ message }) => fail(message));
      worker.on('exit', (code) => fail(`the thread of earlier versions ended with code ${code}`));
      worker.postMessage(task);
    });
  }

  #startThread(): Worker {
    const worker = startThread(new URL('./past-worker.js', import.meta.url), {
      workerData: this.#dataDir,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    // While a request waits, its connection keeps the process running.
    worker.unref();
    return worker;
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}
