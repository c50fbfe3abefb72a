/** A web server on the loopback that answers as a test defines, and records its requests. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

/** `turn` counts the requests for this path, from 0. */
export type Answer = (response: ServerResponse, request: IncomingMessage, turn: number) => void;

export type LoopbackServer = {
  readonly url: string;
  readonly port: number;
  readonly routes: Map<string, Answer>;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  reset(): void;
  close(): Promise<void>;
};

/** With a certificate it serves https:. */
export async function startLoopbackServer(certificate?: Certificate): Promise<LoopbackServer> {
  const routes = new Map<string, Answer>();
  const asked: LoopbackServer['asked'] = [];
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const turn = asked.filter((earlier) => earlier.path === path).length;
    asked.push({ path, headers: request.headers });
    const answer = routes.get(path);
    if (answer === undefined) response.writeHead(404).end('nothing here');
    else answer(response, request, turn);
  };
  const server =
    certificate === undefined
      ? createServer(respond)
      : createTlsServer({ ...certificate }, respond);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    routes,
    asked,
    reset() {
      routes.clear();
      asked.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Sends the beginning of a body, and breaks the connection once it has arrived: unsent data would
 * be lost with it.
 */
export function cutOff(
  response: ServerResponse,
  beginning: Buffer | string,
  hasArrived: () => boolean,
): void {
  response.write(beginning);
  const watch = setInterval(() => {
    if (!hasArrived()) return;
    clearInterval(watch);
    response.destroy();
  }, 5);
}
