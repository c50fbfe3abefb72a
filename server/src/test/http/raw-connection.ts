/** One connection on which requests are sent as bytes, one after the other, each answer awaited. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * How long nothing may come before the connection is closed: the server is busy, or waits for the
 * rest of a request.
 */
const BUSY_MS = 5_000;
const INCOMPLETE_MS = 1_000;

export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #wake: () => void = () => {};
  isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
      this.#wake();
    });
    const close = () => {
      this.isClosed = true;
      this.#wake();
    };
    socket.on('close', close).on('end', close).on('error', close);
    socket.on('timeout', () => this.#wake());
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** The first answer, or what came before the server closed or went quiet. */
  async ask(...pieces: readonly string[]): Promise<string> {
    this.#received = '';
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await serverReads();
      this.#socket.write(piece, 'latin1');
    }
    const request = pieces.join('');
    const quietMs = request.includes('\r\n\r\n') ? BUSY_MS : INCOMPLETE_MS;
    while (answerEnd(this.#received, request.startsWith('HEAD ')) === undefined && !this.isClosed) {
      const before = this.#received;
      this.#socket.setTimeout(quietMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      if (this.#received === before) {
        this.close();
        break;
      }
    }
    // The server closes it, but that may be seen only after the next request was sent.
    if (/\r\nconnection: close\r\n/i.test(this.#received)) this.close();
    // What follows an odd end of the request is answered later, and may or may not be here already.
    const end = answerEnd(this.#received, request.startsWith('HEAD '));
    return end === undefined ? this.#received : this.#received.slice(0, end);
  }

  close(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/**
 * Where the first answer ends, with all of its body; undefined before that. An interim answer may
 * come before it.
 */
function answerEnd(received: string, isHead: boolean): number | undefined {
  const start = received.startsWith(CONTINUE) ? CONTINUE.length : 0;
  const end = received.indexOf('\r\n\r\n', start);
  if (end === -1) return undefined;
  if (isHead || /^HTTP\/1\.1 (?:204|304) /.test(received.slice(start, end))) return end + 4;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(start))?.[1];
  const bodyEnd = end + 4 + Number(length);
  return length !== undefined && received.length >= bodyEnd ? bodyEnd : undefined;
}

/**
 * Resolves when a server in this process has read what was written to it: after a turn of the event
 * loop in which the connection is accepted, one in which it is read, and the rest of the present
 * one.
 */
export async function serverReads(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await nextTurn();
}
