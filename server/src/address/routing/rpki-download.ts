// Fetches VRPs from a validator into the data directory, in one process at a time. Unreadable
// copies are dropped.
import { renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatasetError } from '@whence/dataset/dataset-error';
import { decompressFile } from '@whence/dataset/io/decompress';
import { download } from '@whence/dataset/io/download';
import { makeFolder } from '@whence/dataset/io/files';
import { withLock } from '@whence/dataset/io/lock';
import type { ProxyVariables } from '@whence/dataset/io/proxy';
import { MAX_VRP_BYTES, readVrps } from './read-vrps.ts';

/** Validators make a new file every ten minutes or less often. */
const REFRESH_MS = 30 * 60_000;
const RETRY_MS = 5 * 60_000;
const LIMITS = { maxBytes: MAX_VRP_BYTES, idleTimeoutMs: 30_000, totalTimeoutMs: 10 * 60_000 };

type DownloadOptions = {
  readonly dataDir: string;
  readonly contact: string | undefined;
  readonly proxies: ProxyVariables;
};

export class RpkiDownload {
  readonly path: string;
  readonly #url: string;
  readonly #options: DownloadOptions;
  #attemptedMs = Number.NEGATIVE_INFINITY;
  /** Validators of the copy that is there, if this process has fetched it. */
  #validators: { etag?: string; lastModified?: string } = {};

  constructor(url: string, options: DownloadOptions) {
    this.#url = url;
    this.#options = options;
    this.path = join(options.dataDir, 'rpki', 'vrps.json');
  }

  /** Fetches a new copy if it is due. Returns why that failed. */
  async refresh(nowMs: number, signal: AbortSignal): Promise<string | undefined> {
    const ageMs = nowMs - (statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (ageMs < REFRESH_MS || nowMs - this.#attemptedMs < RETRY_MS) return undefined;
    this.#attemptedMs = nowMs;
    const folder = dirname(this.path);
    makeFolder(folder);
    try {
      return await withLock(folder, 'fetching validated ROA payloads', () =>
        this.#fetch(nowMs, signal),
      );
    } catch (error) {
      // Another process is fetching them.
      if (error instanceof DatasetError) return undefined;
      throw error;
    }
  }

  async #fetch(nowMs: number, signal: AbortSignal): Promise<string | undefined> {
    const target = `${this.path}.download`;
    const candidate = `${this.path}.candidate`;
    const { contact, proxies } = this.#options;
    try {
      const result = await download({
        url: this.#url,
        target,
        limits: LIMITS,
        network: { proxies },
        now: new Date(nowMs),
        sleep: (ms) => sleep(ms, undefined, { ref: false }),
        ...(contact !== undefined && { contact }),
        ...this.#validators,
      });
      if (result.kind === 'failed') return result.reason;
      if (result.kind === 'unchanged') {
        utimesSync(this.path, nowMs / 1000, nowMs / 1000);
        return undefined;
      }
      await decompressFile(target, candidate, LIMITS);
      const read = await readVrps(candidate, signal, nowMs);
      if (read === undefined) return undefined;
      if ('reason' in read) return read.reason;
      renameSync(candidate, this.path);
      const { etag, lastModified } = result;
      this.#validators = {
        ...(etag !== undefined && { etag }),
        ...(lastModified !== undefined && { lastModified }),
      };
      return undefined;
    } catch (error) {
      return (error as Error).message;
    } finally {
      for (const path of [target, candidate]) rmSync(path, { force: true });
    }
  }
}
