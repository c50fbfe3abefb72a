/** Opens the ports of a process. If that fails, the error names the setting. */
import type { AddressInfo } from 'node:net';
import type { Logger } from '../../log/log.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import { startMetricsServer } from '../../metrics/metrics-server.ts';
import type { RunningServer, ServerOptions } from '../../process/server.ts';
import type { Config } from '../../settings/config.ts';
import { listenError } from '../../terminal/setting-errors.ts';

/** Fastify and everything on it. The first of several processes does not need it. */
export const loadServer = () => import('../../process/server.ts');

export async function listen(
  config: Config,
  log: Logger,
  options: ServerOptions,
): Promise<RunningServer> {
  const { startServer } = await loadServer();
  try {
    return await startServer(config, log, () => Date.now(), options);
  } catch (error) {
    const { host, port } = config;
    throw listenError(error, {
      host,
      port,
      hostSetting: 'WHENCE_HOST',
      portSetting: 'WHENCE_PORT',
    });
  }
}

export async function startMetrics(
  { host: apiHost, metrics: address }: Config,
  log: Logger,
  metrics: () => Promise<MetricsSnapshot>,
  onStop: (stop: () => unknown) => void,
): Promise<{ metrics_port?: number }> {
  if (address === undefined) return {};
  const { host = apiHost, port } = address;
  try {
    const server = await startMetricsServer({ host, port, log }, metrics);
    onStop(() => {
      server.close();
      server.closeAllConnections();
    });
    return { metrics_port: (server.address() as AddressInfo).port };
  } catch (error) {
    throw listenError(error, {
      host,
      port,
      hostSetting: 'WHENCE_METRICS_PORT',
      portSetting: 'WHENCE_METRICS_PORT',
    });
  }
}
