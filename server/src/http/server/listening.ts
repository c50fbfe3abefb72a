// Where a server listens, and how it stops without losing requests: closing the socket resets
// queued connections. libuv accepts one per turn of the event loop, so the queue is empty after a
// turn without one.
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/**
 * Connections that wait to be accepted, of which each turn of the event loop takes one: libuv has
 * no option to take more since 1.45. With Node's default of 511, turns of 40 ms overflowed the
 * queue, and the kernel reset connections. `net.core.somaxconn` limits it to 4,096 by default.
 */
export const BACKLOG = 4_096;
/** Clients that connect faster than they are accepted must not keep a server from stopping. */
const MAX_ACCEPT_MS = 1000;
/** The rest of the turn in which the wait begins counts as one. */
const QUIET_TURNS = 2;

/** `inherited`: a socket that is bound already. */
export async function startListening(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
  inherited: Socket | undefined,
): Promise<void> {
  if (inherited === undefined) {
    await app.listen({ host, port, backlog: BACKLOG });
    return;
  }
  // Fastify passes no backlog on for such a socket.
  await app.ready();
  app.server.listen(inherited, BACKLOG);
  await once(app.server, 'listening');
}

/**
 * Open connections stay open until `close` of the HTTP server. Requests on those accepted here wait
 * until the socket is closed: a client answered with `Connection: close` connects again at once,
 * and the queue would never be empty.
 */
export async function stopListening(
  server: HttpServer,
): Promise<{ readonly ended: Promise<void> }> {
  const accepted: Socket[] = [];
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const { pauseOnConnect } = server as { pauseOnConnect?: boolean };
  Object.assign(server, { pauseOnConnect: true });
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => accepted.push(socket));
  const deadlineMs = performance.now() + MAX_ACCEPT_MS;
  for (let quietTurns = 0; quietTurns < QUIET_TURNS && performance.now() < deadlineMs; ) {
    const before = accepted.length;
    await nextTurn();
    quietTurns = accepted.length === before ? quietTurns + 1 : 0;
  }
  // This is the phase after the one in which connections are accepted: nothing is awaited before
  // the socket is closed.
  const ended = new Promise<void>((resolve) => {
    Server.prototype.close.call(server, () => resolve());
  });
  Object.assign(server, { pauseOnConnect });
  server.removeAllListeners('connection');
  for (const listener of listeners) server.on('connection', listener);
  for (const socket of accepted) {
    server.emit('connection', socket);
    socket.resume();
  }
  return { ended };
}

export function serverUrl(host: string, port: number): string {
  // RFC 3986 §3.2.2: an IPv6 address stands in brackets.
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
