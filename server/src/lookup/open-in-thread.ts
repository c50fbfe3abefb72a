/** Opens a dataset without stopping the event loop: a thread reads and checks the file, and hands over its bytes. */
import { Worker } from 'node:worker_threads';
import { DatasetError } from '@whence/dataset/format';
import { Dataset } from '@whence/dataset/read';

export type OpenedFile =
  | { readonly kind: 'checked'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'damaged' | 'failed'; readonly message: string; readonly code: string | undefined };

/** A file on a network disk that does not answer must not keep later versions from being loaded. */
const TIMEOUT_MS = 60_000;

/** Rejects with a DatasetError if the file is damaged, with the error of the file system if it cannot be read. */
export function openInThread(path: string, timeoutMs = TIMEOUT_MS): Promise<Dataset> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./open-worker.js', import.meta.url), { workerData: path });
    // The process may end meanwhile.
    worker.unref();
    const timer = setTimeout(() => {
      reject(new DatasetError(`${path}: not read within ${timeoutMs / 1000} s`));
      void worker.terminate();
    }, timeoutMs).unref();
    worker.once('message', (opened: OpenedFile) => {
      try {
        resolve(datasetOf(opened));
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

function datasetOf(opened: OpenedFile): Dataset {
  if (opened.kind === 'checked') return new Dataset(Buffer.from(opened.bytes), { isChecked: true });
  if (opened.kind === 'damaged') throw new DatasetError(opened.message);
  throw Object.assign(new Error(opened.message), opened.code === undefined ? {} : { code: opened.code });
}
