/**
 * A connection as Node's HTTP parser sees it: one request at a time. Node parses every request of a read at once, and
 * each becomes objects, and often an answer, before the first one has been sent; 58 kB of pipelined requests took 400 MB
 * that way. Here the bytes wait until the answer before them has been sent and read:
 *
 *   expecting a request:  bytes up to the next empty line, which ends a header; nothing while the last answer is unread
 *   receiving a body:     as many bytes as its length says; of a chunked body, bytes up to the next empty line
 *   answering:            nothing
 *   closing:              nothing more; RFC 9112 §9.6, after `Connection: close` no further request is processed
 *
 * Only the size of what the parser gets at a time is decided here. Where a request ends is decided by the parser, so the
 * two cannot disagree about it.
 *
 * A client that closes its side early (`nc -N`) still gets its answers: the end is passed on when none is due any more.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { refuseOnSocket } from './client-error.ts';
import { HeldBytes } from './held-bytes.ts';
import { MAX_UNFINISHED_BODY_BYTES, MAX_UNREAD_BYTES } from './limits.ts';

/** Ends a header, and a chunked body without trailers (RFC 9112 §7.1). */
const EMPTY_LINE = '\r\n\r\n';
/** Without an empty line in sight, the parser gets this much at a time. */
const UNFRAMED_BYTES = 1024;
/**
 * A client that has closed its side may be gone altogether, which shows only when it is sent something: its system then
 * resets the connection, and the next write fails. RFC 2518 §10.1 has an interim answer for a request that takes long.
 */
const PROBES_MS = [250, 500];

const PIPELINED_PER_TURN = 8;
/** How long a client may take to close its side after the answer that closes the connection. */
const LINGER_MS = 2_000;

/** What the connections of one process hold together. */
class ConnectionMemory {
  readonly unread = new HeldBytes<PacedSocket>(MAX_UNREAD_BYTES, (connection) => connection.destroy());
  readonly bodies = new HeldBytes<PacedSocket>(MAX_UNFINISHED_BODY_BYTES, (connection) =>
    refuseOnSocket(connection, 'OVERLOADED', { 'Retry-After': '1' }),
  );
  readonly turns = new PipelineTurns();
}

/**
 * Requests that were pipelined wait for a turn of the event loop, a few in each: an answer is often written at once, and
 * one connection after the other would be served to its end before any other connection is read.
 */
class PipelineTurns {
  readonly #waiting: (() => void)[] = [];

  #isScheduled = false;

  take(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const work of this.#waiting.splice(0, PIPELINED_PER_TURN)) work();
      this.#schedule();
    });
  }
}

/** Node's listener for connections of this server gets paced ones from now on. */
export function paceConnections(server: Server): void {
  const memory = new ConnectionMemory();
  const [nodeListener] = server.listeners('connection') as ((this: Server, socket: Duplex) => void)[];
  if (nodeListener === undefined) throw new Error('the server has no listener for connections');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const paced = new PacedSocket(socket, memory);
    nodeListener.call(server, paced);
  });
}

/** To be called with every request, before it is handled. */
export function beginAnswer(request: IncomingMessage, response: ServerResponse): void {
  const socket: Duplex = request.socket;
  if (socket instanceof PacedSocket) socket.begin(request, response);
}

/** The connection itself, which a paced one stands for. */
export function unpaced(socket: Duplex): Duplex {
  return socket instanceof PacedSocket ? socket.socket : socket;
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; isAnswered: boolean };

class PacedSocket extends Duplex {
  readonly socket: Socket;
  readonly #memory: ConnectionMemory;
  /** Read and not yet given to the parser. */
  #waiting: Buffer[] = [];
  /** The last request that the parser has found. */
  #exchange: Exchange | undefined;
  /** How much of its body the parser has had. */
  #bodyBytes = 0;
  #isReady = false;
  #isClosing = false;
  #hasEnded = false;
  #probes: NodeJS.Timeout[] = [];

