// Output files that appear complete and together: renamed at the end, removed on failure, exit and
// signals.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { DatasetError } from '@whence/dataset/dataset-error';
import { UNFINISHED } from '@whence/dataset/io/files';
import { UsageError } from './exit.ts';
import { type Refusal, refusalText, withFileErrors } from './file-errors.ts';
import type { Sink } from './output.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `bytes`: written so far. */
type FileSink = Sink & { readonly bytes: number };

type StagedFile = { readonly path: string; readonly temporary: string; readonly file: number };

/** The files that `work` creates appear when it has finished; if it fails, none does. */
export async function staged<T>(work: (files: StagedFiles) => Promise<T>): Promise<T> {
  const files = new StagedFiles();
  try {
    const result = await work(files);
    files.commit();
    return result;
  } catch (error) {
    files.discard();
    throw error;
  }
}

/**
 * Synchronous, because a signal handler removes the temporary files that are registered when it
 * runs.
 */
export class StagedFiles {
  readonly #files: StagedFile[] = [];

  readonly #onExit = () => this.discard();
  readonly #onSignal = (signal: NodeJS.Signals) => {
    this.discard();
    // `discard` has removed this listener: the signal ends the process as by default, and the shell
    // sees it.
    process.kill(process.pid, signal);
  };

  constructor() {
    process.on('exit', this.#onExit);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /**
   * An existing file at `path` stays until `commit`; the new one gets its mode. `option` named the
   * path.
   */
  create(path: string, option = '--output'): FileSink {
    const { target, mode } = withWriteErrors(path, () => resolveTarget(path, option));
    const temporary = `${target}.${randomUUID().slice(0, 8)}${UNFINISHED}`;
    const file = withWriteErrors(path, () => openSync(temporary, 'wx'));
    this.#files.push({ path: target, temporary, file });
    if (mode !== undefined) withWriteErrors(path, () => fchmodSync(file, mode));
    const sink = {
      bytes: 0,
      write: async (chunk: string | Uint8Array) => {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        sink.bytes += bytes.length;
        withWriteErrors(path, () => writeAll(file, bytes));
      },
    };
    return sink;
  }

  commit(): void {
    for (const { path, file } of this.#files) withWriteErrors(path, () => fsyncSync(file));
    for (const { path, temporary } of this.#files)
      withWriteErrors(path, () => renameSync(temporary, path));
    this.#finish();
  }

  /** May also be called after a failed commit. */
  discard(): void {
    for (const { temporary } of this.#files) rmSync(temporary, { force: true });
    this.#finish();
  }

  #finish(): void {
    process.off('exit', this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    for (const { file } of this.#files.splice(0)) closeSync(file);
  }
}

/** The file to replace. A symbolic link is followed, not replaced. */
function resolveTarget(path: string, option: string): { target: string; mode?: number } {
  if (basename(path) === '') throw new UsageError(`${option} must name a file`);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { target: path };
  if (stats.isDirectory())
    throw new UsageError(`${path} is a directory; ${option} must name a file`);
  // A rename would replace a device such as /dev/null with a file.
  if (!stats.isFile())
    throw new UsageError(
      `${path} is not a regular file; omit ${option} to write to standard output`,
    );
  return { target: realpathSync(path), mode: stats.mode & 0o7777 };
}

/** `writeSync` may write less than it is given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Usage errors: the path is wrong. Everything else is a failure of the system. */
const WRONG_PATHS: readonly (Refusal | undefined)[] = [
  'its directory does not exist',
  'its parent is not a directory',
  'the name is too long',
];

function withWriteErrors<T>(path: string, work: () => T): T {
  return withFileErrors(work, (error, refusal) =>
    WRONG_PATHS.includes(refusal)
      ? new UsageError(`cannot write ${path}: ${refusal}`)
      : new DatasetError(`cannot write ${path}: ${refusalText(error)}`),
  );
}
