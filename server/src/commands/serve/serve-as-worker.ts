/** One of several processes on a port: it listens, reports its metrics, and stops when the first process says so. */
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import { withCounters } from '../../metrics/metrics.ts';
import type { RunningServer } from '../../server.ts';
import type { StopSignals } from '../../stop-signals.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import { failureOf } from '../../terminal/failure.ts';
import { followOrders, leave, leaveWithFailure, reportMetrics } from '../../worker-link.ts';
import { delayStop } from './delay-stop.ts';
import { listen } from './listen.ts';

export async function serveAsWorker(
  config: Config,
  { logger: log, counters }: Log,
  signals: StopSignals,
): Promise<ExitCode> {
  let server: RunningServer | undefined;
  let isStopping = false;
  const ordered = new Promise<void>((resolve) => {
    followOrders({
      'announce-stop': () => {
        isStopping = true;
        server?.announceStop();
      },
      stop: resolve,
      cut: () => server?.cut(),
    });
  });
  try {
    server = await listen(config, log);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    await leaveWithFailure(failure);
    return 1;
  }
  if (isStopping) server.announceStop();
  const running = server;
  reportMetrics({
    metrics: () => withCounters(running.metrics(), counters()),
    counters: () => withCounters(running.counters(), counters()),
  });
  // A signal to the whole process group comes here too, and must not end the worker before the delay is over.
  const signalled = signals.nth(1).then(() => {
    running.announceStop();
    return delayStop(config, signals);
  });
  await Promise.race([ordered, signalled]);
  await running.close();
  await leave(withCounters(running.counters(), counters()));
  return 0;
}
