/** A web server on the loopback that answers as a test tells it to, and remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `turn` counts the requests for this path, from 0. */
export type Answer = (response: ServerResponse, request: IncomingMessage, turn: number) => void;

export type LoopbackServer = {
  readonly url: string;
  readonly routes: Map<string, Answer>;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  reset(): void;
  close(): Promise<void>;
};

export async function startLoopbackServer(): Promise<LoopbackServer> {
  const routes = new Map<string, Answer>();
  const asked: LoopbackServer['asked'] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const turn = asked.filter((earlier) => earlier.path === path).length;
    asked.push({ path, headers: request.headers });
    const answer = routes.get(path);
    if (answer === undefined) response.writeHead(404).end('nothing here');
    else answer(response, request, turn);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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

/** Sends the beginning of a body, and breaks the connection once it has arrived: what is still on its way would be lost with it. */
export function cutOff(response: ServerResponse, beginning: Buffer | string, hasArrived: () => boolean): void {
  response.write(beginning);
  const watch = setInterval(() => {
    if (!hasArrived()) return;
    clearInterval(watch);
    response.destroy();
  }, 5);
}
