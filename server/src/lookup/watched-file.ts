// A file that is used as it is now: read once it has not changed between two looks, four a second, so never half
// written. If it cannot be read or has a mistake, that is reported, and what was read before stays in use.
import { stat } from 'node:fs/promises';
import { dayOfMs } from '@whence/dataset/internal/data-age';
import { fingerprintOf } from '@whence/dataset/internal/io/file-fingerprint';
import { readRegular } from '@whence/dataset/internal/io/regular-file';
import { TookTooLong } from '@whence/dataset/internal/io/run-thread';

const POLL_MS = 250;
/** For a file that took too long. */
const RETRY_MS = 60_000;
const MISSING = 'none';

type FileLimits = { readonly maxBytes: number; readonly timeoutMs: number };

export abstract class WatchedFile {
  readonly path: string;
  readonly #limits: FileLimits;
  /** Fingerprints of the file and its parts: when they were last read, and at the last look. */
  #seen = '';
  #found = '';
  #timer: NodeJS.Timeout | undefined;
  #updating: Promise<void> | undefined;
  readonly #stopped = new AbortController();
  /** Other files that it names, as they were before they were read. */
  protected parts: readonly FilePart[] = [];
  refusal: string | undefined;
  /** Of the content in use, in hexadecimal; empty without one. */
  checksum = '';
  #isFirst = true;

  constructor(path: string, limits: FileLimits) {
    this.path = path;
    this.#limits = limits;
  }

  /** It is refused, and none before it was used. */
  get isUnavailable(): boolean {
    return this.refusal !== undefined && this.#isFirst;
  }

  /** Returns the checksum. Throws if the content has a mistake. `day`: of its last change. */
  protected abstract use(content: Buffer, day: string, signal: AbortSignal): Promise<string>;

  protected abstract refused(reason: string, error: unknown): void;

  /** True if there need not be a file. */
  protected useNone(): boolean {
    return false;
  }

  /** Resolves when the file has been read for the first time. */
  async start(): Promise<void> {
    await this.update();
    this.#timer = setInterval(() => void this.update(), POLL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#updating;
  }

  async update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }

  async #update(): Promise<void> {
    const { signal } = this.#stopped;
    const parts = await Promise.all(this.parts.map(({ path }) => partOf(path)));
    const { fingerprint: own, day } = await partOf(this.path);
    const found = joined(own, parts);
    if (found === this.#seen) return;
    const isWritten = found === this.#found || this.#seen === '';
    this.#found = found;
    if (!isWritten) return;
    try {
      if (own === MISSING && this.useNone()) this.checksum = '';
      else {
        const content = await readRegular(this.path, this.#limits);
        this.checksum = await this.use(content, day, signal);
      }
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
export type FilePart = { readonly path: string; readonly fingerprint: string; readonly day: string };

export async function partOf(path: string): Promise<FilePart> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return { path, fingerprint: MISSING, day: '' };
  return { path, fingerprint: `${fingerprintOf(stats)} ${stats.ctimeMs}`, day: dayOfMs(stats.mtimeMs) };
}

const joined = (own: string, parts: readonly FilePart[]) => [own, ...parts.map((part) => part.fingerprint)].join();
