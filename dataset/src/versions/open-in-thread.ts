/** Opens a dataset without stopping the event loop: a thread reads and checks the file, and hands over its bytes. */
import { DatasetError } from '../dataset-error.ts';
import { Dataset } from '../file/read.ts';
import { runThread, TookTooLong } from '../io/run-thread.ts';
import { Supplement } from '../supplement/supplement.ts';
import type { OpenedFile, OpenTask } from './open-worker.ts';

/** A file on a network disk that does not answer must not keep later versions from being loaded. */
export const READ_TIMEOUT_MS = 60_000;

export const notReadInTime = (path: string, timeoutMs: number) =>
  new DatasetError(`${path}: not read within ${timeoutMs / 1000} s`);

/** Rejects with a DatasetError if the file is damaged, with the error of the file system if it cannot be read. */
export async function openInThread(
  task: { readonly path: string; readonly sha256?: string; readonly day?: string },
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Dataset> {
  return new Dataset(await readInThread(task, timeoutMs), { isChecked: true, day: task.day });
}

export async function openSupplementInThread(path: string, sha256: string): Promise<Supplement> {
  return new Supplement(await readInThread({ path, sha256, kind: 'supplement' }, READ_TIMEOUT_MS));
}

async function readInThread(task: OpenTask, timeoutMs: number): Promise<Buffer> {
  try {
    const module = new URL('./open-worker.js', import.meta.url);
    return bytesOf(await runThread(module, task, undefined, timeoutMs));
  } catch (error) {
    throw error instanceof TookTooLong ? notReadInTime(task.path, timeoutMs) : error;
  }
}

function bytesOf(opened: OpenedFile): Buffer {
  if (opened.kind === 'checked') return Buffer.from(opened.bytes);
  if (opened.kind === 'damaged') throw new DatasetError(opened.message);
  const { message, kind: _, ...reason } = opened;
  throw Object.assign(new Error(message), reason);
}
