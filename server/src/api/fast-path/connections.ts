/**
 * Connections before Node's HTTP parser sees them. Each read that is exactly one simple request is
 * answered with one write. Any other read goes to Node's parser, with all its limits and timeouts.
 * See docs/decisions/0017 and 0024.
 *
 * With the shared read buffer, a connection that Node's parser reads comes back here between
 * requests. With `data` events it stays with Node. Simple batches are answered only on connections
 * that came back: their answers are large, and what such a connection does not read is counted
 * against the limit of the process (docs/decisions/0042).
 *
 * Until Node has a connection, this file does what Node would do: it closes a connection that is
 * idle, whose client does not read, or when the server stops, and it stops reading while answers
 * are not read.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  STALLED_MS,
  TIMEOUT_CHECK_MS,
} from '../../http/limits.ts';
import { refuseOnSocket } from '../../http/server/client-error.ts';
import type { ReadMode } from '../../http/server/paced-connections.ts';
import type { RequestPacer } from '../../http/server/request-pacer.ts';
import { type OnRead, SharedBufferSocket } from '../../http/server/shared-buffer-socket.ts';
import { RecognisedRequest } from './recognised-request.ts';

export type FastPathAnswers = {
  /**
   * Answers a simple request; undefined leaves it to Node. The bytes are valid only during the
   * call. `mayWait`: Node does not have the connection, so that an answer may come later.
   */
  answer(
    bytes: Buffer,
    request: RecognisedRequest,
    connection: FastPathConnection,
    mayWait: boolean,
  ): Buffer | undefined | Promise<Buffer | undefined>;
  /** To be called when an answer has been sent: its memory is used for the next one. */
  release(answer: Buffer): void;
};

/**
 * A client that has just been answered may send its next request before it notices that the server
 * is stopping.
 */
const LINGER_MS = 250;

type NodeListener = (this: Server, socket: Socket) => void;

export class FastPathConnections {
  readonly #server: Server;
  readonly #nodeListener: NodeListener;
  readonly #answers: FastPathAnswers;
  readonly #readMode: ReadMode;
  readonly #request = new RecognisedRequest();
  /** Connections that Node does not have. */
  readonly #open = new Set<FastPathConnection>();
  /**
   * Connections that Node has, with a simple answer that the client's system did not accept at
   * once.
   */
  readonly #unread = new Set<FastPathConnection>();
  readonly #timer: NodeJS.Timeout;
  #isStopping = false;
  /** Coarse, so that a request does not read the clock. */
  nowMs = performance.now();

  /** Takes over the connections of the server from its own listener. */
  constructor(server: Server, answers: FastPathAnswers, readMode: ReadMode) {
    this.#server = server;
    this.#answers = answers;
    this.#readMode = readMode;
    // The only listener, of `paceConnections`, which starts Node's parser on a connection.
    this.#nodeListener = server.listeners('connection')[0] as NodeListener;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#accept(socket));
    this.#timer = setInterval(() => this.#closeOverdue(), TIMEOUT_CHECK_MS).unref();
  }

  /** From now on every request is Node's, which answers it with `Connection: close`. */
  drain(): void {
    this.#isStopping = true;
  }

  /**
   * Closes connections that wait for a request, after those under way have had the time to arrive.
   */
  stop(): void {
    this.drain();
    clearInterval(this.#timer);
    setTimeout(() => {
      for (const connection of this.#open) if (!connection.isBusy) connection.socket.end();
    }, LINGER_MS);
  }

  destroyAll(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  #accept(accepted: Socket): void {
    if (this.#isStopping) {
      this.#nodeListener.call(this.#server, accepted);
      return;
    }
    const socket =
      this.#readMode === 'shared-buffer' ? SharedBufferSocket.take(accepted) : accepted;
    // The exact time: the coarse one may be old after a pause of the process, and would shorten the
    // timeout.
    const connection = new FastPathConnection(socket, performance.now());
    this.#open.add(connection);
    connection.onRead = (bytes, size) => this.#read(connection, bytes, size);
    connection.onClose = () => this.#open.delete(connection);
    connection.listen();
  }

  #read(connection: FastPathConnection, bytes: Buffer, size: number): void {
    if (connection.pacer !== undefined) {
      this.#readBetweenRequests(connection, connection.pacer, bytes, size);
      return;
    }
    connection.lastReadMs = this.nowMs;
    // The socket is closing: a request that cannot be answered must not be counted.
    if (connection.socket.writableEnded) return;
    if (this.#isStopping || !this.#request.recognise(bytes, size)) {
      this.#handOver(connection, bytes.subarray(0, size));
      return;
    }
    const answer = this.#answers.answer(bytes, this.#request, connection, true);
    if (answer instanceof Promise)
      void this.#finishLater(connection, Buffer.from(bytes.subarray(0, size)), answer);
    else if (answer === undefined) this.#handOver(connection, bytes.subarray(0, size));
    else this.#write(connection, answer);
  }

  /** Stops reading from a client that does not read its answers. */
  #write(connection: FastPathConnection, answer: Buffer): void {
    connection.isNew = false;
    if (!this.#send(connection, answer)) connection.socket.pause();
  }

  /** False if the client's system did not accept the answer at once. */
  #send({ socket }: FastPathConnection, answer: Buffer): boolean {
    if (!(socket instanceof SharedBufferSocket)) return socket.write(answer);
    socket.send(answer);
    if (socket.hasUnsent) return false;
    this.#answers.release(answer);
    return true;
  }

