/**
 * Connections before Node's HTTP parser has seen them. Each read that is exactly one plain lookup is answered with one
 * write; the first that is anything else is put back, and the connection is Node's from then on, with all its limits and
 * time-outs. See docs/decisions/0017.
 *
 * What Node would do for a connection is done here while it is ours: it is closed when it is idle, when its client does
 * not read, and when the server stops, and it is not read while answers are not.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { refuseOnSocket } from '../../http/client-error.ts';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_MS, STALLED_MS, TIMEOUT_CHECK_MS } from '../../http/limits.ts';
import { PlainRequest } from './plain-request.ts';

/** Answers a plain lookup, at once or later. Undefined leaves the request to Node. */
export type AnswerPlain = (
  bytes: Buffer,
  request: PlainRequest,
  connection: PlainConnection,
) => Buffer | undefined | Promise<Buffer | undefined>;

/** A client that has just had an answer sends its next request before it can know that the server stops. */
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
  /** Coarse, so that a request need not ask for the time. */
  nowMs = performance.now();

  /** Takes the connections of the server before its own listener does. */
  constructor(server: Server, answer: AnswerPlain) {
    this.#server = server;
    this.#answer = answer;
    // http.Server has exactly this one, which starts its parser on a connection.
    this.#nodeListener = server.listeners('connection')[0] as NodeListener;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => this.#accept(socket));
    this.#timer = setInterval(() => this.#closeOverdue(), TIMEOUT_CHECK_MS).unref();
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Closes connections that wait for a request, after those under way have had the time to arrive: Node answers them,
   * with `Connection: close`. The others close with their answer.
   */
  stop(): void {
    this.#isStopping = true;
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
    // Not the coarse time, which may be old after a pause of the process: a new connection has its whole time.
    const connection = new PlainConnection(socket, performance.now());
    this.#open.add(connection);
    connection.onData = (bytes) => this.#read(connection, bytes);
    connection.onClose = () => this.#open.delete(connection);
    connection.listen();
  }

  #read(connection: PlainConnection, bytes: Buffer): void {
    connection.lastReadMs = this.nowMs;
    // Too late: nothing can be answered after the end, so nothing may be counted.
    if (connection.socket.writableEnded) return;
    if (connection.isBusy) {
      // A second request before the first is answered: Node keeps the order.
      connection.hold(bytes);
      return;
    }
    if (this.#isStopping || !this.#request.recognise(bytes)) {
      this.#handOver(connection, bytes, !startsLikeLookup(bytes));
      return;
    }
    const answer = this.#answer(bytes, this.#request, connection);
    if (answer instanceof Promise) void this.#finishLater(connection, bytes, answer);
    else if (answer === undefined) this.#handOver(connection, bytes, true);
    else connection.write(answer);
  }

  async #finishLater(connection: PlainConnection, bytes: Buffer, later: Promise<Buffer | undefined>): Promise<void> {
    connection.isBusy = true;
    // What fails is Node's to answer: it asks again and has the error handler.
    const answer = await later.catch(() => undefined);
    connection.isBusy = false;
    if (connection.socket.destroyed) return;
    const held = connection.takeHeld();
    if (answer === undefined) {
      this.#handOver(connection, Buffer.concat([bytes, ...held]), true);
      return;
    }
    connection.write(answer);
    if (this.#isStopping) connection.socket.end();
    else if (held.length > 0) this.#handOver(connection, Buffer.concat(held), false);
  }

  /** `isReturnable`: the connection is expected to send plain lookups again, after a request of another kind. */
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
  /** No request has come yet. */
  isNew = true;
  /** An answer is being made. */
  isBusy = false;
  /** The secret of the last request, so that the next one with the same bytes needs no new string. */
  secret = '';
  onData: (bytes: Buffer) => void = () => {};
  onClose: () => void = () => {};
  #held: Buffer[] = [];
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

  /** A client that does not read its answers is not read either. */
  write(answer: Buffer): void {
    this.isNew = false;
    if (!this.socket.write(answer)) this.socket.pause();
  }

  hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.socket.pause();
  }

  takeHeld(): Buffer[] {
    const held = this.#held;
    this.#held = [];
    if (held.length > 0) this.socket.resume();
    return held;
  }
}

function startsLikeLookup(bytes: Buffer): boolean {
  return bytes.subarray(0, 11).toString('latin1') === 'GET /v1/ip/';
}

/**
 * Connections that Node's path has because of one request of another kind, and how many plain lookups they have sent
 * since. A proxy keeps its connections and mixes requests on them; without this the first odd one would keep a
 * connection off the fast path for good.
 */
const returnable = new WeakMap<Socket, number>();

/** One in a hundred requests of another kind then costs the fast path about five of the hundred. */
const PLAIN_IN_A_ROW = 5;

/** Counts a request on Node's path; true when the connection should be closed, so that its successor is plain again. */
export function shouldReturn(socket: Socket, isPlain: boolean): boolean {
  const count = returnable.get(socket);
  if (count === undefined) return false;
  returnable.set(socket, isPlain ? count + 1 : 0);
  return isPlain && count + 1 >= PLAIN_IN_A_ROW;
}
