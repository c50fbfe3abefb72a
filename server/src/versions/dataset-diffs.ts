/**
 * Comparisons of dataset versions: one at a time, in a thread, shared by all requests for the same pair. Versions never
 * change, so the last few results are kept: a client that gave up waiting gets the result when it asks again.
 */
import { Worker } from 'node:worker_threads';
import { type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';

const MAX_WAITING = 64;
/** Per requester, so that one cannot fill the queue for all. */
const MAX_WAITING_EACH = 4;
/** Results kept: 50 kB each with short lists, 2 MB with the longest. */
const MAX_KEPT = 8;
/** Two default datasets take 2 s. */
const TIMEOUT_MS = 30_000;
/** Above this the thread ends, and not the process. Dataset files are outside the heap. */
const MAX_HEAP_MB = 512;

export type DiffTask = { fromPath: string; toPath: string; limit: number };

/**
 * `done` with the comparison as JSON. `refused`: the queue is full, it took too long, or the server stops. `failed`: a
 * file cannot be read.
 */
type DiffOutcome = { kind: 'done'; json: Uint8Array } | { kind: 'refused' } | { kind: 'failed' };

type DiffEvents = {
  failed(error: unknown, from: number, to: number): void;
  tookTooLong(from: number, to: number): void;
};

type Job = {
  key: string;
  requester: string;
  from: VersionEntry;
  to: VersionEntry;
  limit: number;
  finish: (outcome: DiffOutcome) => void;
};

export class DatasetDiffs {
  readonly #dataDir: string;
  readonly #events: DiffEvents;
  readonly #timeoutMs: number;
  readonly #pending = new Map<string, Promise<DiffOutcome>>();
  readonly #kept = new Map<string, DiffOutcome>();
  readonly #waiting: Job[] = [];
  #running: { worker: Worker; stop: () => void } | undefined;
  #isClosed = false;
  #lastRequester = '';

  constructor(dataDir: string, events: DiffEvents, timeoutMs = TIMEOUT_MS) {
    this.#dataDir = dataDir;
    this.#events = events;
    this.#timeoutMs = timeoutMs;
  }

  /** `requester` identifies the client, for a fair share of the queue. */
  async diff(from: VersionEntry, to: VersionEntry, limit: number, requester: string): Promise<DiffOutcome> {
    if (this.#isClosed) return { kind: 'refused' };
    // By digest: a data directory that was emptied and built again starts over with version 1.
    const key = `${from.sha256} ${to.sha256} ${limit}`;
    const known = this.#kept.get(key) ?? this.#pending.get(key);
    if (known !== undefined) return known;
    const own = this.#waiting.filter((job) => job.requester === requester).length;
    if (own >= MAX_WAITING_EACH || this.#waiting.length >= MAX_WAITING) return { kind: 'refused' };
    const outcome = new Promise<DiffOutcome>((resolve) => {
      this.#waiting.push({ key, requester, from, to, limit, finish: resolve });
    });
    this.#pending.set(key, outcome);
    this.#startNext();
    return outcome;
  }

  /** Refuses all waiting requests, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { finish } of this.#waiting.splice(0)) finish({ kind: 'refused' });
    const worker = this.#running?.worker;
    this.#running?.stop();
    await worker?.terminate();
  }

  #startNext(): void {
    if (this.#running !== undefined || this.#isClosed) return;
    const job = this.#next();
    if (job !== undefined) this.#run(job);
  }

  /** Requesters take turns: the oldest job of another requester than the last one, if there is any. */
  #next(): Job | undefined {
    const at = this.#waiting.findIndex(({ requester }) => requester !== this.#lastRequester);
    const [job] = this.#waiting.splice(Math.max(0, at), 1);
    this.#lastRequester = job?.requester ?? '';
    return job;
  }

  #run(job: Job): void {
    const { key, from, to, limit } = job;
    const workerData: DiffTask = {
      fromPath: versionPath(this.#dataDir, from),
      toPath: versionPath(this.#dataDir, to),
      limit,
    };
    const worker = new Worker(new URL('./diff-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    let isOver = false;
    /** The first of message, error, exit, timeout and close decides. */
    const end = (outcome: DiffOutcome) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      this.#pending.delete(key);
      this.#running = undefined;
      if (outcome.kind === 'done') this.#keep(key, outcome);
      job.finish(outcome);
      this.#startNext();
    };
    const timer = setTimeout(() => {
      this.#events.tookTooLong(from.version, to.version);
      end({ kind: 'refused' });
      void worker.terminate();
    }, this.#timeoutMs);
    worker.once('message', (json: Uint8Array) => end({ kind: 'done', json }));
    const fail = (error: unknown) => {
      if (!isOver) this.#events.failed(error, from.version, to.version);
      end({ kind: 'failed' });
    };
    worker.once('error', fail);
    worker.once('exit', (code) => fail(new Error(`the comparison thread exited with code ${code}`)));
    this.#running = { worker, stop: () => end({ kind: 'refused' }) };
  }

  #keep(key: string, outcome: DiffOutcome): void {
    this.#kept.set(key, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
