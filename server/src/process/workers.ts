// Several processes on one port. The first answers no requests: it starts and replaces workers, and
// adds up their metrics, also of dead ones. Their quotas are in storage or lost with the lease,
// never counted twice.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPLACED } from '@whence/dataset/io/thread';
import type { Logger } from '../log/log.ts';
import type { VersionCheck } from '../lookup/live-dataset.ts';
import { addUp, countersOf, type MetricsSnapshot } from '../metrics/metrics.ts';
import { errorOf, type Failure } from '../terminal/exit.ts';
import type { UpdateReport } from '../versions/update-report.ts';
import type { HeldPort } from './held-port.ts';

/**
 * A worker that dies soon after its start is replaced after a pause, so that a crash loop does not
 * occupy a core.
 */
const YOUNG_MS = 5_000;
const PAUSE_MS = 1_000;
const SCRAPE_MS = 1_000;
/** Workers swap versions one after the other: within this time, and so long apart at most. */
const SWAPS_MS = 200;
const SWAP_PAUSE_MS = 50;
/**
 * Longer than a worker takes to drain and to write its counts. A worker that has not ended by then
 * is killed.
 */
const STOP_MS = 20_000;

/**
 * To a worker: report metrics; listen although storage is unreachable; no longer ready; end; end
 * without waiting.
 */
export type Order = 'report' | 'listen' | 'announce-stop' | 'stop' | 'cut';
export type CheckReport = { readonly check: VersionCheck | null };
/** Report of an update that could not be written where workers read it. */
export type UpdateMessage = { readonly update: UpdateReport };
/**
 * From a worker: takes orders, listens, metrics asked for, counts so far, or why it cannot start.
 */
export type WorkerReport =
  | { readonly isStarting: true }
  | { readonly isListening: true }
  | { readonly metrics: MetricsSnapshot }
  | { readonly counters: MetricsSnapshot }
  | { readonly failure: Failure };

