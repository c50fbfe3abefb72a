/**
 * Writes the database files of each version that becomes current, in a process of its own at the lowest priority, where a
 * key may download them. One process of a server runs it, whatever publishes the versions: an update, a pull or a command.
 */
import { fileURLToPath } from 'node:url';
import { fileFingerprint } from '@whence/dataset/internal/io/file-fingerprint';
import { manifestPath } from '@whence/dataset/internal/versions/publish';
import type { Logger } from '../log/log.ts';
import { type BackgroundProcess, idleCommand, startInBackground } from '../versions/background-process.ts';

const CHECK_MS = 1_000;
/** Until a key has the permission, and after a failure. */
const RETRY_MS = 15_000;
const MAX_RUN_MS = 600_000;
const PROCESS = fileURLToPath(new URL('./write-process.js', import.meta.url));

type WriterOptions = {
  readonly dataDir: string;
  /** Whether a key may download databases. */
  readonly isWanted: () => Promise<boolean>;
  readonly log: Logger;
  readonly checkMs?: number;
};

export class GeoipFileWriter {
  readonly #options: WriterOptions;
  #timer: NodeJS.Timeout | undefined;
  #process: BackgroundProcess | undefined;
  #isBusy = false;
  #isStopped = false;
  /** The manifest whose current version is written. */
  #written = '';
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
    const { dataDir, isWanted, log } = this.#options;
    const manifest = fileFingerprint(manifestPath(dataDir));
    if (this.#isBusy || manifest === '' || manifest === this.#written || performance.now() < this.#retryAtMs) return;
    this.#isBusy = true;
    try {
      if ((await isWanted()) && !this.#isStopped && (await this.#write())) this.#written = manifest;
      else this.#retryAtMs = performance.now() + RETRY_MS;
    } catch (error) {
      this.#retryAtMs = performance.now() + RETRY_MS;
      log.debug({ err: error }, 'storage could not be asked who may download databases');
    } finally {
      this.#isBusy = false;
    }
  }

  async #write(): Promise<boolean> {
    const { dataDir, log } = this.#options;
    const startedMs = performance.now();
    const command = idleCommand([process.execPath, '--single-threaded', PROCESS, dataDir]);
    let reason = '';
    this.#process = startInBackground(command, MAX_RUN_MS, (line) => {
      reason = line;
    });
    const code = await this.#process.exited;
    this.#process = undefined;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    if (code === 0) log.info({ seconds }, 'databases written');
    else if (!this.#isStopped) log.warn({ code, reason, seconds }, 'databases could not be written');
    return code === 0;
  }
}
