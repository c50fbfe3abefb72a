/**
 * Writes the files of each version that becomes current, in a process of its own at the lowest
 * priority: databases where a key may download them, and lists where the rules file has some, also
 * when these rules or the overrides change. Every day it looks whether a flag in them no longer
 * counts. One process of a server runs it, whatever publishes the versions: an update, a pull or a
 * command.
 */

import { fileURLToPath } from 'node:url';
import { fileFingerprint } from '@whence/dataset/io/files';
import { fetchedLocationPath } from '@whence/dataset/location';
import { manifestPath } from '@whence/dataset/versions';
import { dayOfMs } from '../day.ts';
import type { Logger } from '../log/log.ts';
import {
  type BackgroundProcess,
  idleCommand,
  startInBackground,
} from '../versions/background-process.ts';
import { type FileIndex, readIndex } from './file-index.ts';
import type { ListFiles } from './write-lists.ts';

const CHECK_MS = 1_000;
/** Until a key has the permission, and after a failure. */
const RETRY_MS = 15_000;
const MAX_RUN_MS = 600_000;
const PROCESS = fileURLToPath(new URL('./write-process.js', import.meta.url));

type WriterOptions = {
  readonly dataDir: string;
  /** Whether a key may download databases. */
  readonly isWanted: () => Promise<boolean>;
  readonly listFiles: () => ListFiles;
  readonly log: Logger;
  readonly checkMs?: number;
};

export class GeoipFileWriter {
  readonly #options: WriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #process: BackgroundProcess | undefined;
  #isBusy = false;
  #isStopped = false;
  /**
   * Fingerprints of the files from which databases and lists are written, and those of the last
   * look.
   */
  #databases = '';
  #lists = '';
  #found = '';
  /** What the index names; undefined until it is read, and after a write. */
  #written: FileIndex | undefined;
  #askAtMs = 0;
  #retryAtMs = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#check(), this.#options.checkMs ?? CHECK_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#process?.child.kill();
    await this.#process?.exited;
  }

  async #check(): Promise<void> {
    const { dataDir, listFiles } = this.#options;
    const version = fileFingerprint(manifestPath(dataDir));
    const location = fileFingerprint(fetchedLocationPath(dataDir));
    const manifest = version && `${version} ${location} ${dayOfMs(Date.now())}`;
    const { rules, overrides } = listFiles();
    this.#written ??= readIndex(dataDir);
    const files = [rules, overrides, ...(this.#written.lists?.prefixFiles ?? [])];
    const fingerprints = [manifest, ...files.map((path) => path && fileFingerprint(path))].join();
    // A file that changes between two looks may be half written.
    const isChanging = fingerprints !== this.#found;
    this.#found = fingerprints;
    if (this.#isBusy || manifest === '' || isChanging) return;
    this.#isBusy = true;
    const nowMs = performance.now();
    const hasLists = rules !== undefined || this.#written.lists !== undefined;
    const lists = hasLists && fingerprints !== this.#lists && nowMs >= this.#retryAtMs;
    const databases =
      manifest !== this.#databases && nowMs >= this.#askAtMs && (await this.#isWanted());
    if ((lists || databases) && !this.#isStopped) {
      const isWritten = await this.#write({ lists, databases }, [rules ?? '', overrides ?? '']);
      this.#written = undefined;
      if (isWritten && lists) this.#lists = fingerprints;
      if (isWritten && databases) this.#databases = manifest;
      if (!isWritten) this.#retryAtMs = performance.now() + RETRY_MS;
    }
    this.#isBusy = false;
  }

  async #isWanted(): Promise<boolean> {
    this.#askAtMs = performance.now() + RETRY_MS;
    try {
      return await this.#options.isWanted();
    } catch (error) {
      this.#options.log.debug(
        { err: error },
        'storage could not be asked who may download databases',
      );
      return false;
    }
  }

  async #write(
    wanted: Readonly<Record<'lists' | 'databases', boolean>>,
    files: readonly string[],
  ): Promise<boolean> {
    const { dataDir, log } = this.#options;
    const startedMs = performance.now();
    const names = (['lists', 'databases'] as const).filter((name) => wanted[name]).join(' and ');
    const command = idleCommand([
      process.execPath,
      '--single-threaded',
      PROCESS,
      dataDir,
      names,
      ...files,
    ]);
    let reason = '';
    this.#process = startInBackground(command, MAX_RUN_MS, (line) => {
      reason = line;
    });
    const code = await this.#process.exited;
    this.#process = undefined;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    if (code === 0) log.info({ seconds }, `${names} written`);
    else if (!this.#isStopped) log.warn({ code, reason, seconds }, `${names} could not be written`);
    return code === 0;
  }
}