  constructor(socket: Socket, memory: ConnectionMemory) {
    super({ allowHalfOpen: true, decodeStrings: false, highWaterMark: socket.writableHighWaterMark });
    this.socket = socket;
    this.#memory = memory;
    // Node takes its own listener off a connection that it gives away, and an error without one would end the process.
    this.on('error', () => {});
    this.on('resume', () => this.#feed());
    socket
      .on('data', (bytes: Buffer) => this.#receive(bytes))
      .on('end', () => this.#end())
      .on('timeout', () => this.emit('timeout'))
      .on('error', (error) => this.destroy(error))
      .on('close', () => this.destroy());
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const exchange = { request, response, isAnswered: false };
    this.#exchange = exchange;
    this.#bodyBytes = 0;
    response.once('close', () => {
      exchange.isAnswered = true;
      this.#memory.bodies.remove(this);
      if (!response.shouldKeepAlive) this.#close();
      if (this.#waiting.length > 0) this.#memory.turns.take(() => this.#feed());
      else this.#feed();
    });
  }

  #receive(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#waiting.push(bytes);
    this.#feed();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#feed();
    const { response, isAnswered = true } = this.#exchange ?? {};
    if (response === undefined || isAnswered) return;
    if (response.req.httpVersion === '1.1')
      this.#probes = PROBES_MS.map((ms) => setTimeout(() => sendInterim(response), ms));
  }

  /** Gives the parser the next bytes as long as it may have some, and reads on when there are none left. */
  #feed(): void {
    while (this.#waiting.length > 0 && this.#isExpecting()) this.push(this.#nextBytes());
    if (this.#waiting.length > 0) this.socket.pause();
    else if (!this.#hasEnded) this.socket.resume();
    else if (this.#isExpecting() && !this.readableEnded) this.push(null);
  }

  #isExpecting(): boolean {
    if (this.#isClosing || this.destroyed || !this.#isReady || this.readableFlowing !== true) return false;
    if (this.#isReceivingBody()) return true;
    return this.#exchange?.isAnswered !== false && this.writableLength === 0;
  }

  #isReceivingBody(): boolean {
    return this.#exchange?.request.complete === false;
  }

  #nextBytes(): Buffer {
    const first = this.#waiting.shift() ?? Buffer.alloc(0);
    const isBody = this.#isReceivingBody();
    const size = Math.min(first.length, isBody ? this.#bodySize(first) : sizeToEmptyLine(first));
    if (size < first.length) this.#waiting.unshift(first.subarray(size));
    if (isBody) this.#countBody(size);
    return first.subarray(0, size);
  }

  #bodySize(bytes: Buffer): number {
    const { 'content-length': length } = this.#exchange?.request.headers ?? {};
    return length === undefined ? sizeToEmptyLine(bytes) : Math.max(1, Number(length) - this.#bodyBytes);
  }

  /** The rest of a body whose request was answered already is thrown away. */
  #countBody(bytes: number): void {
    this.#bodyBytes += bytes;
    if (this.#exchange?.isAnswered === false) this.#memory.bodies.add(this, bytes);
  }

  #close(): void {
    this.#isClosing = true;
    this.#waiting = [];
  }

  /** The first call comes when Node begins to read. From then on a push is parsed before it returns. */
  override _read(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    process.nextTick(() => this.#feed());
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#memory.unread.add(this, chunk.length);
    this.socket.write(chunk, encoding, (error) => this.#written(chunk.length, callback, error));
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    const bytes = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
    this.#memory.unread.add(this, bytes);
    const last = chunks.length - 1;
    this.socket.cork();
    for (const [i, { chunk, encoding }] of chunks.entries()) {
      this.socket.write(chunk, encoding, (error) => {
        if (i === last) this.#written(bytes, callback, error);
      });
    }
    this.socket.uncork();
  }

  #written(bytes: number, callback: (error?: Error | null) => void, error?: Error | null): void {
    this.#memory.unread.subtract(this, bytes);
    callback(error);
    if (this.#waiting.length > 0) this.#memory.turns.take(() => this.#feed());
  }

  /**
   * What still comes is read and thrown away: closing a connection with unread bytes resets it, and the client could lose
   * the end of its answer (RFC 9112 §9.6).
   */
  override _final(callback: () => void): void {
    this.#close();
    this.socket.resume();
    this.socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    for (const probe of this.#probes) clearTimeout(probe);
    this.#close();
    this.#memory.unread.remove(this);
    this.#memory.bodies.remove(this);
    this.socket.destroy();
    callback(error);
  }

  // What Node's HTTP server and Fastify use of a net.Socket.

  /** The connection closes when the client has closed its side too. */
  destroySoon(): void {
    if (this.writable) this.end();
    this.socket.setTimeout(LINGER_MS);
    this.once('timeout', () => this.destroy());
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.socket.setTimeout(ms);
    if (onTimeout !== undefined) this.once('timeout', onTimeout);
    return this;
  }

  setNoDelay(isOn?: boolean): this {
    this.socket.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn?: boolean, delayMs?: number): this {
    this.socket.setKeepAlive(isOn, delayMs);
    return this;
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.socket.remotePort;
  }

  get localAddress(): string | undefined {
    return this.socket.localAddress;
  }

  get localPort(): number | undefined {
    return this.socket.localPort;
  }
}

function sendInterim(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing();
}

function sizeToEmptyLine(bytes: Buffer): number {
  const start = bytes.indexOf(EMPTY_LINE);
  return start < 0 ? UNFRAMED_BYTES : start + EMPTY_LINE.length;
}
