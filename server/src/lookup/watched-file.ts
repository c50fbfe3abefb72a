// A file that is used as it is now: read once it has not changed between two looks, four a second,
// so never half written. If it cannot be read or has a mistake, that is reported, and what was read
// before stays in use.

import { stat } from 'node:fs/promises';
import { fingerprintOf } from '@whence/dataset/io/files';
import { TookTooLong } from '@whence/dataset/io/thread';
import { dayOfMs } from '../day.ts';
import { Polling } from '../polling.ts';

const POLL_MS = 250;
/** For a file that took too long. */
const RETRY_MS = 60_000;
const MISSING = 'none';

export abstract class WatchedFile {
  readonly path: string;
  /** Fingerprints of the file and its parts: when they were last read, and at the last look. */
  #seen = '';
  #found = '';
  readonly #polling = new Polling(() => this.#update(), POLL_MS);
  readonly #stopped = new AbortController();
  /** Other files that it names, as they were before they were read. */
  protected parts: readonly FilePart[] = [];
  refusal: string | undefined;
  /** Checksum of the content in use, in hexadecimal; empty if there is none. */
  checksum = '';
  #isFirst = true;

  constructor(path: string) {
    this.path = path;
  }

  /** It is refused, and none before it was used. */
  get isUnavailable(): boolean {
    return this.refusal !== undefined && this.#isFirst;
  }

  /**
   * Reads the file, and returns the checksum of its content. Throws if it has a mistake. `day`: of
   * its last change.
   */
  protected abstract load(day: string, signal: AbortSignal): Promise<string>;

  protected abstract refused(reason: string, error: unknown): void;

  /** True if there need not be a file. */
  protected useNone(): boolean {
    return false;
  }

  /** Resolves when the file has been read for the first time. */
  start(): Promise<void> {
    return this.#polling.start();
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
    const parts = await Promise.all(this.parts.map(({ path }) => partOf(path)));
    const { fingerprint: own, day } = await partOf(this.path);
    const fingerprint = joined(own, parts);
    if (fingerprint === this.#seen) return;
    const isWritten = fingerprint === this.#found || this.#seen === '';
    this.#found = fingerprint;
    if (!isWritten) return;
    try {
      if (own === MISSING && this.useNone()) this.checksum = '';
      else this.checksum = await this.load(day, signal);
      this.#isFirst = false;
      this.refusal = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const reason = `${this.path}: ${(error as Error).message}`;
      // Tried again at the next look.
      const isUnreadable = (error as NodeJS.ErrnoException).syscall !== undefined;
      if (!isUnreadable || reason !== this.refusal) this.refused(reason, error);
      this.refusal = reason;
      if (isUnreadable) return;
      if (error instanceof TookTooLong)
        setTimeout(() => {
          this.#seen = '';
        }, RETRY_MS).unref();
    }
    this.#seen = joined(own, this.parts);
  }
}

/** `day`: of its last change. */
export type FilePart = {
  readonly path: string;
  readonly fingerprint: string;
  readonly day: string;
};

export async function partOf(path: string): Promise<FilePart> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return { path, fingerprint: MISSING, day: '' };
  return {
    path,
    fingerprint: `${fingerprintOf(stats)} ${stats.ctimeMs}`,
    day: dayOfMs(stats.mtimeMs),
  };
}

const joined = (own: string, parts: readonly FilePart[]) =>
  [own, ...parts.map((part) => part.fingerprint)].join();
