/** What answers requests: this process, or workers that share its port. */
import type { Config } from '../../config.ts';
import { serverUrl } from '../../http/server-url.ts';
import type { Log, Logger } from '../../log.ts';
import type { MetricsSnapshot } from '../../metrics/metrics.ts';
import type { Storage } from '../../storage/storage.ts';
import { Workers } from '../../workers.ts';
import { listen } from './listen.ts';

export type Started = {
  readonly url: string;
  metrics(): MetricsSnapshot | Promise<MetricsSnapshot>;
  announceStop(): void;
  cut(): void;
  stop(): Promise<void>;
};

export async function startAlone(config: Config, log: Logger, storage: Storage): Promise<Started> {
  const server = await listen(config, log, storage);
  return { ...server, stop: () => server.close() };
}

export async function startWorkers(config: Config, log: Logger, forward: Log['forward']): Promise<Started> {
  const workers = new Workers(log, forward);
  const { port } = await workers.start(config.workers);
  return {
    url: serverUrl(config.host, port),
    metrics: () => workers.metrics(),
    announceStop: () => workers.announceStop(),
    cut: () => workers.cut(),
    stop: () => workers.stop(),
  };
}
