/** The threads of `wh enrich --jobs`. Each handles its blocks in order; a block goes to the thread with the fewest. */
import { Worker } from 'node:worker_threads';
import type { BlockTask, EnrichedBlock, ThreadTask } from './enrich-thread.ts';
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

function startThread(task: ThreadTask): Thread {
  const worker = new Worker(new URL('./enrich-thread.js', import.meta.url), { workerData: task });
  const waiting: Waiting[] = [];
  const fail = (error: Error) => {
    for (const { reject } of waiting.splice(0)) reject(error);
  };
  worker.on('message', (done: EnrichedBlock) => waiting.shift()?.resolve(done));
  worker.on('error', fail);
  worker.on('exit', (code) => fail(new Error(`an enrich thread exited with code ${code}`)));
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