  /**
   * On a connection that Node has, a simple request is answered if nothing else is due and storage
   * need not be asked.
   */
  #readBetweenRequests(
    connection: FastPathConnection,
    pacer: RequestPacer,
    bytes: Buffer,
    size: number,
  ): void {
    connection.lastReadMs = this.nowMs;
    if (!this.#isStopping && pacer.isBetweenRequests && this.#request.recognise(bytes, size)) {
      const answer = this.#answers.answer(bytes, this.#request, connection, false);
      if (answer !== undefined && !(answer instanceof Promise)) {
        // Node's timeout is that of an idle connection.
        if (!this.#send(connection, answer)) {
          this.#unread.add(connection);
          connection.socket.once('drain', () => this.#answers.release(answer));
        }
        return;
      }
    }
    pacer.receive(bytes.subarray(0, size));
  }

  /**
   * Neither a second request nor the end of the client's side is read before the first request is
   * answered.
   */
  async #finishLater(
    connection: FastPathConnection,
    bytes: Buffer,
    later: Promise<Buffer | undefined>,
  ): Promise<void> {
    const { socket } = connection;
    connection.isBusy = true;
    socket.pause();
    // After a failure Node's path handles the request again, and its error handler answers.
    const answer = await later.catch(() => undefined);
    connection.isBusy = false;
    if (socket.destroyed) return;
    if (answer === undefined) {
      this.#handOver(connection, bytes);
      return;
    }
    this.#write(connection, answer);
    if (this.#isStopping) socket.end();
    else if (!connection.isUnread) socket.resume();
  }

  #handOver(connection: FastPathConnection, bytes: Buffer): void {
    const { socket } = connection;
    this.#open.delete(connection);
    connection.unlisten();
    if (socket instanceof SharedBufferSocket) {
      this.#nodeListener.call(this.#server, socket);
      connection.pacer = socket.pacer;
      socket.pacer?.receive(bytes);
      return;
    }
    socket.pause();
    socket.unshift(bytes);
    this.#nodeListener.call(this.#server, socket);
    socket.resume();
  }

  #closeOverdue(): void {
    this.nowMs = performance.now();
    for (const connection of this.#unread) {
      const { socket, lastReadMs } = connection;
      if (this.nowMs - lastReadMs > STALLED_MS && hasUnsent(socket)) socket.destroy();
      if (!hasUnsent(socket) || socket.destroyed) this.#unread.delete(connection);
    }
    for (const connection of this.#open) {
      const { socket } = connection;
      const quietMs = this.nowMs - connection.lastReadMs;
      if (hasUnsent(socket)) {
        if (quietMs > STALLED_MS) socket.destroy();
      } else if (connection.isNew ? quietMs > HEADERS_TIMEOUT_MS : quietMs > KEEP_ALIVE_MS) {
        if (connection.isBusy) continue;
        if (connection.isNew) refuseOnSocket(socket, 'REQUEST_TIMEOUT');
        // It was closed at the last check, and its client has not closed its side.
        else if (socket.writableEnded) socket.destroy();
        else socket.end();
      }
    }
  }
}

export class FastPathConnection {
  readonly socket: Socket;
  lastReadMs: number;
  isNew = true;
  isBusy = false;
  /** Whether it comes from a trusted proxy; undefined until it is first needed. */
  isProxy: boolean | undefined;
  #secret = '';
  /** Defined once Node has the connection, if it is read into the shared buffer. */
  pacer: RequestPacer | undefined;
  onRead: OnRead = () => {};
  onClose: () => void = () => {};
  readonly #onDrain = () => this.socket.resume();
  readonly #onEnd = () => this.socket.end();
  readonly #onError = () => this.socket.destroy();
  readonly #onClosed = () => this.onClose();
  readonly #onData = (bytes: Buffer) => this.onRead(bytes, bytes.length);

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.lastReadMs = nowMs;
  }

  listen(): void {
    const { socket } = this;
    socket
      .on('error', this.#onError)
      .on('close', this.#onClosed)
      .on('end', this.#onEnd)
      .on('drain', this.#onDrain);
    if (socket instanceof SharedBufferSocket) socket.onRead = this.onRead;
    else socket.on('data', this.#onData);
  }

  unlisten(): void {
    this.socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('close', this.#onClosed)
      .off('error', this.#onError);
  }

  /** Reuses the string of the last request if the bytes are the same: most clients use one key. */
  secretOf(bytes: Buffer, { secretStart, secretEnd }: RecognisedRequest): string {
    const secret = this.#secret;
    let isSame = secret.length === secretEnd - secretStart;
    for (let i = 0; isSame && i < secret.length; i++)
      isSame = secret.charCodeAt(i) === bytes[secretStart + i];
    if (!isSame) this.#secret = bytes.toString('latin1', secretStart, secretEnd);
    return this.#secret;
  }

  /** An answer was not accepted by the client's system, and `drain` will say when it was. */
  get isUnread(): boolean {
    const { socket } = this;
    return socket instanceof SharedBufferSocket ? socket.hasUnsent : socket.writableNeedDrain;
  }
}

function hasUnsent(socket: Socket): boolean {
  return socket instanceof SharedBufferSocket ? socket.hasUnsent : socket.writableLength > 0;
}
