/**
 * A file that is used as it is now. It is looked at four times a second and read once it has not changed between two looks,
 * so that a file that is being written is not used in part. Every process uses a changed one within a second. A file that
 * cannot be read or has a mistake is reported, and what was read before it stays in use.
 */
import { stat } from 'node:fs/promises';
import { fingerprintOf } from '@whence/dataset/internal/io/file-fingerprint';
import { readRegular } from '@whence/dataset/internal/io/regular-file';

const POLL_MS = 250;
const MISSING = 'none';

type FileLimits = { readonly maxBytes: number; readonly timeoutMs: number };

export abstract class WatchedFile {
  readonly path: string;
  readonly #limits: FileLimits;
  /** Fingerprints of the file: when it was last read, and at the last look. */
  #seen = '';
  #found = '';
  #timer: NodeJS.Timeout | undefined;
  #updating: Promise<void> | undefined;
  /** Why the file as it is now is not in use. */
  refusal: string | undefined;

  constructor(path: string, limits: FileLimits) {
    this.path = path;
    this.#limits = limits;
  }

  /** Throws if the text has a mistake. `day`: of its last change. */
  protected abstract use(text: string, day: string): void;

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
    await this.#updating;
  }

  async update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }

  async #update(): Promise<void> {
    const stats = await stat(this.path).catch(() => undefined);
    const found = stats === undefined ? MISSING : fingerprintOf(stats);
    if (found === this.#seen) return;
    const isWritten = found === this.#found || this.#seen === '';
    this.#found = found;
    if (!isWritten) return;
    this.#seen = found;
    try {
      if (found !== MISSING || !this.useNone())
        this.use(String(await readRegular(this.path, this.#limits)), stats?.mtime.toISOString().slice(0, 10) ?? '');
      this.refusal = undefined;
    } catch (error) {
      this.refusal = `${this.path}: ${(error as Error).message}`;
      this.refused(this.refusal, error);
    }
  }
}
