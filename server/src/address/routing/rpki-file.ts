/**
 * The file of VRPs that a relying party on this machine writes. It is read again when it changes; a file that cannot be read
 * is reported, and the last one that could stays in use. Without any, the state of origins is not known.
 */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ReadVrps } from './rpki-thread.ts';
import { VrpTable } from './vrps.ts';

/** Relying parties write every ten minutes or less often. */
const POLL_MS = 30_000;

type RpkiEvents = { loaded(count: number): void; failed(reason: string): void };

export class RpkiFile {
  readonly #path: string;
  readonly #events: RpkiEvents;
  #table: VrpTable | undefined;
  /** Modification time, size and inode of the file when it was last read. */
  #seen = '';
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  constructor(path: string, events: RpkiEvents) {
    this.#path = path;
    this.#events = events;
  }

  get table(): VrpTable | undefined {
    return this.#table;
  }

  start(): void {
    void this.update();
    this.#timer = setInterval(() => void this.update(), POLL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#worker?.terminate();
  }

  /** Reads the file if it has changed. */
  async update(): Promise<void> {
    const seen = this.#fingerprint();
    if (seen === this.#seen || this.#worker !== undefined) return;
    this.#seen = seen;
    const read = await this.#read();
    if (read === undefined) return;
    if ('reason' in read) return this.#events.failed(read.reason);
    this.#table = new VrpTable(read.rows);
    this.#events.loaded(this.#table.count);
  }

  /** Empty if there is no such file, or it cannot be reached; reading it then says why. */
  #fingerprint(): string {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path);
      return `${mtimeMs} ${size} ${ino}`;
    } catch {
      return 'none';
    }
  }

  /** Undefined if the thread was stopped. */
  async #read(): Promise<ReadVrps | undefined> {
    const worker = new Worker(new URL('./rpki-thread.js', import.meta.url), { workerData: this.#path });
    this.#worker = worker;
    try {
      return await new Promise((resolve) => {
        worker.once('message', resolve);
        // Such as a file that is too large for the memory of the thread.
        worker.once('error', (error) => resolve({ reason: error.message }));
        worker.once('exit', () => resolve(undefined));
      });
    } finally {
      this.#worker = undefined;
    }
  }
}
