// Comparisons of versions, one at a time in a thread, shared by equal requests. The last few are kept.
import { runInThread, TookTooLong } from '@whence/dataset/internal/io/run-thread';
import { type VersionEntry, versionPath } from '@whence/dataset/internal/versions/publish';
import { CostQueue, type Requester } from '../limits/cost-classes.ts';
import { SharedWork } from '../limits/shared-work.ts';

/** Results kept: 50 kB each with short lists, 2 MB with the longest. */
const MAX_KEPT = 8;
/** Two default datasets take 2 s. */
const TIMEOUT_MS = 30_000;

const DIFF_MODULE = new URL(import.meta.resolve('@whence/dataset/internal/diff/diff'));

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
  close(): void {
    this.#closing.abort();
  }

  async #compare(key: string, from: VersionEntry, to: VersionEntry, limit: number): Promise<DiffOutcome> {
    const args = [versionPath(this.#dataDir, from), versionPath(this.#dataDir, to), limit];
    const { signal } = this.#closing;
    try {
      const call = { module: DIFF_MODULE, name: 'diffFiles', args };
      const outcome = { kind: 'done', json: await runInThread<Uint8Array>(call, signal, this.#timeoutMs) } as const;
      this.#keep(key, outcome);
      return outcome;
    } catch (error) {
      if (signal.aborted) return { kind: 'refused' };
      if (!(error instanceof TookTooLong)) {
        this.#events.failed(error, from.version, to.version);
        return { kind: 'failed' };
      }
      this.#events.tookTooLong(from.version, to.version);
      return { kind: 'refused' };
    }
  }

  #keep(key: string, outcome: DiffOutcome): void {
    this.#kept.set(key, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
