/**
 * Files that appear when they are complete, and together: each is written under a temporary name beside its place and renamed at
 * the end. On failure, and when the process ends or is told to, the temporary files are removed.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename } from 'node:path';
import { DatasetError } from '@whence/dataset/format';
import { UNFINISHED } from '@whence/dataset/whole-file';
import { type Refusal, refusalText, withFileErrors } from '../file-errors.ts';
import { UsageError } from '../terminal.ts';
import type { Sink } from './sink.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `bytes`: written so far. */
export type FileSink = Sink & { readonly bytes: number };

type StagedFile = { readonly path: string; readonly temporary: string; readonly file: number };

/** The files that `work` creates appear when it is done; if it fails, none does. */
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

/** Nothing here is asynchronous but `write`, which only looks so: a signal finds all temporary files known, or none made. */
export class StagedFiles {
  readonly #files: StagedFile[] = [];
  #newFolder: string | undefined;

  readonly #onExit = () => this.discard();
  readonly #onSignal = (signal: NodeJS.Signals) => {
    this.discard();
    // Our listener is gone by now: the signal does what it does by default, and the shell sees it.
    process.kill(process.pid, signal);
  };

  constructor() {
    process.on('exit', this.#onExit);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Makes the folder if it is not there; if nothing comes of it, the folder is taken away again. */
  makeFolder(path: string): void {
    if (existsSync(path)) return;
    inWords(path, () => mkdirSync(path));
    this.#newFolder = path;
  }

  /** Writes what `path` shall be. A file that is there stays until the end, and the new one has its mode. */
  create(path: string): FileSink {
    const { place, mode } = inWords(path, () => placeOf(path));
    const temporary = `${place}.${randomUUID().slice(0, 8)}${UNFINISHED}`;
    const file = inWords(path, () => openSync(temporary, 'wx'));
    this.#files.push({ path: place, temporary, file });
    if (mode !== undefined) inWords(path, () => fchmodSync(file, mode));
    const sink = {
      bytes: 0,
      write: async (chunk: string | Uint8Array) => {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        sink.bytes += bytes.length;
        inWords(path, () => writeAll(file, bytes));
      },
    };
    return sink;
  }

  /** The last file created appears last. */
  commit(): void {
    for (const { path, file } of this.#files) inWords(path, () => fsyncSync(file));
    for (const { path, temporary } of this.#files) inWords(path, () => renameSync(temporary, path));
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
    process.off('exit', this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    for (const { file } of this.#files.splice(0)) closeSync(file);
  }
}

/** Where the file shall be in the end: behind a symbolic link, not in its stead. */
function placeOf(path: string): { place: string; mode?: number } {
  if (basename(path) === '') throw new UsageError('--output must name a file');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { place: path };
  if (found.isDirectory()) throw new UsageError(`${path} is a folder; --output must name a file`);
  // A rename would replace /dev/null by a file, if we may.
  if (!found.isFile()) throw new UsageError(`${path} is not a file; leave --output out to write to standard output`);
  return { place: realpathSync(path), mode: found.mode & 0o7777 };
}

/** The system may take less at a time than it is given. */
function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
}

/** Another path would do; everything else is no fault of whoever named it. */
const WRONG_PATHS: readonly (Refusal | undefined)[] = [
  'its folder does not exist',
  'its folder is not a folder',
  'something else is there',
  'the name is too long',
];

function inWords<T>(path: string, work: () => T): T {
  return withFileErrors(work, (error, refusal) =>
    WRONG_PATHS.includes(refusal)
      ? new UsageError(`cannot write ${path}: ${refusal}`)
      : new DatasetError(`cannot write ${path}: ${refusalText(error)}`),
  );
}
