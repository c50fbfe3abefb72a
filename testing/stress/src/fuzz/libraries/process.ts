/**
 * Child process: runs the cases of one domain and reports. A case that ends or blocks this process
 * is found by its parent, which knows how far it came.
 */
import { performance } from 'node:perf_hooks';
import { caseRandom } from '../case-random.ts';
import { type FuzzFailure, signatureOf } from '../fuzz-failure.ts';
import { LIBRARY_DOMAINS } from './domains.ts';
import type { LibraryReport, LibraryTask } from './protocol.ts';
import { shrink } from './shrink.ts';
import type { FuzzInput, Subject } from './subject.ts';

const REPORT_EVERY_MS = 250;
/** A request that waits for this call waits as long. */
const MAX_CALL_MS = 250;
/** On a busy machine any call may take long once. */
const REPEATS = 3;
const MAX_FAILURES = 20;

class LibraryRun {
  readonly #task: LibraryTask;
  readonly #subject: Subject;
  readonly #seen = new Set<string>();
  #failures: FuzzFailure[] = [];
  #failed = 0;
  #done = 0;
  #slowestMs = 0;
  #reportedMs = performance.now();

  constructor(task: LibraryTask, subject: Subject) {
    this.#task = task;
    this.#subject = subject;
  }

  async runAll(): Promise<void> {
    const { first, count } = this.#task;
    const { concurrency = 1 } = this.#subject;
    let next = first;
    const lane = async () => {
      while (next < first + count) {
        await this.#runCase(next++);
        this.#done++;
        if (this.#task.isCareful || performance.now() - this.#reportedMs > REPORT_EVERY_MS)
          await this.#report(false);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, lane));
    await this.#report(true);
  }

  async #runCase(index: number): Promise<void> {
    const { seed, domain } = this.#task;
    const input = this.#subject.make(caseRandom(seed, domain, index), index);
    const what = await this.#faultOf(input);
    if (what === undefined) return;
    this.#failed++;
    const signature = signatureOf({ domain, about: input.about, what });
    if (this.#seen.has(signature) || this.#seen.size >= MAX_FAILURES) return;
    this.#seen.add(signature);
    const shown = input.shown ?? (await this.#shrunk(input, signature)).toString('latin1');
    this.#failures.push({ domain, index, about: input.about, what, input: shown });
  }

  async #faultOf(input: FuzzInput): Promise<string | undefined> {
    const { what, ms } = await this.#timed(input);
    if (what !== undefined || this.#subject.concurrency !== undefined) return what;
    let fastestMs = ms;
    for (let i = 0; i < REPEATS && fastestMs > MAX_CALL_MS; i++)
      fastestMs = Math.min(fastestMs, (await this.#timed(input)).ms);
    this.#slowestMs = Math.max(this.#slowestMs, fastestMs);
    return fastestMs > MAX_CALL_MS ? `took ${fastestMs.toFixed(0)} ms` : undefined;
  }

  async #timed(input: FuzzInput): Promise<{ what: string | undefined; ms: number }> {
    const startedMs = performance.now();
    const running = this.#subject.run(input);
    // Most are synchronous; waiting for them would cost more than some of them take.
    const what = running instanceof Promise ? await running : running;
    return { what, ms: performance.now() - startedMs };
  }

  async #shrunk({ about, bytes }: FuzzInput, signature: string): Promise<Buffer> {
    if (this.#subject.concurrency !== undefined) return bytes;
    return shrink(bytes, async (candidate) => {
      const what = await this.#faultOf({ about, bytes: candidate });
      return (
        what !== undefined && signatureOf({ domain: this.#task.domain, about, what }) === signature
      );
    });
  }

  async #report(isLast: boolean): Promise<void> {
    if (isLast) globalThis.gc?.();
    const report: LibraryReport = {
      done: this.#done,
      failures: this.#failures,
      failed: this.#failed,
      slowestMs: this.#slowestMs,
      residentBytes: process.memoryUsage.rss(),
      isLast,
    };
    this.#failures = [];
    this.#reportedMs = performance.now();
    // Sent before the next case may end the process.
    await new Promise((resolve) => process.send?.(report, resolve));
  }
}

// Sent by `library-runs.ts` and no other code.
process.once('message', async (task: LibraryTask) => {
  const domain = LIBRARY_DOMAINS.find(({ name }) => name === task.domain);
  if (domain === undefined) throw new Error(`there is no domain ${task.domain}`);
  const subject = await domain.open();
  await new LibraryRun(task, subject).runAll();
  await subject.close?.();
  process.disconnect();
});
process.on('disconnect', () => process.exit());
