/**
 * Runs the cases of the HTTP domain against a server in a process of its own, which is watched
 * through /metrics. If it ends, the case is found by sending the last ones again, one at a time, to
 * a new server.
 */
import { fork } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '@whence/testing/pinned-processes';
import { MetricsWatch } from '../../metrics-watch.ts';
import type { ServerUnderTest } from '../../server-under-test.ts';
import { caseRandom } from '../case-random.ts';
import type { FuzzFailure } from '../fuzz-failure.ts';
import { HTTP_DOMAIN, makeHttpCase } from './cases.ts';
import type { HttpReport, HttpTask } from './protocol.ts';
import type { HttpSubject } from './subject.ts';

export type HttpResult = {
  readonly cases: number;
  readonly answers: number;
  readonly failed: number;
  readonly lost: number;
  readonly failures: readonly FuzzFailure[];
  readonly crashes: number;
  /** The largest delay of the event loop that the server reported. */
  readonly worstLagMs: number;
  /**
   * How often it was too large, and the cases with which it was so again when they were repeated.
   */
  readonly stalls: number;
  readonly confirmedStalls: readonly Stall[];
  readonly scrapes: number;
  /** Memory of the server: after the first tenth of the cases, at the end, at most. */
  readonly memory: { readonly early: number; readonly end: number; readonly peak: number };
  readonly errorsInLog: ReadonlyMap<string, number>;
  /** The first lines of level error. */
  readonly logLines: readonly string[];
};

/** Cases that were sent while the event loop was late. */
type Stall = { readonly ms: number; readonly first: number; readonly count: number };

export const MAX_STALL_MS = 250;
/** On a busy machine any process is late at times. */
const CONFIRMED_STALLS = 5;
const WATCH_EVERY_MS = 500;
/** A new process loads and compiles its code, which is no stall of a request. */
const START_MS = 2_000;
/** More than are under way at a time. */
const SUSPECTS = 300;
const MAX_CRASHES = 3;
const EMPTY: HttpReport = {
  done: 0,
  answers: 0,
  failures: [],
  failed: 0,
  lost: 0,
  isLast: false,
  isServerGone: false,
};

export async function runHttpDomain(
  subject: HttpSubject,
  range: { seed: number; first: number; count: number },
  signal: AbortSignal,
): Promise<HttpResult> {
  const run = new HttpDomainRun(subject, range, signal);
  return run.complete();
}

class HttpDomainRun {
  readonly #subject: HttpSubject;
  readonly #range: { readonly seed: number; readonly first: number; readonly count: number };
  readonly #signal: AbortSignal;
  readonly #failures: FuzzFailure[] = [];
  readonly #errorsInLog = new Map<string, number>();
  readonly #logLines: string[] = [];
  readonly #stalls: Stall[] = [];
  #worstLagMs = 0;
  #scrapes = 0;
  #memory = { early: 0, end: 0, peak: 0 };
  #done = 0;

  constructor(
    subject: HttpSubject,
    range: { seed: number; first: number; count: number },
    signal: AbortSignal,
  ) {
    this.#subject = subject;
    this.#range = range;
    this.#signal = signal;
  }

