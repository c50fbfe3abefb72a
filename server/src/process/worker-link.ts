/** A worker's side of the connection to the first process: reports go up, orders come down. */
import cluster from 'node:cluster';
import type { VersionCheck } from '../lookup/live-dataset.ts';
import type { MetricsSnapshot } from '../metrics/metrics.ts';
import type { UpdateReport } from '../versions/update-report.ts';
import type { CheckReport, Order, UpdateMessage, WorkerReport } from './workers.ts';

/** A worker that is killed loses at most this much of its counters. */
const REPORT_MS = 1_000;

type OrderHandlers = Readonly<Record<Exclude<Order, 'report'>, () => void>> & {
  /** What the first process has checked; null at the start if there is nothing yet. */
  readonly checked: (check: VersionCheck | null) => void;
  readonly updated: (report: UpdateReport) => void;
};

/** Must be called first: an order that arrives while the worker starts must not be lost. */
export function followOrders(handlers: OrderHandlers): void {
  process.on('message', (order: Order | CheckReport | UpdateMessage) => {
    if (typeof order !== 'string') {
      if ('update' in order) handlers.updated(order.update);
      else handlers.checked(order.check);
    } else if (order !== 'report') handlers[order]();
  });
  void send({ isStarting: true });
}

/** Says that the worker listens, and from now on what it counts. */
export function reportServing(server: {
  metrics(): MetricsSnapshot;
  counters(): MetricsSnapshot;
}): void {
  void send({ isListening: true });
  setInterval(() => void send({ counters: server.counters() }), REPORT_MS).unref();
  process.on('message', (order: Order) => {
    if (order === 'report') void send({ metrics: server.metrics() });
  });
}

/**
 * Sends the last report; then nothing keeps the process alive. The first process prints a failure
 * once for all workers.
 */
export async function leave(report: WorkerReport): Promise<void> {
  await send(report);
  cluster.worker?.disconnect();
}

/** Resolves when the report is sent, or cannot be sent because the first process has ended. */
function send(report: WorkerReport): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(report, undefined, undefined, () => resolve());
  });
}
