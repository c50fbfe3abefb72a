/** Child process: sends the cases of the HTTP domain to a server and checks the answers. */
import { performance } from 'node:perf_hooks';
import { caseRandom } from '../case-random.ts';
import { type FuzzFailure, signatureOf } from '../fuzz-failure.ts';
import { splitAnswers } from './answers.ts';
import { HTTP_DOMAIN, type HttpCase, makeHttpCase } from './cases.ts';
import { checkHttpAnswer, type HttpOutcome } from './check-answer.ts';
import { exchangeHttp } from './exchange.ts';
import type { HttpReport, HttpTask } from './protocol.ts';
import { hideSecrets } from './secrets.ts';

const CONCURRENCY = 48;
const REPORT_EVERY_MS = 250;
const MAX_FAILURES = 20;
/**
 * A busy machine is late at times: a case without an answer is repeated with a longer time-out
 * before it is a failure.
 */
const TIMEOUTS_MS = [150, 1_500, 5_000];
/**
 * What a socket takes at once. If the server closes while more is being sent, its answer may be
 * lost on the way.
 */
const SENT_AT_ONCE_BYTES = 60_000;

class HttpRun {
  readonly #task: HttpTask;
  readonly #seen = new Set<string>();
  #failures: FuzzFailure[] = [];
  #failed = 0;
  #done = 0;
  #answers = 0;
  #lost = 0;
  #isServerGone = false;
  #reportedMs = performance.now();

  constructor(task: HttpTask) {
    this.#task = task;
  }

  async runAll(): Promise<void> {
    const { first, count, isCareful } = this.#task;
    let next = first;
    const lane = async () => {
      while (next < first + count && !this.#isServerGone) {
        await this.#runCase(next++);
        if (!this.#isServerGone) this.#done++;
        if (isCareful || performance.now() - this.#reportedMs > REPORT_EVERY_MS)
          await this.#report(false);
      }
    };
    await Promise.all(Array.from({ length: isCareful ? 1 : CONCURRENCY }, lane));
    await this.#report(true);
  }

  async #runCase(index: number): Promise<void> {
    const { seed, secrets } = this.#task;
    const fuzzCase = makeHttpCase(caseRandom(seed, HTTP_DOMAIN, index), secrets);
    const what = await this.#faultOf(fuzzCase);
    if (what === undefined || this.#isServerGone) return;
    this.#failed++;
    const { about, chunks } = fuzzCase;
    const signature = signatureOf({ domain: HTTP_DOMAIN, about, what });
    if (this.#seen.has(signature) || this.#seen.size >= MAX_FAILURES) return;
    this.#seen.add(signature);
    const input = hideSecrets(Buffer.concat([...chunks]).toString('latin1'), secrets);
    this.#failures.push({ domain: HTTP_DOMAIN, index, about, what, input });
  }

  async #faultOf(fuzzCase: HttpCase): Promise<string | undefined> {
    let what: string | undefined;
    for (const timeoutMs of TIMEOUTS_MS) {
      const outcome = await exchangeHttp(this.#task.port, fuzzCase, timeoutMs);
      if (outcome.error === 'ECONNREFUSED') {
        this.#isServerGone = true;
        return undefined;
      }
      what = checkHttpAnswer(fuzzCase, outcome);
      const { answers, fault } = splitAnswers(outcome.received, fuzzCase.isHead === true);
      this.#answers += answers.length;
      if (what === undefined || answers.length > 0 || fault !== undefined) return what;
      if (isLost(fuzzCase, outcome)) {
        this.#lost++;
        return undefined;
      }
    }
    return what;
  }

  async #report(isLast: boolean): Promise<void> {
    const report: HttpReport = {
      done: this.#done,
      answers: this.#answers,
      failures: this.#failures,
      failed: this.#failed,
      lost: this.#lost,
      isLast,
      isServerGone: this.#isServerGone,
    };
    this.#failures = [];
    this.#reportedMs = performance.now();
    await new Promise((resolve) => process.send?.(report, resolve));
  }
}

function isLost({ chunks }: HttpCase, { error }: HttpOutcome): boolean {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  return error !== undefined && (bytes > SENT_AT_ONCE_BYTES || chunks.length > 1);
}

// Sent by `http-run.ts` and no other code.
process.once('message', async (task: HttpTask) => {
  await new HttpRun(task).runAll();
  process.disconnect();
});
process.on('disconnect', () => process.exit());
