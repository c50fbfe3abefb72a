/** Connections as Node's HTTP parser sees them: one request at a time (`request-pacer`), in either read mode. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConnectionMemory } from './connection-memory.ts';
import { PacedDuplex } from './paced-duplex.ts';
import { SharedBufferSocket } from './shared-buffer-socket.ts';

/** `data-events` is the fallback where `shared-buffer-check` fails. */
export type ReadMode = 'shared-buffer' | 'data-events';

/** Node's listener for connections of this server gets paced ones from now on. */
export function paceConnections(server: Server, mode: ReadMode): void {
  const memory = new ConnectionMemory();
  const [nodeListener] = server.listeners('connection') as ((this: Server, socket: Duplex) => void)[];
  if (nodeListener === undefined) throw new Error('the server has no listener for connections');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    memory.turns.accepted();
    if (mode === 'data-events') {
      nodeListener.call(server, new PacedDuplex(socket, memory));
      return;
    }
    const shared = socket instanceof SharedBufferSocket ? socket : SharedBufferSocket.take(socket);
    shared.startParser(memory, () => nodeListener.call(server, shared));
  });
}
