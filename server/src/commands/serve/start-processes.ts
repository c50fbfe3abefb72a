/** Starts the processes that answer requests: this one, or workers that share a port. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serverUrl } from '../../http/server/listening.ts';
import type { Log, Logger } from '../../log/log.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import { HeldPort } from '../../process/held-port.ts';
import type { ServerOptions } from '../../process/server.ts';
import { VersionChecks } from '../../process/version-checks.ts';
import { Workers } from '../../process/workers.ts';
import type { Config } from '../../settings/config.ts';
import { settings } from '../../settings/settings.ts';
import type { UpdateReport } from '../../versions/update-report.ts';
import { listen } from './listen.ts';

export type Started = {
  readonly url: string;
  metrics(): MetricsSnapshot | Promise<MetricsSnapshot>;
  /** An update has ended whose report could not be written. */
  updated(report: UpdateReport): void;
  announceStop(): void;
  cut(): void;
  stop(): Promise<void>;
  /** Resolves when nothing serves any more, and nothing can be started. */
  readonly gone?: Promise<void>;
};

type OpenedParts = Required<Pick<ServerOptions, 'opened' | 'dataset'>>;

export async function startAlone(
  config: Config,
  log: Logger,
  opened: OpenedParts,
): Promise<Started> {
  const server = await listen(config, log, opened);
  return { ...server, stop: () => server.close() };
}

export async function startWorkers(
  program: string,
  config: Config,
  log: Logger,
  forward: Log['forward'],
): Promise<Started> {
  const workers = new Workers(program, log, forward);
  // Workers that are all replaced at once would get another free port. An address that cannot be
  // used is their error.
  const port = config.port === 0 ? await freePort(config.host).catch(() => 0) : config.port;
  const environment = { [settings.port.variable]: String(port) };
  await workers.start(config.workers, HeldPort.open(config.host, port), environment);
  const checks = new VersionChecks(config.dataDir, (check) => workers.checked(check));
  checks.start();
  return {
    url: serverUrl(config.host, port),
    metrics: () => workers.metrics(),
    updated: (report) => workers.updated(report),
    announceStop: () => workers.announceStop(),
    cut: () => workers.cut(),
    gone: workers.gone,
    stop: () => {
      checks.stop();
      return workers.stop();
    },
  };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
