/**
 * The batch of this browser tab, one at a time: scanning, then lookups in chunks. It outlives its page, so that opening
 * an address and coming back does not lose it. `subscribe` and `snapshot` are for `useSyncExternalStore`.
 */
import type { BatchEntry, IpRecord } from '@whence/client/wire';
import { call } from '../api/query-client.ts';
import type { ScanCounts } from './address-scanner.ts';
import { newRunId, type SavedRun } from './saved-runs.ts';
import type { ScanReport, ScanRequest } from './scan-worker.ts';

export type BatchRow = {
  readonly ip: string;
  readonly times: number;
  readonly record?: IpRecord;
  /** Why there is no record. */
  readonly refusal?: string;
};

export type BatchState = {
  /** Changes with every text, so that results of one are not taken for those of another. */
  readonly id: string;
  readonly phase: 'idle' | 'scanning' | 'looking up' | 'done' | 'stopped';
  readonly source: string;
  readonly bytes: { readonly read: number; readonly total: number };
  readonly counts?: ScanCounts;
  readonly rows: readonly BatchRow[];
  /** What was found, once the text is read. */
  readonly addresses: SavedRun['addresses'];
  readonly error?: unknown;
};

const IDLE: BatchState = {
  id: '',
  phase: 'idle',
  source: '',
  bytes: { read: 0, total: 0 },
  rows: [],
  addresses: [],
};
const PARALLEL = 3;

class BatchRun {
  readonly #listeners = new Set<() => void>();
  #state = IDLE;
  #worker: Worker | undefined;
  #abort = new AbortController();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): BatchState => this.#state;

  start(request: ScanRequest, chunkSize: number): void {
    this.reset();
    const isFile = 'file' in request;
    this.#set({
      ...IDLE,
      id: newRunId(),
      phase: 'scanning',
      source: isFile ? request.file.name : 'text',
      bytes: { read: 0, total: isFile ? request.file.size : request.text.length },
    });
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<ScanReport>) => this.#onReport(data, chunkSize));
    worker.addEventListener('error', () => this.#fail(new Error('The file could not be read')));
    worker.postMessage(request);
  }

  /** Looks up the addresses of a text that was read before. */
  resume({ id, source, counts, addresses }: SavedRun, chunkSize: number): void {
    this.reset();
    this.#set({ ...IDLE, id, source, counts, addresses });
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
    this.#set({ ...this.#state, counts: report.counts, addresses: report.addresses });
    this.#start(chunkSize);
  }

  #start(chunkSize: number): void {
    this.#set({ ...this.#state, phase: 'looking up' });
    this.#lookUp(this.#state.addresses, chunkSize).then(
      () => this.#set({ ...this.#state, phase: 'done' }),
      (error: unknown) => {
        if (!this.#abort.signal.aborted) this.#fail(error);
      },
    );
  }

  async #lookUp(addresses: SavedRun['addresses'], chunkSize: number): Promise<void> {
    const { signal } = this.#abort;
    const chunks: Promise<BatchRow[]>[] = [];
    const chunkAt = (start: number): Promise<BatchRow[]> => {
      const chunk = addresses.slice(start, start + chunkSize);
      const ips = chunk.map(([ip]) => ip);
      const rows = call('lookUpBatch', { body: { ips } }, signal).then(({ data }) =>
        chunk.map(([ip, times]) => rowOf(ip, times, Object.hasOwn(data, ip) ? data[ip] : undefined)),
      );
      // Awaited in order below. If an earlier chunk fails, this avoids an unhandled rejection.
      rows.catch(() => undefined);
      return rows;
    };
    let next = this.#state.rows.length;
    const requestNext = () => {
      if (next >= addresses.length) return;
      chunks.push(chunkAt(next));
      next += chunkSize;
    };
    for (let request = 0; request < PARALLEL; request++) requestNext();
    for (let index = 0; index < chunks.length; index++) {
      const rows = (await chunks[index]) ?? [];
      signal.throwIfAborted();
      requestNext();
      this.#set({ ...this.#state, rows: [...this.#state.rows, ...rows] });
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

  #set(state: BatchState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const currentRun = new BatchRun();

function rowOf(ip: string, times: number, entry: BatchEntry | undefined): BatchRow {
  if (entry === undefined) return { ip, times, refusal: 'no response' };
  return 'error' in entry ? { ip, times, refusal: entry.error } : { ip, times, record: entry };
}
