/**
 * Threads of the running build, and work on a file that is not trusted to be small or harmless in
 * one, with limits of time and memory.
 */
import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { DatasetError } from '../dataset-error.ts';
import type { ThreadCall, ThreadResult } from './thread-entry.ts';

/** An upgrade removes the files of the build that runs, and those of another one would not fit. */
export const REPLACED = 'the files of this program were replaced after it was started: restart it';

export class ProgramReplaced extends Error {
  override name = 'ProgramReplaced';

  constructor() {
    super(REPLACED);
  }
}

export function startThread(module: URL, options: WorkerOptions): Worker {
  if (!existsSync(module)) throw new ProgramReplaced();
  return new Worker(module, options);
}

const START_MS = 20_000;
/** How many times longer a step may take by the clock. */
const MAX_WAIT = 10;
const MAX_HEAP_MB = 2_048;

/** It may be fast enough later. */
export class TookTooLong extends Error {
  override name = 'TookTooLong';
}

const ENTRY = new URL('./thread-entry.js', import.meta.url);

type Call = Omit<ThreadCall, 'module'> & { readonly module: URL };

/** What an exported function returns, or its DatasetError or error of the system. */
export async function runInThread<T>(
  { module, ...call }: Call,
  signal?: AbortSignal,
  startMs?: number,
): Promise<T> {
  const result = await runThread<ThreadResult<T>>(
    ENTRY,
    { ...call, module: module.href },
    signal,
    startMs,
  );
  return unwrap(result);
}

/**
 * The same without limits, for work of the program itself: a caller that is busy meanwhile would
 * see any limit pass.
 */
export function runBeside<T>({ module, ...call }: Call): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = startThread(ENTRY, { workerData: { ...call, module: module.href } });
    worker.once('message', (result: ThreadResult<T>) => {
      try {
        resolve(unwrap(result));
      } catch (error) {
        reject(error);
      }
    });
    worker.once('error', reject);
    // After a message or an error this changes nothing.
    worker.once('exit', (code) => reject(new Error(`the thread ended with code ${code}`)));
  });
}

function unwrap<T>(result: ThreadResult<T>): T {
  if ('value' in result) return result.value;
  const { name, message } = result.error;
  throw Object.assign(
    name === 'DatasetError' ? new DatasetError(message) : new Error(message),
    result.error,
  );
}

/**
 * The message of the module. A number that it posts before is the processor time that its next step
 * may take.
 */
export function runThread<T>(
  module: URL,
  workerData: unknown,
  signal?: AbortSignal,
  startMs = START_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = startThread(module, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (error: unknown) => {
      reject(error);
      // Not waited for: a thread that is blocked in a read does not end.
      void worker.terminate();
    };
    const tooLong = (ms: number) => end(new TookTooLong(`could not be read within ${ms / 1000} s`));
    const allow = (ms: number) => {
      const sinceMs = performance.now();
      const before = process.cpuUsage();
      const look = () => {
        const { user, system } = process.cpuUsage(before);
        const leftMs = ms - (user + system) / 1000;
        // On a busy machine neither the thread nor the rest of the process has had that much.
        if (leftMs > 1 && performance.now() - sinceMs < ms * MAX_WAIT)
          timer = setTimeout(look, leftMs);
        else tooLong(ms);
      };
      clearTimeout(timer);
      timer = setTimeout(look, ms);
    };
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    timer = setTimeout(tooLong, startMs, startMs);
    worker.on('message', (message: number | T) =>
      typeof message === 'number' ? allow(message) : resolve(message),
    );
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // After a message or an error this changes nothing.
      reject(new Error(`the thread ended with code ${code}`));
    });
  });
}
