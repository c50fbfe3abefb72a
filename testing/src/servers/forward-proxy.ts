/**
 * An HTTP proxy on the loopback: forwards plain requests and opens tunnels with CONNECT (RFC 9110
 * §9.3.6). Names of hosts mean what the test says, so that no test needs DNS.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Certificate } from './certificates.ts';

export type ForwardProxy = {
  readonly url: string;
  /** Requests that it got: `CONNECT feeds.example:443`, `GET http://feeds.example/list`. */
  readonly asked: string[];
  /** The Proxy-Authorization of each. */
  readonly credentials: (string | undefined)[];
  /** Answers with this status instead of forwarding the request. */
  refuse: number | undefined;
  close(): Promise<void>;
};

/**
 * `ports` says to which port of the loopback each `host:port` leads. With a certificate, the proxy
 * itself is reached over TLS.
 */
export async function startForwardProxy(
  ports: Readonly<Record<string, number>>,
  certificate?: Certificate,
): Promise<ForwardProxy> {
  const server = certificate === undefined ? createServer() : createTlsServer({ ...certificate });
  const sockets = new Set<Socket>();
  const proxy: ForwardProxy = {
    url: '',
    asked: [],
    credentials: [],
    refuse: undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const note = ({ method, url, headers }: IncomingMessage) => {
    proxy.asked.push(`${method} ${url}`);
    proxy.credentials.push(headers['proxy-authorization']);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    note(incoming);
    const {
      host = '',
      pathname,
      search,
    } = URL.canParse(incoming.url ?? '') ? new URL(incoming.url ?? '') : {};
    const port = ports[host.includes(':') ? host : `${host}:80`];
    const status = proxy.refuse ?? (port === undefined ? 502 : undefined);
    if (status !== undefined) {
      response.writeHead(status).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    request({ host: '127.0.0.1', port, path: `${pathname}${search}`, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    note(incoming);
    const port = ports[incoming.url ?? ''];
    const status = proxy.refuse ?? (port === undefined ? 502 : 200);
    socket.on('error', () => {});
    if (status !== 200 || port === undefined) {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    url: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
  });
}