  async complete(): Promise<HttpResult> {
    const { seed, first, count } = this.#range;
    const total = { answers: 0, failed: 0, lost: 0, crashes: 0 };
    let confirmedStalls: Stall[] = [];
    while (this.#done < count && total.crashes < MAX_CRASHES && !this.#signal.aborted) {
      const server = await this.#subject.start(this.#signal);
      const doneBefore = this.#done;
      const watch = this.#watch(server);
      const last = await this.#send(
        server,
        { seed, first: first + doneBefore, count: count - doneBefore },
        (report) => {
          this.#failures.push(...report.failures);
          this.#done = doneBefore + report.done;
        },
      );
      await watch.stop();
      total.answers += last.answers;
      total.failed += last.failed;
      total.lost += last.lost;
      if (last.isServerGone) {
        total.crashes++;
        await this.#findCulprit(first + this.#done, server);
        this.#done++;
      } else confirmedStalls = await this.#confirmStalls(server);
      this.#noteLog(server);
      await server.stop();
    }
    return {
      cases: this.#done,
      ...total,
      failures: this.#failures,
      worstLagMs: this.#worstLagMs,
      stalls: this.#stalls.length,
      confirmedStalls,
      scrapes: this.#scrapes,
      memory: this.#memory,
      errorsInLog: this.#errorsInLog,
      logLines: this.#logLines,
    };
  }

  /** Sends a range of cases from a child process and resolves with its last report. */
  #send(
    { port }: ServerUnderTest,
    range: Pick<HttpTask, 'seed' | 'first' | 'count'>,
    note: (report: HttpReport) => void,
    isCareful = false,
  ): Promise<HttpReport> {
    const child = fork(fileURLToPath(import.meta.resolve('./process.js')), [], { execArgv: [] });
    const stop = () => child.kill('SIGKILL');
    this.#signal.addEventListener('abort', stop, { once: true });
    const task: HttpTask = { ...range, port, secrets: this.#subject.secrets, isCareful };
    return new Promise((resolve, reject) => {
      let last = EMPTY;
      child.on('message', (report: HttpReport) => {
        last = report;
        note(report);
      });
      child.on('exit', (code) => {
        this.#signal.removeEventListener('abort', stop);
        if (last.isLast || this.#signal.aborted) resolve(last);
        else reject(new Error(`the process that sends requests ended with ${code}`));
      });
      child.send(task);
    });
  }

  #watch(server: ServerUnderTest) {
    const metrics = new MetricsWatch(server.metricsUrl);
    let doneBefore: [number, number] = [this.#done, this.#done];
    const look = async () => {
      const lagMs = await metrics.scrape(performance.now());
      this.#scrapes++;
      this.#worstLagMs = Math.max(this.#worstLagMs, lagMs);
      // The gauge is the worst of the last second or so: two looks.
      const first = Math.max(this.#range.first, this.#range.first + doneBefore[0] - SUSPECTS);
      const count = this.#range.first + this.#done - first;
      if (lagMs > MAX_STALL_MS) this.#stalls.push({ ms: lagMs, first, count });
      doneBefore = [doneBefore[1], this.#done];
      this.#noteMemory(server);
    };
    let timer: NodeJS.Timeout | undefined;
    const starting = setTimeout(() => {
      timer = setInterval(() => void look(), WATCH_EVERY_MS);
    }, START_MS);
    return {
      stop: async () => {
        clearTimeout(starting);
        clearInterval(timer);
        await look();
      },
    };
  }

  /** Sends the cases of the worst stalls once more. */
  async #confirmStalls(server: ServerUnderTest): Promise<Stall[]> {
    const confirmed: Stall[] = [];
    const worst = [...this.#stalls].sort((a, b) => b.ms - a.ms).slice(0, CONFIRMED_STALLS);
    for (const stall of worst) {
      const metrics = new MetricsWatch(server.metricsUrl);
      const timer = setInterval(() => void metrics.scrape(performance.now()), WATCH_EVERY_MS);
      await this.#send(
        server,
        { seed: this.#range.seed, first: stall.first, count: stall.count },
        () => {},
      );
      clearInterval(timer);
      await metrics.scrape(performance.now());
      if (metrics.worstLagMs > MAX_STALL_MS) confirmed.push({ ...stall, ms: metrics.worstLagMs });
    }
    return confirmed;
  }

  #noteMemory({ pid }: ServerUnderTest): void {
    const bytes = memoryOf(pid);
    if (bytes === undefined || Number.isNaN(bytes)) return;
    const isEarly = this.#done < this.#range.count / 10 || this.#memory.early === 0;
    this.#memory = {
      early: isEarly ? bytes : this.#memory.early,
      end: bytes,
      peak: Math.max(this.#memory.peak, bytes),
    };
  }

  #noteLog({ errorCounts, firstErrors }: ServerUnderTest): void {
    this.#logLines.push(...firstErrors);
    for (const [message, count] of errorCounts)
      this.#errorsInLog.set(message, (this.#errorsInLog.get(message) ?? 0) + count);
  }

  /** Sends the cases before `next` again until the new server ends as well. */
  async #findCulprit(next: number, ended: ServerUnderTest): Promise<void> {
    const { seed } = this.#range;
    const how = `the server ended with ${await ended.ended}: ${ended.firstErrors.join(' ').slice(0, 500)}`;
    const first = Math.max(this.#range.first, next - SUSPECTS);
    const server = await this.#subject.start(this.#signal);
    const last = await this.#send(server, { seed, first, count: 2 * SUSPECTS }, () => {}, true);
    await server.stop();
    const isRepeated = last.isServerGone;
    // The case that finds no server comes after the one that ended it.
    const index = isRepeated ? first + last.done - 1 : next;
    const { about, chunks } = makeHttpCase(caseRandom(seed, HTTP_DOMAIN, index), {});
    const what = isRepeated ? how : `${how} (about this case; not a second time)`;
    this.#failures.push({
      domain: HTTP_DOMAIN,
      index,
      about,
      what,
      input: Buffer.concat([...chunks]).toString('latin1'),
    });
  }
}

/** Undefined if the process has ended. */
function memoryOf(pid: number): number | undefined {
  try {
    return residentBytes(pid);
  } catch {
    return undefined;
  }
}
