/**
 * One keep-alive connection over `node:net`, one request at a time: a fraction of what `node:http`
 * costs a client, and it sends whatever bytes it is given. It reads what the server sends, and no
 * more: every answer has a Content-Length.
 */
import { connect, type Socket } from 'node:net';

export type Outcome =
  /** `body` is empty if it is longer than what is kept. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly head: string;
      readonly body: string;
    }
  /** The connection ended before the answer did. */
  | { readonly kind: 'cut'; readonly reason: string };

const HEAD_END = Buffer.from('\r\n\r\n');
/** Longer ones are batches and lists, which are counted and not looked into. */
const KEPT_BODY_BYTES = 4_096;

export class RawConnection {
  readonly #socket: Socket;
  readonly #onClosed: () => void;
  #onOutcome: ((outcome: Outcome) => void) | undefined;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  /** Head of the answer being read, once it is there. */
  #head: { text: string; status: number; bytes: number; totalBytes: number } | undefined;
  #reason = 'closed';
  answered = 0;
  /** The server said that it closes, or has closed. */
  isOver = false;

  constructor(port: number, onClosed: () => void) {
    this.#onClosed = onClosed;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#reason = error.code ?? error.message;
    });
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#closed());
  }

  send(request: string | Buffer, onOutcome: (outcome: Outcome) => void): void {
    this.#onOutcome = onOutcome;
    this.#socket.write(request);
  }

  close(reason = 'closed'): void {
    this.isOver = true;
    this.#reason = reason;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    const head = this.#head;
    if (head === undefined || head.totalBytes <= KEPT_BODY_BYTES + head.bytes)
      this.#received.push(chunk);
    if (this.#head === undefined) this.#readHead();
    if (this.#head !== undefined && this.#receivedBytes >= this.#head.totalBytes)
      this.#finish(this.#head);
  }

  #readHead(): void {
    const bytes =
      this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received);
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return;
    const text = bytes.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    this.#head = {
      text,
      status: Number(text.slice(9, 12)),
      bytes: end + 4,
      totalBytes: end + 4 + length,
    };
  }

  #finish({
    text,
    status,
    bytes,
    totalBytes,
  }: {
    text: string;
    status: number;
    bytes: number;
    totalBytes: number;
  }) {
    const isKept = totalBytes - bytes <= KEPT_BODY_BYTES;
    const body = isKept ? Buffer.concat(this.#received).toString('utf8', bytes, totalBytes) : '';
    this.#received = [];
    this.#receivedBytes = 0;
    this.#head = undefined;
    this.answered++;
    if (/\r\nconnection: close/i.test(text)) this.close();
    this.#settle({ kind: 'answered', status, head: text, body });
  }

  #closed(): void {
    this.isOver = true;
    this.#onClosed();
    this.#settle({ kind: 'cut', reason: this.#reason });
  }

  #settle(outcome: Outcome): void {
    const onOutcome = this.#onOutcome;
    this.#onOutcome = undefined;
    onOutcome?.(outcome);
  }
}
