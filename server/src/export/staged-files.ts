/**
 * Files that appear when they are complete, and together: each is written under a temporary name beside its place and renamed at
 * the end. On failure, and when the process is told to end, the temporary files are removed.
 */
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename } from 'node:path';
import { DatasetError } from '@whence/dataset/format';
import { UsageError } from '../terminal.ts';
import type { Sink } from './sink.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `bytes`: written so far. */
export type FileSink = Sink & { readonly bytes: number };

type StagedFile = { readonly path: string; readonly temporary: string; readonly file: number };

/** Nothing here is asynchronous but `write`, which only looks so: a signal finds all temporary files known, or none made. */
export class StagedFiles {
  readonly #files: StagedFile[] = [];
  #newFolder: string | undefined;

  readonly #onSignal = (signal: NodeJS.Signals) => {
    this.discard();
    // Our listener is gone by now: the signal does what it does by default, and the shell sees it.
    process.kill(process.pid, signal);
  };

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Makes the folder if it is not there; if nothing comes of the export, it is taken away again. */
  makeFolder(path: string): void {
    if (existsSync(path)) return;
    withFileErrors(path, () => mkdirSync(path));
    this.#newFolder = path;
  }

  create(path: string): FileSink {
    const place = placeOf(path);
    const temporary = `${place}.${randomUUID().slice(0, 8)}.part`;
    const file = withFileErrors(path, () => openSync(temporary, 'wx'));
    this.#files.push({ path: place, temporary, file });
    const sink = {
      bytes: 0,
      write: async (chunk: string | Uint8Array) => {
        sink.bytes += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
        withFileErrors(path, () => appendFileSync(file, chunk));
      },
    };
    return sink;
  }

  /** The last file created appears last. */
  commit(): void {
    for (const { path, file } of this.#files) withFileErrors(path, () => fsyncSync(file));
    for (const { path, temporary } of this.#files) withFileErrors(path, () => renameSync(temporary, path));
    this.#finish();
  }

  /** Also after a commit that failed. */
  discard(): void {
    for (const { temporary } of this.#files) rmSync(temporary, { force: true });
    this.#finish();
    if (this.#newFolder === undefined) return;
    try {
      rmdirSync(this.#newFolder);
    } catch {
      // Somebody else has put something there.
    }
  }

  #finish(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    for (const { file } of this.#files.splice(0)) closeSync(file);
  }
}

/** Where the file shall be in the end: behind a symbolic link, not in its stead. */
function placeOf(path: string): string {
  if (basename(path) === '') throw new UsageError('--output must name a file');
  const found = withFileErrors(path, () => statSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return path;
  if (found.isDirectory()) throw new UsageError(`${path} is a folder; --output must name a file`);
  // A rename would replace /dev/null by a file, if we may.
  if (!found.isFile()) throw new UsageError(`${path} is not a file; leave --output out to write to standard output`);
  return realpathSync(path);
}

const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left',
  EDQUOT: 'no space left',
  EFBIG: 'no space left',
  EIO: 'the disk failed',
  EACCES: 'not permitted to write there',
  EPERM: 'not permitted to write there',
  EROFS: 'not permitted to write there',
};
const WRONG_PATHS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is not a folder',
  EEXIST: 'something else is there',
  ENAMETOOLONG: 'the name is too long',
};

function fileError(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (WRONG_PATHS[code] !== undefined) return new UsageError(`cannot write ${path}: ${WRONG_PATHS[code]}`);
  if (REFUSALS[code] !== undefined)
    return new DatasetError(`cannot write ${path}: ${REFUSALS[code]} (${(error as Error).message})`);
  return error;
}

function withFileErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(path, error);
  }
}
