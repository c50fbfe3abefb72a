/** Starts the processes that answer requests: this one, or workers that share a port. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serverUrl } from '../../http/listening.ts';
import type { Log, Logger } from '../../log/log.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import type { ServerOptions } from '../../process/server.ts';
import { VersionChecks } from '../../process/version-checks.ts';
import { Workers } from '../../process/workers.ts';
import type { Config } from '../../settings/config.ts';
import { settings } from '../../settings/settings.ts';
import { listen } from './listen.ts';

export type Started = {
  readonly url: string;
  metrics(): MetricsSnapshot | Promise<MetricsSnapshot>;
  announceStop(): void;
  cut(): void;
  stop(): Promise<void>;
};

type OpenedParts = Required<Pick<ServerOptions, 'opened' | 'dataset'>>;

export async function startAlone(config: Config, log: Logger, opened: OpenedParts): Promise<Started> {
  const server = await listen(config, log, opened);
  return { ...server, stop: () => server.close() };
}

export async function startWorkers(config: Config, log: Logger, forward: Log['forward']): Promise<Started> {
  const workers = new Workers(log, forward);
  // Workers that are all replaced at once would get another free port. An address that cannot be used is their error.
  const port = config.port === 0 ? await freePort(config.host).catch(() => 0) : config.port;
  await workers.start(config.workers, port, { [settings.port.variable]: String(port) });
  const checks = new VersionChecks(config.dataDir, (check) => workers.checked(check));
  checks.start();
  return {
    url: serverUrl(config.host, port),
    metrics: () => workers.metrics(),
    announceStop: () => workers.announceStop(),
    cut: () => workers.cut(),
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
