/** The ports that a process listens on. One that cannot be had is a sentence with the setting that names it. */
import type { AddressInfo } from 'node:net';
import type { Config } from '../../config.ts';
import type { Logger } from '../../log.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import { startMetricsServer } from '../../metrics/metrics-server.ts';
import { type RunningServer, startServer } from '../../server.ts';
import type { Storage } from '../../storage/storage.ts';
import { listenError } from '../../terminal/listen-errors.ts';

export async function listen(config: Config, log: Logger, storage?: Storage): Promise<RunningServer> {
  try {
    return await startServer(config, log, () => Date.now(), storage);
  } catch (error) {
    const { host, port } = config;
    throw listenError(error, { host, port, hostSetting: 'WHENCE_HOST', portSetting: 'WHENCE_PORT' });
  }
}

export async function startMetrics(
  { metricsHost: host, metricsPort: port }: Config,
  log: Logger,
  metrics: () => Promise<MetricsSnapshot>,
  onStop: (stop: () => unknown) => void,
): Promise<{ metrics_port?: number }> {
  if (port === undefined) return {};
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
      hostSetting: 'WHENCE_METRICS_HOST',
      portSetting: 'WHENCE_METRICS_PORT',
    });
  }
}
