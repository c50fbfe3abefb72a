/**
 * Connections before Node's HTTP parser sees them. Each read that is exactly one plain lookup is answered with one write.
 * Any other read is put back, and Node handles the connection from then on, with all its limits and timeouts. See
 * docs/decisions/0017.
 *
 * Until then this file does what Node would do: it closes a connection that is idle, whose client does not read, or when
 * the server stops, and it stops reading while answers are not read.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { refuseOnSocket } from '../../http/client-error.ts';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_MS, STALLED_MS, TIMEOUT_CHECK_MS } from '../../http/limits.ts';
import { PlainRequest } from './plain-request.ts';

/** Answers a plain lookup, at once or later. Undefined leaves the request to Node. */
export type AnswerPlain = (
  bytes: Buffer,
  request: PlainRequest,
  connection: PlainConnection,
) => Buffer | undefined | Promise<Buffer | undefined>;

/** A client that has just been answered may send its next request before it notices that the server is stopping. */
const LINGER_MS = 250;

type NodeListener = (this: Server, socket: Socket) => void;

export class PlainConnections {
  readonly #server: Server;
  readonly #nodeListener: NodeListener;
  readonly #answer: AnswerPlain;
  readonly #request = new PlainRequest();
  readonly #open = new Set<PlainConnection>();
  readonly #timer: NodeJS.Timeout;
  #isStopping = false;
  /** Coarse, so that a request does not read the clock. */
  nowMs = performance.now();

  /** Takes over the connections of the server from its own listener. */
  constructor(server: Server, answer: AnswerPlain) {
    this.#server = server;
    this.#answer = answer;
    // The only listener of http.Server, which starts its parser on a connection.
    this.#nodeListener = server.listeners('connection')[0] as NodeListener;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#accept(socket));
    this.#timer = setInterval(() => this.#closeOverdue(), TIMEOUT_CHECK_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /** From now on every request is Node's, which answers it with `Connection: close`. */
  drain(): void {
    this.#isStopping = true;
  }

  /** Closes connections that wait for a request, after those under way have had the time to arrive. */
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

  #accept(socket: Socket): void {
    if (this.#isStopping) {
      this.#nodeListener.call(this.#server, socket);
      return;
    }
    // The exact time: the coarse one may be old after a pause of the process, and would shorten the timeout.
    const connection = new PlainConnection(socket, performance.now());
    this.#open.add(connection);
    connection.onData = (bytes) => this.#read(connection, bytes);
    connection.onClose = () => this.#open.delete(connection);
    connection.listen();
  }

  #read(connection: PlainConnection, bytes: Buffer): void {
    connection.lastReadMs = this.nowMs;
    // The socket is closing: a request that cannot be answered must not be counted.
    if (connection.socket.writableEnded) return;
    if (this.#isStopping || !this.#request.recognise(bytes)) {
      this.#handOver(connection, bytes, !startsLikeLookup(bytes));
      return;
    }
    const answer = this.#answer(bytes, this.#request, connection);
    if (answer instanceof Promise) void this.#finishLater(connection, bytes, answer);
    else if (answer === undefined) this.#handOver(connection, bytes, true);
    else connection.write(answer);
  }

  /** Neither a second request nor the end of the client's side is read before the first request is answered. */
  async #finishLater(connection: PlainConnection, bytes: Buffer, later: Promise<Buffer | undefined>): Promise<void> {
    const { socket } = connection;
    connection.isBusy = true;
    socket.pause();
    // After a failure Node's path handles the request again, and its error handler answers.
    const answer = await later.catch(() => undefined);
    connection.isBusy = false;
    if (socket.destroyed) return;
    if (answer === undefined) {
      this.#handOver(connection, bytes, true);
      return;
    }
    connection.write(answer);
    if (this.#isStopping) socket.end();
    else if (!socket.writableNeedDrain) socket.resume();
  }

  /** `isReturnable`: the connection probably sends plain lookups again after this request. */
  #handOver(connection: PlainConnection, bytes: Buffer, isReturnable: boolean): void {
    const { socket } = connection;
    this.#open.delete(connection);
    connection.unlisten();
    if (isReturnable) returnable.set(socket, 0);
    socket.pause();
    socket.unshift(bytes);
    this.#nodeListener.call(this.#server, socket);
    socket.resume();
  }

  #closeOverdue(): void {
    this.nowMs = performance.now();
    for (const connection of this.#open) {
      const { socket } = connection;
      const quietMs = this.nowMs - connection.lastReadMs;
      if (socket.writableLength > 0) {
        if (quietMs > STALLED_MS) socket.destroy();
      } else if (connection.isNew ? quietMs > HEADERS_TIMEOUT_MS : quietMs > KEEP_ALIVE_MS) {
        if (connection.isBusy) continue;
        if (connection.isNew) refuseOnSocket(socket, 'REQUEST_TIMEOUT');
        else socket.end();
      }
    }
  }
}

export class PlainConnection {
  readonly socket: Socket;
  lastReadMs: number;
  /** No request has been received yet. */
  isNew = true;
  /** An answer is pending. */
  isBusy = false;
  /** Secret of the last request: the next one with the same bytes needs no new string. */
  secret = '';
  onData: (bytes: Buffer) => void = () => {};
  onClose: () => void = () => {};
  readonly #onDrain = () => this.socket.resume();
  readonly #onEnd = () => this.socket.end();
  readonly #onError = () => this.socket.destroy();
  readonly #onClosed = () => this.onClose();
  readonly #onData = (bytes: Buffer) => this.onData(bytes);

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.lastReadMs = nowMs;
  }

  listen(): void {
    this.socket
      .on('error', this.#onError)
      .on('close', this.#onClosed)
      .on('end', this.#onEnd)
      .on('drain', this.#onDrain)
      .on('data', this.#onData);
  }

  unlisten(): void {
    this.socket
      .off('data', this.#onData)
      .off('drain', this.#onDrain)
      .off('end', this.#onEnd)
      .off('close', this.#onClosed)
      .off('error', this.#onError);
  }

  /** Stops reading from a client that does not read its answers. */
  write(answer: Buffer): void {
    this.isNew = false;
    if (!this.socket.write(answer)) this.socket.pause();
  }
}

function startsLikeLookup(bytes: Buffer): boolean {
  return bytes.subarray(0, 11).toString('latin1') === 'GET /v1/ip/';
}

/**
 * Connections on Node's path that sent one request of another kind, with the number of plain lookups since. A proxy keeps
 * its connections open and mixes requests on them; without this, one other request would keep a connection off the fast
 * path for as long as it lives.
 */
const returnable = new WeakMap<Duplex, number>();

/** If one request in a hundred is of another kind, about five of the hundred then miss the fast path. */
const PLAIN_IN_A_ROW = 5;

/** Counts a request on Node's path. True if the connection should close, so that the next one starts on the fast path. */
export function shouldReturn(socket: Duplex, isPlain: boolean): boolean {
  const count = returnable.get(socket);
  if (count === undefined) return false;
  returnable.set(socket, isPlain ? count + 1 : 0);
  return isPlain && count + 1 >= PLAIN_IN_A_ROW;
}