export class Workers {
  readonly #program: string;
  readonly #log: Logger;
  readonly #forward: (line: string) => void;
  /** Last report of each worker, until its counters are added to `#ended`. */
  readonly #counters = new Map<Worker, MetricsSnapshot>();
  readonly #listening = new Set<Worker>();
  #ended: MetricsSnapshot = { routes: {}, counters: { whence_worker_deaths_total: 0 }, gauges: {} };
  #isStopping = false;
  #endWaiting = () => {};
  readonly #gone = new Promise<void>((resolve) => {
    this.#endWaiting = resolve;
  });
  #check: VersionCheck | null = null;
  #update: UpdateReport | undefined;
  #port: HeldPort | undefined;
  /** Added to that of this process. */
  #environment: Readonly<Record<string, string>> = {};

  /** `program`: the file of this build, which workers run too. */
  constructor(program: string, log: Logger, forward: (line: string) => void) {
    this.#program = program;
    this.#log = log;
    this.#forward = forward;
  }

  /** Resolves when no worker is left and none can be started. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /**
   * Resolves when all of them listen on the port. If one cannot start, ends all and rejects with
   * the reason. `port`: undefined if they bind the address themselves.
   */
  async start(
    count: number,
    port: HeldPort | undefined,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    this.#port = port;
    this.#environment = { ...environment, ...port?.workerEnvironment };
    // Workers accept for themselves. With the default, the first process accepts and hands over,
    // and a connection handed to a worker that has just died is never answered and never closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // Their logs come through this process, so that its standard error is not theirs: see
    // `log-output`.
    const stdio = port?.workerStreams ?? ['ignore', 'ignore', 'pipe', 'ipc'];
    cluster.setupPrimary({ exec: this.#program, stdio });
    const workers = Array.from({ length: count }, () => this.#fork());
    try {
      await Promise.all(workers.map((worker) => this.#untilListening(worker)));
      for (const worker of workers) this.#watch(worker);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async metrics(): Promise<MetricsSnapshot> {
    const answers = (await Promise.all(liveWorkers().map(askForMetrics))).filter(
      (answer) => answer !== undefined,
    );
    const { gauges } = addUp(answers);
    // A worker that is too busy to answer counts with its last report: counters never decrease.
    const counters = addUp([this.#ended, ...this.#counters.values()]);
    return { ...counters, gauges: { ...gauges, whence_workers: answers.length } };
  }

  /**
   * From now on `/readyz` answers 503 and workers that end are not replaced; requests are answered
   * as before.
   */
  announceStop(): void {
    this.#isStopping = true;
    for (const worker of liveWorkers()) send(worker, 'announce-stop');
  }

  checked(check: VersionCheck): void {
    this.#check = check;
    const workers = liveWorkers();
    const pauseMs = Math.min(SWAP_PAUSE_MS, SWAPS_MS / workers.length);
    for (const [i, worker] of workers.entries())
      setTimeout(() => send(worker, { check }), i * pauseMs).unref();
  }

  updated(update: UpdateReport): void {
    this.#update = update;
    for (const worker of liveWorkers()) send(worker, { update });
  }

  cut(): void {
    for (const worker of liveWorkers()) send(worker, 'cut');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    // Workers answer what is queued before they close it.
    this.#port?.close();
    await Promise.all(
      liveWorkers().map(async (worker) => {
        const exited = once(worker, 'exit');
        send(worker, 'stop');
        const timer = setTimeout(() => {
          this.#log.error(
            { worker: worker.process.pid },
            'a worker did not stop in time and was killed',
          );
          worker.process.kill('SIGKILL');
        }, STOP_MS);
        await exited;
        clearTimeout(timer);
      }),
    );
  }

  #fork(): Worker {
    const worker = cluster.fork(this.#environment);
    const { stderr } = worker.process;
    if (stderr !== null) createInterface({ input: stderr }).on('line', this.#forward);
    worker.on('message', (report: WorkerReport) => {
      // Orders that were sent before are lost.
      if ('isStarting' in report) {
        this.#letOneListen();
        send(worker, { check: this.#check });
        if (this.#update !== undefined) send(worker, { update: this.#update });
      }
      if ('isListening' in report) this.#listening.add(worker);
      if ('counters' in report) this.#counters.set(worker, report.counters);
      if ('metrics' in report) this.#counters.set(worker, countersOf(report.metrics));
    });
    worker.once('exit', () => {
      this.#listening.delete(worker);
      this.#letOneListen();
    });
    // Emitted for a message to a worker that has just died.
    worker.on('error', () => {});
    // Its last report may be read after its exit was seen, but not after the channel is closed.
    for (const event of ['exit', 'disconnect'])
      worker.once(event, () => this.#keepCounters(worker));
    return worker;
  }

  /**
   * Without storage a new worker knows no key: others take its connections. Without others, workers
   * listen unready.
   */
  #letOneListen(): void {
    if (this.#listening.size > 0) return;
    for (const worker of liveWorkers()) send(worker, 'listen');
  }

  #untilListening(worker: Worker): Promise<void> {
    return new Promise((resolve, reject) => {
      worker.on('message', (report: WorkerReport) => {
        if ('isListening' in report) resolve();
        if ('failure' in report) reject(errorOf(report.failure));
      });
      worker.once('exit', (code, signal) =>
        reject(
          errorOf({
            exitCode: 3,
            message: `a worker ended (${signal ?? `code ${code}`}) before it listened`,
          }),
        ),
      );
    });
  }

  #keepCounters(worker: Worker): void {
    const last = this.#counters.get(worker);
    if (last === undefined || !worker.isDead() || worker.isConnected()) return;
    this.#counters.delete(worker);
    this.#ended = addUp([this.#ended, last]);
  }

  #watch(worker: Worker): void {
    const bornMs = performance.now();
    let reason: string | undefined;
    worker.on('message', (report: WorkerReport) => {
      if ('failure' in report) reason = report.failure.message;
    });
    worker.once('exit', async (code, signal) => {
      if (this.#isStopping) return;
      const isReplaceable = existsSync(this.#program);
      this.#log.error(
        { worker: worker.process.pid, code, signal, reason },
        isReplaceable ? 'a worker died and is replaced' : `a worker died, and ${REPLACED}`,
      );
      this.#ended = addUp([
        this.#ended,
        { routes: {}, counters: { whence_worker_deaths_total: 1 }, gauges: {} },
      ]);
      if (!isReplaceable) {
        if (liveWorkers().length === 0) this.#endWaiting();
        return;
      }
      if (performance.now() - bornMs < YOUNG_MS) await sleep(PAUSE_MS);
      if (!this.#isStopping) this.#watch(this.#fork());
    });
  }
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker) => worker !== undefined && !worker.isDead(),
  ) as Worker[];
}

function send(worker: Worker, order: Order | CheckReport | UpdateMessage): void {
  // A worker that has just died is replaced when its exit is seen.
  if (worker.isConnected()) worker.send(order, () => {});
}

function askForMetrics(worker: Worker): Promise<MetricsSnapshot | undefined> {
  return new Promise((resolve) => {
    const finish = (metrics?: MetricsSnapshot) => {
      clearTimeout(timer);
      worker.off('message', listen);
      resolve(metrics);
    };
    const listen = (report: WorkerReport) => {
      if ('metrics' in report) finish(report.metrics);
    };
    const timer = setTimeout(finish, SCRAPE_MS);
    worker.on('message', listen);
    send(worker, 'report');
  });
}
