/** Opens a dataset without stopping the event loop: a thread reads and checks the file, and hands over its bytes. */
import { DatasetError } from '../dataset-error.ts';
import { Dataset } from '../file/read.ts';
import { runInThread, TookTooLong } from '../io/run-thread.ts';
import { Supplement } from '../supplement/supplement.ts';

/** A file on a network disk that does not answer must not keep later versions from being loaded. */
export const READ_TIMEOUT_MS = 60_000;

export const notReadInTime = (path: string, timeoutMs: number) =>
  new DatasetError(`${path}: not read within ${timeoutMs / 1000} s`);

/** Rejects with a DatasetError if the file is damaged, with the error of the file system if it cannot be read. */
export async function openInThread(
  { path, sha256, day }: { readonly path: string; readonly sha256?: string; readonly day?: string },
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Dataset> {
  const call = { module: new URL('../file/read.js', import.meta.url), name: 'readChecked', args: [path, sha256, day] };
  return new Dataset(await readInThread(call, path, timeoutMs), { isChecked: true, day });
}

export async function openSupplementInThread(path: string, sha256: string): Promise<Supplement> {
  const module = new URL('../supplement/supplement.js', import.meta.url);
  return new Supplement(await readInThread({ module, name: 'readSupplement', args: [path, sha256] }, path));
}

/** 50 to 200 ms, in which the server continues to answer. */
async function readInThread(
  call: Parameters<typeof runInThread>[0],
  path: string,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Buffer> {
  try {
    const { buffer, byteOffset, length } = await runInThread<Uint8Array<ArrayBuffer>>(call, undefined, timeoutMs);
    return Buffer.from(buffer, byteOffset, length);
  } catch (error) {
    throw error instanceof TookTooLong ? notReadInTime(path, timeoutMs) : error;
  }
}
