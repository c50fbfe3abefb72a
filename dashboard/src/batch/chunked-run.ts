/**
 * A run of this browser tab: a text is scanned, then what was found is looked up in chunks. It outlives its page, so that
 * opening a result and coming back does not lose it. `subscribe` and `snapshot` are for `useSyncExternalStore`.
 */
import { isFailure } from '../api/call.ts';
import { newRunId, type SavedRun } from '../browser-storage/saved-runs.ts';
import type { ScanCounts, ScanInput, ScanKind, ScanReport, ScanRequest } from '../scan.ts';

export type RunState<Row> = {
  /** Changes with every text, so that results of one are not taken for those of another. */
  readonly id: string;
  readonly phase: 'idle' | 'scanning' | 'looking up' | 'done' | 'stopped';
  readonly source: string;
  readonly bytes: { readonly read: number; readonly total: number };
  readonly counts?: ScanCounts;
  readonly rows: readonly Row[];
  /** What was found, once the text is read. */
  readonly found: SavedRun['found'];
  readonly error?: unknown;
};

/** What is looked up, how many chunks at once, and how a chunk becomes rows. */
type Lookups<Row> = {
  readonly kind: ScanKind;
  readonly parallel: number;
  readonly lookUp: (chunk: SavedRun['found'], signal: AbortSignal) => Promise<Row[]>;
};

const IDLE = { id: '', phase: 'idle', source: '', bytes: { read: 0, total: 0 }, rows: [], found: [] } as const;
/** A refusal that passes within this time is waited for; the limit of a day is not. */
const MAX_WAIT_SECONDS = 60;

export class ChunkedRun<Row> {
  readonly #lookups: Lookups<Row>;
  readonly #listeners = new Set<() => void>();
  #state: RunState<Row> = IDLE;
  /** Rows by chunk; those of a chunk that is missing are looked up by `goOn`. */
  #chunks: (readonly Row[] | undefined)[] = [];
  #worker: Worker | undefined;
  #abort = new AbortController();
  /** The list of a link that this run was started from: the address bar has it already. */
  linked = { list: '', id: '' };

  constructor(lookups: Lookups<Row>) {
    this.#lookups = lookups;
  }

  get kind(): ScanKind {
    return this.#lookups.kind;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): RunState<Row> => this.#state;

  start(input: ScanInput, chunkSize: number): void {
    this.reset();
    const isFile = 'file' in input;
    this.#set({
      ...IDLE,
      id: newRunId(),
      phase: 'scanning',
      source: isFile ? input.file.name : 'text',
      bytes: { read: 0, total: isFile ? input.file.size : input.text.length },
    });
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<ScanReport>) => this.#onReport(data, chunkSize));
    worker.addEventListener('error', () => this.#fail(new Error('The file could not be read')));
    worker.postMessage({ ...input, kind: this.kind } satisfies ScanRequest);
  }

  /** Looks up what was found in a text that was read before. */
  resume({ id, source, counts, found }: SavedRun, chunkSize: number): void {
    this.reset();
    this.#set({ ...IDLE, id, source, counts, found });
    this.#start(chunkSize);
  }

  /** Keeps the results so far. */
  stop(): void {
    this.#halt();
    this.#set({ ...this.#state, phase: 'stopped' });
  }

  /** After a failure or a stop, the lookups that are missing. */
  goOn(chunkSize: number): void {
    this.#abort = new AbortController();
    const { error: _, ...state } = this.#state;
    this.#set(state);
    this.#start(chunkSize);
  }

  reset(): void {
    this.#halt();
    this.#abort = new AbortController();
    this.#chunks = [];
    this.#set(IDLE);
  }

  #onReport(report: ScanReport, chunkSize: number): void {
    if (report.kind === 'failed') {
      this.#fail(new Error(report.reason));
      return;
    }
    if (report.kind === 'progress') {
      this.#set({ ...this.#state, counts: report.counts, bytes: { ...this.#state.bytes, read: report.bytes } });
      return;
    }
    this.#worker?.terminate();
    this.#set({ ...this.#state, counts: report.counts, found: report.found });
    this.#start(chunkSize);
  }

  #start(chunkSize: number): void {
    this.#set({ ...this.#state, phase: 'looking up' });
    const { signal } = this.#abort;
    this.#lookUpAll(chunkSize, signal).then(
      () => this.#set({ ...this.#state, phase: 'done' }),
      (error: unknown) => {
        if (!signal.aborted) this.#fail(error);
      },
    );
  }

  async #lookUpAll(chunkSize: number, signal: AbortSignal): Promise<void> {
    const { found } = this.#state;
    let next = 0;
    const work = async () => {
      for (let at = next++; at * chunkSize < found.length; at = next++) {
        if (this.#chunks[at] !== undefined) continue;
        const rows = await this.#lookUp(found.slice(at * chunkSize, (at + 1) * chunkSize), signal);
        signal.throwIfAborted();
        this.#chunks[at] = rows;
        this.#set({ ...this.#state, rows: this.#chunks.flatMap((chunk) => chunk ?? []) });
      }
    };
    await Promise.all(Array.from({ length: this.#lookups.parallel }, work));
  }

  async #lookUp(chunk: SavedRun['found'], signal: AbortSignal): Promise<Row[]> {
    for (;;) {
      try {
        return await this.#lookups.lookUp(chunk, signal);
      } catch (error) {
        const seconds = isFailure(error, 'RATE_LIMIT_EXCEEDED', 'OVERLOADED') ? error.retryAfterSeconds : undefined;
        if (seconds === undefined || seconds > MAX_WAIT_SECONDS) throw error;
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
        signal.throwIfAborted();
      }
    }
  }

  #fail(error: unknown): void {
    this.#halt();
    this.#set({ ...this.#state, phase: 'stopped', error });
  }

  #halt(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#abort.abort();
  }

  #set(state: RunState<Row>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
