/**
 * A thread that reads a dataset file, checks it, hands its bytes over and ends: 50 to 200 ms in which a server that
 * swaps versions goes on answering.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DatasetError } from '@whence/dataset/format';
import { readChecked } from '@whence/dataset/read';
import type { OpenedFile } from './open-in-thread.ts';

function post(opened: OpenedFile, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(opened, transferred);
}

try {
  // Passed by openInThread, the only caller.
  const { buffer } = readChecked(workerData as string);
  post({ kind: 'checked', bytes: buffer }, [buffer]);
} catch (error) {
  // An error that is thrown here arrives there without its class.
  const { message, code } = error as NodeJS.ErrnoException;
  post({ kind: error instanceof DatasetError ? 'damaged' : 'failed', message, code });
}
