/**
 * A thread that reads a dataset file, checks it, hands its bytes over and ends: 50 to 200 ms in which a server that
 * swaps versions goes on answering.
 */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { DatasetError } from './format.ts';
import type { OpenedFile, OpenTask } from './open-in-thread.ts';
import { readChecked } from './read.ts';

function post(opened: OpenedFile, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(opened, transferred);
}

try {
  // Passed by openInThread, the only caller.
  const { path, sha256 } = workerData as OpenTask;
  const bytes = readChecked(path);
  if (sha256 !== undefined && createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new DatasetError(`${path}: checksum mismatch: not the file that was published`);
  post({ kind: 'checked', bytes: bytes.buffer }, [bytes.buffer]);
} catch (error) {
  // An error that is thrown here arrives there without its class.
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
