/**
 * `/metrics` for Prometheus, on a port of its own: it is for the operator, not for clients of the
 * API.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Logger } from '../log/log.ts';
import { packageVersion } from '../version.ts';
import { type MetricsSnapshot, renderMetrics } from './metrics.ts';

export async function startMetricsServer(
  { host, port, log }: { host: string; port: number; log: Logger },
  snapshot: () => MetricsSnapshot | Promise<MetricsSnapshot>,
): Promise<Server> {
  const build = {
    version: packageVersion(),
    node: process.versions.node,
    platform: process.platform,
  };
  const started = { process_start_time_seconds: Math.round(performance.timeOrigin) / 1_000 };
  const server = createServer(async ({ url = '' }, response) => {
    if (url.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const { gauges, ...counts } = await snapshot();
      const text = renderMetrics({ ...counts, gauges: { ...gauges, ...started } }, build);
      response
        .writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
        .end(text);
    } catch (error) {
      log.error({ err: error }, 'metrics could not be rendered');
      response.writeHead(500).end();
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
