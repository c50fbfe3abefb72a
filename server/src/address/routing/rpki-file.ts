// The file of VRPs, read again when it changes. If it cannot be read, that is reported and the last
// one is used, for a day at most: ROAs are withdrawn and expire.

import { statSync } from 'node:fs';
import { fingerprintOf } from '@whence/dataset/io/files';
import { DAY_MS } from '../../day.ts';
import { Polling } from '../../polling.ts';
import { futureRefusal, readVrps } from './read-vrps.ts';
import { RpkiDownload } from './rpki-download.ts';
import { VrpTable } from './vrps.ts';

/** Relying parties write every ten minutes or less often. */
const POLL_MS = 30_000;
const MAX_AGE_MS = DAY_MS;

type RpkiEvents = {
  loaded(count: number, builtAtMs: number): void;
  failed(reason: string): void;
  /** Once for each file. */
  expired?(builtAtMs: number): void;
};

/** `builtAtMs` is the time in the file, or else that of its last change. */
type Loaded = { readonly table: VrpTable; readonly builtAtMs: number; isReported: boolean };

export class RpkiFile {
  readonly #path: string;
  readonly #events: RpkiEvents;
  readonly #download: RpkiDownload | undefined;
  readonly #nowMs: () => number;
  readonly #stopped = new AbortController();
  #loaded: Loaded | undefined;
  /** Fingerprint of the file when it was last read. */
  #seen = '';
  readonly #polling = new Polling(() => this.#update(), POLL_MS);

  constructor(
    path: string,
    events: RpkiEvents,
    download?: RpkiDownload,
    nowMs: () => number = Date.now,
  ) {
    this.#path = path;
    this.#events = events;
    this.#download = download;
    this.#nowMs = nowMs;
  }

  /** Undefined if there is none, or it is too old. */
  get table(): VrpTable | undefined {
    return this.#isExpired() ? undefined : this.#loaded?.table;
  }

  /** Age of the payloads, whether they are used or too old. */
  get ageSeconds(): number | undefined {
    const { builtAtMs } = this.#loaded ?? {};
    return builtAtMs === undefined
      ? undefined
      : Math.max(0, Math.floor((this.#nowMs() - builtAtMs) / 1000));
  }

  /** When the payloads in use were made. */
  get asOf(): Date | undefined {
    return this.#loaded === undefined ? undefined : new Date(this.#loaded.builtAtMs);
  }

  start(): void {
    void this.#polling.start();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#polling.stop();
  }

  update(): Promise<void> {
    return this.#polling.run();
  }

  async #update(): Promise<void> {
    const { signal } = this.#stopped;
    const refused = await this.#download?.refresh(this.#nowMs(), signal);
    if (refused !== undefined) this.#events.failed(refused);
    const { fingerprint, changedAtMs } = this.#stat();
    // Before its first download there is no file, and why has been reported.
    const isAwaited = this.#download !== undefined && changedAtMs === undefined;
    if (fingerprint !== this.#seen && !isAwaited) {
      this.#seen = fingerprint;
      const read = await readVrps(this.#path, signal, this.#nowMs());
      if (read === undefined) return;
      if ('reason' in read) return this.#events.failed(read.reason);
      const builtAtMs = read.builtAtMs ?? changedAtMs ?? this.#nowMs();
      const inFuture = futureRefusal(builtAtMs, this.#nowMs());
      if (inFuture !== undefined) return this.#events.failed(inFuture);
      this.#loaded = { table: new VrpTable(read.rows), builtAtMs, isReported: false };
      this.#events.loaded(this.#loaded.table.count, builtAtMs);
    }
    if (this.#loaded !== undefined && !this.#loaded.isReported && this.#isExpired()) {
      this.#loaded.isReported = true;
      this.#events.expired?.(this.#loaded.builtAtMs);
    }
  }

  #isExpired(): boolean {
    return this.#loaded !== undefined && this.#nowMs() - this.#loaded.builtAtMs > MAX_AGE_MS;
  }

  /** If there is no such file, or it cannot be reached, reading it says why. */
  #stat(): { fingerprint: string; changedAtMs?: number } {
    try {
      const stat = statSync(this.#path);
      return { fingerprint: fingerprintOf(stat), changedAtMs: Math.round(stat.mtimeMs) };
    } catch {
      return { fingerprint: 'none' };
    }
  }
}

/** A file, or a validator that is reached over HTTP. */
export function openRpki(
  source: string,
  options: ConstructorParameters<typeof RpkiDownload>[1],
  events: RpkiEvents,
): RpkiFile {
  if (!/^https?:\/\//i.test(source)) return new RpkiFile(source, events);
  const download = new RpkiDownload(source, options);
  return new RpkiFile(download.path, events, download);
}
