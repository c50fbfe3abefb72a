/** One connection on which requests are sent as bytes, one after the other, each answer awaited. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** How long nothing may come before the connection is closed: the server is busy, or waits for the rest of a request. */
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
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** All that comes back: one answer, or several, or what came before the server closed or went quiet. */
  async ask(...pieces: readonly string[]): Promise<string> {
    this.#received = '';
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      this.#socket.write(piece, 'latin1');
    }
    const request = pieces.join('');
    const quietMs = request.includes('\r\n\r\n') ? BUSY_MS : INCOMPLETE_MS;
    while (!isComplete(this.#received, request.startsWith('HEAD ')) && !this.isClosed) {
      const before = this.#received;
      const timer = setTimeout(() => this.#wake(), quietMs);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(timer);
      if (this.#received === before) {
        this.close();
        break;
      }
    }
    return this.#received;
  }

  close(): void {
    this.isClosed = true;
    this.#socket.destroy();
  }
}

/** Whether the text is one answer, with all of its body. An interim answer may come before it. */
function isComplete(received: string, isHead: boolean): boolean {
  const text = received.replace('HTTP/1.1 100 Continue\r\n\r\n', '');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1 || isHead) return end !== -1;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}
