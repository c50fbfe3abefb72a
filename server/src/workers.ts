/**
 * Several processes on one port. The first process answers nothing itself: it starts workers, replaces one that dies, and adds up their
 * metrics. What a worker had counted is in storage or lost with its lease; nothing is counted twice.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from './log.ts';
import { addUp, type MetricsSnapshot } from './metrics.ts';

/** A worker that dies young is replaced after a pause, so that one that cannot live does not burn a core. */
const YOUNG_MS = 5_000;
const PAUSE_MS = 1_000;
const SCRAPE_MS = 1_000;

const METRICS_REQUEST = 'metrics';

export class Workers {
  readonly #log: Logger;
  #isStopping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Resolves with the address they listen on when all of them do; rejects if one cannot start. */
  async start(count: number): Promise<{ port: number }> {
    // Workers accept for themselves. With the default, the first process accepts and hands over, and a connection handed to a worker that has
    // just died is never answered and never closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    const workers = Array.from({ length: count }, () => cluster.fork());
    const started = await Promise.all(workers.map((worker) => listening(worker)));
    for (const worker of workers) this.#watch(worker);
    return { port: started[0]?.port ?? 0 };
  }

  async metrics(): Promise<MetricsSnapshot> {
    const snapshots = await Promise.all(liveWorkers().map(askForMetrics));
    const answered = snapshots.filter((snapshot) => snapshot !== undefined);
    const { gauges, ...rest } = addUp(answered);
    return { ...rest, gauges: { ...gauges, whence_workers: answered.length } };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const gone = liveWorkers().map((worker) => once(worker, 'exit'));
    for (const worker of liveWorkers()) worker.kill('SIGTERM');
    await Promise.all(gone);
  }

  #watch(worker: Worker): void {
    const bornMs = performance.now();
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      this.#log.error({ worker: worker.process.pid, code, signal }, 'a worker died and is replaced');
      const pause = performance.now() - bornMs < YOUNG_MS ? PAUSE_MS : 0;
      setTimeout(() => {
        if (!this.#isStopping) this.#watch(cluster.fork());
      }, pause);
    });
  }
}

/** In a worker: answers what the first process asks. */
export function answerMetrics(snapshot: () => MetricsSnapshot): void {
  process.on('message', (message) => {
    if (message === METRICS_REQUEST) process.send?.({ snapshot: snapshot() });
  });
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true) as Worker[];
}

async function listening(worker: Worker): Promise<{ port: number }> {
  const exited = once(worker, 'exit').then(([code]) => {
    throw new Error(`a worker ended with code ${code} before it listened`);
  });
  const [address] = (await Promise.race([once(worker, 'listening'), exited])) as [{ port: number }];
  // From here on its end is somebody else's business.
  exited.catch(() => {});
  return address;
}

async function askForMetrics(worker: Worker): Promise<MetricsSnapshot | undefined> {
  worker.send(METRICS_REQUEST);
  try {
    const [{ snapshot }] = (await once(worker, 'message', { signal: AbortSignal.timeout(SCRAPE_MS) })) as [
      { snapshot: MetricsSnapshot },
    ];
    return snapshot;
  } catch {
    return undefined;
  }
}
