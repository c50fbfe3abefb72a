/**
 * A run of this browser tab: a text is scanned, what was found is kept, then it is looked up in chunks. It outlives its
 * page, so that opening a result and coming back does not lose it. `subscribe` and `snapshot` are for `useSyncExternalStore`.
 */
import { isFailure } from '../api/call.ts';
import type { ScanCounts, ScanInput, ScanKind, ScanReport, ScanRequest } from '../scan.ts';

type Found = readonly (readonly [text: string, times: number])[];

export type RunState<Row> = {
  /** Empty until the list is kept. */
  readonly id: string;
  /** `lost`: a list that was to be opened is not kept any more. */
  readonly phase: 'idle' | 'lost' | 'opening' | 'scanning' | 'looking up' | 'done' | 'stopped';
  readonly source: string;
  readonly bytes: { readonly read: number; readonly total: number };
  /** Not known of a list that was kept on the server. */
  readonly counts?: ScanCounts;
  readonly rows: readonly Row[];
  /** What was found, once the text is read. */
  readonly found: Found;
  readonly error?: unknown;
};

export type KeptList = Pick<RunState<unknown>, 'source' | 'found'> & { readonly counts?: ScanCounts };
/** Rows by chunk, as far as they are known. */
type Chunks<Row> = (readonly Row[] | undefined)[];

/** What is looked up, how many chunks at once, how a chunk becomes rows, and where lists are kept. */
type Lookups<Row> = {
  readonly kind: ScanKind;
  readonly parallel: number;
  readonly lookUp: (chunk: Found, signal: AbortSignal, place: { id: string; chunk: number }) => Promise<Row[]>;
  /** Answers with its id. */
  readonly keep: (list: KeptList) => Promise<string>;
  readonly load: (id: string) => Promise<(KeptList & { readonly chunks?: Chunks<Row> }) | undefined>;
  /** Where other tabs may work on the same list: the next chunk for this one, if there is any. */
  readonly claim?: (id: string, signal: AbortSignal) => Promise<number | undefined>;
};

const IDLE = { id: '', phase: 'idle', source: '', bytes: { read: 0, total: 0 }, rows: [], found: [] } as const;
/** A refusal that passes within this time is waited for; the limit of a day is not. */
const MAX_WAIT_SECONDS = 60;
/** How often to ask for what another tab has found out. */
const OTHER_TAB_MS = 2_000;
/** How often to see whether another lookup of this tab has claimed it. */
const OWN_CLAIM_MS = 100;

export class ChunkedRun<Row> {
  readonly #lookups: Lookups<Row>;
  readonly #listeners = new Set<() => void>();
  #state: RunState<Row> = IDLE;
  /** Those that are missing are looked up by `goOn`. */
  #chunks: Chunks<Row> = [];
  /** Chunks that this tab has claimed, and whose lookup the server has refused. */
  #refused: number[] = [];
  #worker: Worker | undefined;
  #abort = new AbortController();

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

  /** Shows a list that was kept, and looks up what is missing of it; if it is gone, starts with the text of a link. */
  async open(id: string, chunkSize: number, linked: string | undefined): Promise<void> {
    this.reset();
    this.#set({ ...IDLE, id, phase: 'opening' });
    const { signal } = this.#abort;
    try {
      const kept = await this.#lookups.load(id);
      if (signal.aborted) return;
      if (kept !== undefined) {
        const { chunks = [], ...list } = kept;
        this.#set({ ...IDLE, id, ...list });
        this.#addChunks(chunks);
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
    this.#refused = [];
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
    const { found, source, counts } = this.#state;
    if (this.#state.id === '' && found.length > 0) {
      const id = await this.#lookups.keep({ source, found, ...(counts && { counts }) });
      signal.throwIfAborted();
      this.#set({ ...this.#state, id });
    }
    const { id } = this.#state;
    const total = Math.ceil(found.length / chunkSize);
    const inHand = new Set<number>();
    const work = async () => {
      for (;;) {
        const at = await this.#next(total, inHand, signal);
        if (at === undefined) return;
        try {
          const chunk = found.slice(at * chunkSize, (at + 1) * chunkSize);
          const rows = await this.#lookUp(chunk, signal, { id, chunk: at });
          signal.throwIfAborted();
          this.#chunks[at] = rows;
          this.#addChunks([]);
        } catch (error) {
          if (isFailure(error) && error.status > 0) this.#refused.push(at);
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: this.#lookups.parallel }, work));
  }

  /** The next chunk for this tab; undefined once every chunk has its rows, or is looked up here. */
  async #next(total: number, inHand: Set<number>, signal: AbortSignal): Promise<number | undefined> {
    const { claim, load } = this.#lookups;
    const { id } = this.#state;
    const missing = () =>
      Array.from({ length: total }, (_, at) => at).find((at) => this.#chunks[at] === undefined && !inHand.has(at));
    for (;;) {
      const first = missing();
      if (first === undefined) return undefined;
      const at = claim === undefined ? first : (this.#refused.pop() ?? (await claim(id, signal)));
      if (at !== undefined) {
        inHand.add(at);
        return at;
      }
      // Another tab has claimed the rest, or this one before it was reloaded.
      for (let waited = 0; waited < OTHER_TAB_MS && missing() !== undefined; waited += OWN_CLAIM_MS) {
        await sleep(OWN_CLAIM_MS);
        signal.throwIfAborted();
      }
      if (missing() === undefined) continue;
      this.#addChunks((await load(id))?.chunks ?? []);
    }
  }

  #addChunks(chunks: Chunks<Row>): void {
    for (const [at, rows] of chunks.entries()) this.#chunks[at] ??= rows;
    this.#set({ ...this.#state, rows: this.#chunks.flatMap((chunk) => chunk ?? []) });
  }

  async #lookUp(...asked: Parameters<Lookups<Row>['lookUp']>): Promise<Row[]> {
    for (;;) {
      try {
        return await this.#lookups.lookUp(...asked);
      } catch (error) {
        const mayPass = isFailure(error, 'RATE_LIMIT_EXCEEDED', 'OVERLOADED', 'BEING_CHECKED');
        const seconds = mayPass ? error.retryAfterSeconds : undefined;
        if (seconds === undefined || seconds > MAX_WAIT_SECONDS) throw error;
        await sleep(seconds * 1000);
        asked[1].throwIfAborted();
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
