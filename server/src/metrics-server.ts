/** `/metrics` for Prometheus, on a port of its own: it is for the operator, not for whoever reaches the API. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type MetricsSnapshot, renderMetrics } from './metrics.ts';

export async function startMetricsServer(
  host: string,
  port: number,
  snapshot: () => MetricsSnapshot | Promise<MetricsSnapshot>,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const text = renderMetrics(await snapshot());
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
