/**
 * A run of this browser tab: a text is scanned, what was found is kept in the browser, then it is
 * looked up in chunks. It outlives its page, so that opening a result and coming back does not lose
 * it. `subscribe` and `snapshot` are for
 * `useSyncExternalStore`.
 */
import { isFailure } from '../api/call.ts';
import { queryClient, sessionQuery } from '../api/query-client.ts';
import { loadRun, newRunId, saveRun } from '../browser-storage/saved-runs.ts';
import type { ScanCounts, ScanInput, ScanReport } from '../scan.ts';

type CountedTexts = readonly (readonly [text: string, times: number])[];

export type RunState<Row> = {
  /** Empty until the list is kept. */
  readonly id: string;
  /** `lost`: a list that was to be opened is not kept any more. */
  readonly phase: 'idle' | 'lost' | 'opening' | 'scanning' | 'looking up' | 'done' | 'stopped';
  readonly source: string;
  readonly bytes: { readonly read: number; readonly total: number };
  /** Known once the text is read. */
  readonly counts?: ScanCounts;
  readonly rows: readonly Row[];
  /** What was found, once the text is read. */
  readonly found: CountedTexts;
  readonly error?: unknown;
};

/** Rows by chunk, as far as they are known. */
type Chunks<Row> = (readonly Row[] | undefined)[];

/** What is looked up, how many chunks at once, and how a chunk becomes rows. */
type Lookups<Row> = {
  readonly parallel: number;
  readonly lookUp: (chunk: CountedTexts, signal: AbortSignal) => Promise<Row[]>;
};

const IDLE = {
  id: '',
  phase: 'idle',
  source: '',
  bytes: { read: 0, total: 0 },
  rows: [],
  found: [],
} as const;
/** A refusal that passes within this time is waited for; the limit of a day is not. */
const MAX_WAIT_SECONDS = 60;

export class ChunkedRun<Row> {
  readonly #lookups: Lookups<Row>;
  readonly #listeners = new Set<() => void>();
  #state: RunState<Row> = IDLE;
  /** Those that are missing are looked up by `goOn`. */
  #chunks: Chunks<Row> = [];
  #worker: Worker | undefined;
  #abort = new AbortController();

  constructor(lookups: Lookups<Row>) {
    this.#lookups = lookups;
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
      phase: 'scanning',
      source: isFile ? input.file.name : 'text',
      bytes: { read: 0, total: isFile ? input.file.size : input.text.length },
    });
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<ScanReport>) =>
      this.#onReport(data, chunkSize),
    );
    worker.addEventListener('error', () => this.#fail(new Error('The file could not be read')));
    worker.postMessage(input);
  }

  /**
   * Shows a list that was kept, and looks up what is missing of it; if it is gone, starts with the
   * text of a link.
   */
  async open(id: string, chunkSize: number, linked: string | undefined): Promise<void> {
    this.reset();
    this.#set({ ...IDLE, id, phase: 'opening' });
    const { signal } = this.#abort;
    try {
      const kept = await loadRun({ id, accountId: accountId() });
      if (signal.aborted) return;
      if (kept !== undefined) {
        const { source, counts, found } = kept;
        this.#set({ ...IDLE, id, source, counts, found });
        this.#start(chunkSize);
      } else if (linked !== undefined) this.start({ text: linked }, chunkSize);
      else this.#set({ ...IDLE, phase: 'lost' });
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  /** Keeps the results so far. */
  stop(): void {
    this.#halt();
    this.#set({ ...this.#state, phase: 'stopped' });
  }

  /** After a failure or a stop, the lookups that are missing. */
  goOn(chunkSize: number): void {
    const { id, found } = this.#state;
    if (id !== '' && found.length === 0) {
      void this.open(id, chunkSize, undefined);
      return;
    }
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
      this.#set({
        ...this.#state,
        counts: report.counts,
        bytes: { ...this.#state.bytes, read: report.bytes },
      });
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
    const { found, source, counts } = this.#state;
    if (this.#state.id === '' && counts !== undefined && found.length > 0) {
      const id = newRunId();
      await saveRun({ id, accountId: accountId(), source, counts, found });
      signal.throwIfAborted();
      this.#set({ ...this.#state, id });
    }
    const total = Math.ceil(found.length / chunkSize);
    const missing = Array.from({ length: total }, (_, at) => at).filter(
      (at) => this.#chunks[at] === undefined,
    );
    const work = async () => {
      for (let at = missing.shift(); at !== undefined; at = missing.shift()) {
        const rows = await this.#lookUp(found.slice(at * chunkSize, (at + 1) * chunkSize), signal);
        signal.throwIfAborted();
        this.#chunks[at] = rows;
        this.#set({ ...this.#state, rows: this.#chunks.flatMap((chunk) => chunk ?? []) });
      }
    };
    await Promise.all(Array.from({ length: this.#lookups.parallel }, work));
  }

  async #lookUp(chunk: CountedTexts, signal: AbortSignal): Promise<Row[]> {
    for (;;) {
      try {
        return await this.#lookups.lookUp(chunk, signal);
      } catch (error) {
        const mayPass = isFailure(error, 'RATE_LIMIT_EXCEEDED', 'OVERLOADED');
        const seconds = mayPass ? error.retryAfterSeconds : undefined;
        if (seconds === undefined || seconds > MAX_WAIT_SECONDS) throw error;
        await sleep(seconds * 1000);
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

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function accountId(): string {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  return session?.state === 'signed_in' ? session.account.id : '';
}
