/** The threads of `wh enrich --jobs`. They take blocks of a file, or are passed those of other input. */
import { Worker } from 'node:worker_threads';
import type { FinishedBlock, ThreadTask } from './enrich-thread.ts';
import type { TakenBlock } from './file-blocks.ts';

const BLOCKS_PER_THREAD = 2;

/** `blocks` are passed in their order. Resolves when all are finished and `onBlock` has resolved for each. */
export async function runThreads(
  count: number,
  task: ThreadTask,
  blocks: AsyncIterable<TakenBlock> | undefined,
  onBlock: (done: FinishedBlock) => Promise<void>,
): Promise<void> {
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('./enrich-thread.js', import.meta.url), { workerData: task }),
  );
  const finished: Promise<void>[] = [];
  let onFinished = () => {};
  const pass = async () => {
    let passed = 0;
    for await (const block of blocks ?? []) {
      // The memory of other blocks may be Node's pool.
      const memory = block.kind === 'records' ? [block.bytes.buffer as ArrayBuffer] : [];
      workers[passed++ % count]?.postMessage(block, memory);
      while (passed - finished.length >= count * BLOCKS_PER_THREAD)
        await new Promise<void>((resolve) => {
          onFinished = resolve;
        });
    }
    for (const worker of workers) worker.postMessage(undefined);
  };
  const end = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      worker.on('message', (done: FinishedBlock) => {
        const block = onBlock(done);
        block.catch(reject);
        finished.push(block);
        onFinished();
      });
      worker.on('error', reject);
      worker.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`an enrich thread exited with code ${code}`)),
      );
    });
  try {
    await Promise.all([...workers.map(end), pass()]);
    await Promise.all(finished);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
