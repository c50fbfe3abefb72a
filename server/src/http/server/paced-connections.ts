/**
 * Connections as Node's HTTP parser sees them: one request at a time (`request-pacer`), in either
 * read mode.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MAX_UNFINISHED_BODY_BYTES, MAX_UNREAD_BYTES } from '../limits.ts';
import { refuseOnSocket } from './client-error.ts';
import { HeldBytes } from './held-bytes.ts';
import { PacedDuplex } from './paced-duplex.ts';
import type { PacerMemory } from './request-pacer.ts';
import { SharedBufferSocket } from './shared-buffer-socket.ts';

/** `data-events` is the fallback where `shared-buffer-check` fails. */
export type ReadMode = 'shared-buffer' | 'data-events';

/** Node's listener for connections of this server gets paced ones from now on. */
export function paceConnections(server: Server, mode: ReadMode): void {
  const memory = new ConnectionMemory();
  const [nodeListener] = server.listeners('connection') as ((
    this: Server,
    socket: Duplex,
  ) => void)[];
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

const PIPELINED_PER_TURN = 8;
/**
 * libuv accepts one connection per turn, so turns must be short while clients wait to be accepted.
 */
const PIPELINED_WHILE_ACCEPTING = 1;

/** What the connections of one process hold and take together. */
class ConnectionMemory implements PacerMemory {
  readonly unread = new HeldBytes<Duplex>(MAX_UNREAD_BYTES, (connection) => connection.destroy());
  readonly bodies = new HeldBytes<Duplex>(MAX_UNFINISHED_BODY_BYTES, (connection) =>
    refuseOnSocket(connection, 'OVERLOADED', { 'Retry-After': '1' }),
  );
  readonly turns = new PipelineTurns();
}

// Pipelined requests wait for turns of the event loop, so that one connection does not keep others
// from being read.
class PipelineTurns {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;
  #hasAccepted = false;

  /** A connection was accepted in this turn, and more may be waiting. */
  accepted(): void {
    this.#hasAccepted = true;
  }

  take(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const count = this.#hasAccepted ? PIPELINED_WHILE_ACCEPTING : PIPELINED_PER_TURN;
      this.#hasAccepted = false;
      for (const work of this.#waiting.splice(0, count)) work();
      this.#schedule();
    });
  }
}
