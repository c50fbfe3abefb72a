// A thread that reads and checks a dataset file, 50 to 200 ms in which the server continues to answer.
import { parentPort, workerData } from 'node:worker_threads';
import { DatasetError } from '../dataset-error.ts';
import { readChecked } from '../file/read.ts';
import { readSupplement } from '../supplement/supplement.ts';

/** `sha256`: of the file that is expected, in hexadecimal. `day`: with the answers of this day. */
export type OpenTask =
  | { readonly path: string; readonly sha256?: string; readonly day?: string; readonly kind?: 'dataset' }
  | { readonly path: string; readonly sha256: string; readonly kind: 'supplement' };

export type OpenedFile =
  | { readonly kind: 'checked'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'damaged'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string; readonly errno?: number };

function post(opened: OpenedFile, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(opened, transferred);
}

try {
  // Passed by openInThread, the only caller.
  const task = workerData as OpenTask;
  const { path, sha256 } = task;
  const bytes = task.kind === 'supplement' ? readSupplement(path, task.sha256) : readChecked(path, sha256, task.day);
  post({ kind: 'checked', bytes: bytes.buffer }, [bytes.buffer]);
} catch (error) {
  // An error that is thrown here reaches the main thread without its class.
  const { message, code, errno } = error as NodeJS.ErrnoException;
  if (error instanceof DatasetError) post({ kind: 'damaged', message });
  else
    post({
      kind: 'failed',
      message,
      ...(code === undefined ? {} : { code }),
      ...(errno === undefined ? {} : { errno }),
    });
}
