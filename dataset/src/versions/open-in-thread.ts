/** Opens a dataset without stopping the event loop: a thread reads and checks the file, and hands over its bytes. */
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { DatasetError } from '../dataset-error.ts';
import { Dataset } from '../file/read.ts';
import { Supplement } from '../supplement/supplement.ts';
import type { CheckedFile } from './checked-file.ts';
import type { OpenedFile, OpenTask } from './open-worker.ts';

/** A file on a network disk that does not answer must not keep later versions from being loaded. */
const TIMEOUT_MS = 60_000;

/** Rejects with a DatasetError if the file is damaged, with the error of the file system if it cannot be read. */
export async function openInThread(
  task: { readonly path: string; readonly sha256?: string; readonly day?: string },
  timeoutMs = TIMEOUT_MS,
): Promise<Dataset> {
  const { bytes } = await readInThread(task, timeoutMs);
  return new Dataset(bytes, { isChecked: true, day: task.day });
}

/** Checks a file for other processes. Undefined if its answers on `day` are not those in the file. */
export async function checkInThread(path: string, day: string): Promise<CheckedFile | undefined> {
  const { bytes, fileState } = await readInThread({ path, day }, TIMEOUT_MS);
  return fileState === undefined ? undefined : { path, fileState, crc32: crc32(bytes), day };
}

/** The same for the supplement of a version. */
export async function openSupplementInThread(path: string, sha256: string): Promise<Supplement> {
  const { bytes } = await readInThread({ path, sha256, kind: 'supplement' }, TIMEOUT_MS);
  return new Supplement(bytes);
}

/** `fileState`: if the bytes are those in the file. */
type ReadFile = { readonly bytes: Buffer; readonly fileState?: string | undefined };

function readInThread(task: OpenTask, timeoutMs: number): Promise<ReadFile> {
  const { path } = task;
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./open-worker.js', import.meta.url), { workerData: task });
    const timer = setTimeout(() => {
      reject(new DatasetError(`${path}: not read within ${timeoutMs / 1000} s`));
      void worker.terminate();
    }, timeoutMs);
    worker.once('message', (opened: OpenedFile) => {
      try {
        resolve(requireFile(opened));
      } catch (error) {
        reject(error);
      }
    });
    worker.once('error', reject);
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread that opens ${path} ended with code ${code}`));
    });
  });
}

function requireFile(opened: OpenedFile): ReadFile {
  if (opened.kind === 'checked') return { bytes: Buffer.from(opened.bytes), fileState: opened.fileState };
  if (opened.kind === 'damaged') throw new DatasetError(opened.message);
  const { message, kind: _, ...reason } = opened;
  throw Object.assign(new Error(message), reason);
}
