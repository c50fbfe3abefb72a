// Comparisons of versions, one at a time in a thread, shared by equal requests. The last few are kept.
import { Worker } from 'node:worker_threads';
import { type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import { SharedWork } from '../limits/shared-work.ts';

/** Results kept: 50 kB each with short lists, 2 MB with the longest. */
const MAX_KEPT = 8;
/** Two default datasets take 2 s. */
const TIMEOUT_MS = 30_000;
/** Above this the thread ends, and not the process. Dataset files are outside the heap. */
const MAX_HEAP_MB = 512;

export type DiffTask = { fromPath: string; toPath: string; limit: number };

/** `refused`: the queue is full, it took too long, or the server stops. `failed`: a file cannot be read. */
type DiffOutcome = { kind: 'done'; json: Uint8Array } | { kind: 'refused' } | { kind: 'failed' };

type DiffEvents = {
  failed(error: unknown, from: number, to: number): void;
  tookTooLong(from: number, to: number): void;
};

export class DatasetDiffs {
  readonly #dataDir: string;
  readonly #events: DiffEvents;
  readonly #timeoutMs: number;
  readonly #comparisons = new SharedWork<DiffOutcome>(new CostQueue('comparison'));
  readonly #kept = new Map<string, DiffOutcome>();
  readonly #closing = new AbortController();
  #running: { worker: Worker; stop: () => void } | undefined;

  constructor(dataDir: string, events: DiffEvents, timeoutMs = TIMEOUT_MS) {
    this.#dataDir = dataDir;
    this.#events = events;
    this.#timeoutMs = timeoutMs;
  }

  async diff(from: VersionEntry, to: VersionEntry, limit: number, requester: Requester): Promise<DiffOutcome> {
    // By digest: a data directory that was emptied and built again starts over with version 1.
    const key = `${from.sha256} ${to.sha256} ${limit}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const signal = AbortSignal.any([requester.signal, this.#closing.signal]);
    const compare = () => this.#compare(key, from, to, limit);
    return this.#comparisons.run(key, { ...requester, signal }, compare, () => ({ kind: 'refused' }));
  }

  /** Refuses all waiting requests, and ends the thread. */
  async close(): Promise<void> {
    this.#closing.abort();
    const worker = this.#running?.worker;
    this.#running?.stop();
    await worker?.terminate();
  }

  #compare(key: string, from: VersionEntry, to: VersionEntry, limit: number): Promise<DiffOutcome> {
    const workerData: DiffTask = {
      fromPath: versionPath(this.#dataDir, from),
      toPath: versionPath(this.#dataDir, to),
      limit,
    };
    const worker = new Worker(new URL('./diff-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    return new Promise((resolve) => {
      let isOver = false;
      /** The first of message, error, exit, timeout and close decides. */
      const end = (outcome: DiffOutcome) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        this.#running = undefined;
        if (outcome.kind === 'done') this.#keep(key, outcome);
        resolve(outcome);
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
    });
  }

  #keep(key: string, outcome: DiffOutcome): void {
    this.#kept.set(key, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
