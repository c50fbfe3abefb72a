/**
 * A worker: it listens on the shared port, reports its metrics, and stops when the first process
 * orders it.
 */
import type { Log } from '../../log/log.ts';
import { openAhead, type VersionCheck } from '../../lookup/live-dataset.ts';
import { withCounters } from '../../metrics/metrics.ts';
import { inheritedPort } from '../../process/held-port.ts';
import type { RunningServer } from '../../process/server.ts';
import { delayStop, type StopSignals } from '../../process/stop-signals.ts';
import { followOrders, leave, reportServing } from '../../process/worker-link.ts';
import type { Config } from '../../settings/config.ts';
import type { Environment } from '../../settings/settings.ts';
import { type ExitCode, failureOf } from '../../terminal/exit.ts';
import type { UpdateReport } from '../../versions/update-report.ts';
import { listen } from './listen.ts';

export async function serveAsWorker(
  config: Config,
  { logger: log, counters }: Log,
  signals: StopSignals,
  environment: Environment,
): Promise<ExitCode> {
  let server: RunningServer | undefined;
  let isStopping = false;
  let mustListen = () => {};
  const orderedToListen = new Promise<void>((resolve) => {
    mustListen = resolve;
  });
  let check: VersionCheck | undefined;
  let update: UpdateReport | undefined;
  let isTold = () => {};
  // While the program is loaded. A version that was not checked is opened by the server, which
  // takes less than a thread.
  const dataset = new Promise<void>((resolve) => {
    isTold = resolve;
  }).then(() => check?.file && openAhead(config.dataDir, check.file));
  const ordered = new Promise<void>((resolve) => {
    followOrders({
      listen: mustListen,
      'announce-stop': () => {
        isStopping = true;
        server?.announceStop();
      },
      stop: () => {
        // A worker that waits for storage would not see it.
        mustListen();
        resolve();
      },
      cut: () => server?.cut(),
      checked: (last) => {
        check = last ?? undefined;
        isTold();
        if (check !== undefined) server?.checked(check);
      },
      updated: (report) => {
        update = report;
        server?.updated(report);
      },
    });
  });
  try {
    server = await listen(config, log, {
      mustListen: orderedToListen,
      inherited: inheritedPort(environment),
      dataset,
      isWorker: true,
    });
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    await leave({ failure });
    return 3;
  }
  if (check !== undefined) server.checked(check);
  if (update !== undefined) server.updated(update);
  if (isStopping) server.announceStop();
  const running = server;
  reportServing({
    metrics: () => withCounters(running.metrics(), counters()),
    counters: () => withCounters(running.counters(), counters()),
  });
  // A signal to the whole process group arrives here too, and must not end the worker before the
  // delay is over.
  const signalled = signals.nth(1).then(() => {
    running.announceStop();
    return delayStop(config.shutdownDelaySeconds, signals);
  });
  await Promise.race([ordered, signalled]);
  await running.close();
  await leave({ counters: withCounters(running.counters(), counters()) });
  return 0;
}
