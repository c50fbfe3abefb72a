/** The threads of `wh enrich --jobs`. Each handles its blocks in order; a block goes to the thread with the fewest. */
import { Worker } from 'node:worker_threads';
import type { BlockTask, EnrichedBlock, FinishedBlock, ThreadTask } from './enrich-thread.ts';
import { INITIAL_BYTES } from './output-buffer.ts';

type Waiting = { readonly resolve: (done: EnrichedBlock) => void; readonly reject: (error: Error) => void };
type Thread = { readonly worker: Worker; readonly waiting: Waiting[] };

export class EnrichThreads {
  readonly #threads: Thread[];
  readonly #memory: ArrayBuffer[] = [];
  readonly #blocks: ArrayBuffer[] = [];

  constructor(count: number, task: ThreadTask) {
    this.#threads = Array.from({ length: count }, () => startThread(task));
  }

  /** Transfers the block: its bytes can no longer be read in this thread. */
  enrich(block: Buffer): Promise<EnrichedBlock> {
    const { worker, waiting } = this.#threads.reduce((a, b) => (b.waiting.length < a.waiting.length ? b : a));
    const { promise, ...settle } = deferred();
    waiting.push(settle);
    const task: BlockTask = { block, memory: this.#memory.pop() };
    const transferred = [block.buffer as ArrayBuffer, ...(task.memory === undefined ? [] : [task.memory])];
    worker.postMessage(task, transferred);
    return promise.then((done) => {
      this.#blocks.push(done.block);
      return done;
    });
  }

  /** Takes back the memory of an output that has been written. */
  reuse({ buffer }: Uint8Array): void {
    // Smaller buffers may be part of Node's pool, which must not be transferred.
    if (buffer.byteLength >= INITIAL_BYTES) this.#memory.push(buffer as ArrayBuffer);
  }

  usedBlock(): Buffer | undefined {
    const memory = this.#blocks.pop();
    return memory === undefined ? undefined : Buffer.from(memory);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }
}

/** Threads that share a file. Resolves when all have ended and `onBlock` has. */
export async function runFileThreads(
  count: number,
  task: ThreadTask,
  onBlock: (done: FinishedBlock) => Promise<void>,
): Promise<void> {
  const workers = Array.from({ length: count }, () => newWorker(task));
  const blocks: Promise<void>[] = [];
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            worker.on('message', (done: FinishedBlock) => {
              const block = onBlock(done);
              block.catch(reject);
              blocks.push(block);
            });
            worker.on('error', reject);
            worker.on('exit', (code) => (code === 0 ? resolve() : reject(exitError(code))));
          }),
      ),
    );
    await Promise.all(blocks);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

const newWorker = (task: ThreadTask) =>
  new Worker(new URL('./enrich-thread.js', import.meta.url), { workerData: task });
const exitError = (code: number) => new Error(`an enrich thread exited with code ${code}`);

function startThread(task: ThreadTask): Thread {
  const worker = newWorker(task);
  const waiting: Waiting[] = [];
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on('message', (done: EnrichedBlock) => waiting.shift()?.resolve(done));
  worker.on('error', fail);
  worker.on('exit', (code) => fail(exitError(code)));
  return { worker, waiting };
}

function deferred(): Waiting & { readonly promise: Promise<EnrichedBlock> } {
  let settle: Waiting | undefined;
  const promise = new Promise<EnrichedBlock>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Avoids an unhandled rejection if the thread fails before the block is awaited.
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Waiting) };
}
