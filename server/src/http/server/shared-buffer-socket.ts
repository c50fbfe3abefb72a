// A connection that is read into one buffer for the whole process: a `data` event costs 8 of the 13
// µs of user time that Node takes per request (docs/decisions/0024). `onread` is documented; giving
// an accepted handle to a second net.Socket, and `_consumed`, which keeps Node's parser from
// reading it, are not: `shared-buffer-check` tries both.
import { type Server, Socket, type SocketConstructorOpts } from 'node:net';
import { LINGER_MS } from '../limits.ts';
import { type PacedConnection, type PacerMemory, RequestPacer } from './request-pacer.ts';

/** As much as Node reads at a time. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024);

/** What Node keeps of an accepted connection, and is not in its types. */
type Accepted = {
  _handle: { _consumed?: boolean } | null;
  _server: Server | null;
  server: Server | null;
};

/** The bytes from 0 to `size` of the buffer are those of the read, until the call returns. */
export type OnRead = (buffer: Buffer, size: number) => void;

type Reader = { onRead: OnRead };

export class SharedBufferSocket extends Socket implements PacedConnection {
  /** Defined from the first request that Node's parser gets. */
  pacer: RequestPacer | undefined;
  #memory: PacerMemory | undefined;
  readonly #reader: Reader;
  /** Node has set up its parser, and takes what is read. */
  #hasParser = false;
  #isWanted = false;
  /** Bytes left of an answer that was sent past the queue. */
  #unsentBytes = 0;
  #isWaiting = false;

  private constructor(handle: object, highWaterMark: number) {
    // An object of its own, because there is no `this` yet.
    const reader: Reader = { onRead: () => {} };
    const callback = (size: number) => {
      reader.onRead(buffer, size);
      return true;
    };
    const options = {
      handle,
      allowHalfOpen: true,
      readableHighWaterMark: highWaterMark,
      writableHighWaterMark: highWaterMark,
      onread: { buffer, callback },
    };
    // `handle` is not in the types.
    super(options as SocketConstructorOpts);
    this.#reader = reader;
    this.onRead = (bytes, size) => this.pacer?.receive(bytes.subarray(0, size));
    // Node takes its own listener off a connection that it gives away, and an error without one
    // would end the process.
    this.on('error', () => {});
  }

  /** Takes a connection over from the socket that Node has made for it. */
  static take(accepted: Socket): SharedBufferSocket {
    const before = accepted as unknown as Accepted;
    const { _handle: handle, _server: server } = before;
    if (handle === null) throw new Error('the connection has no handle');
    const socket = new SharedBufferSocket(handle, accepted.writableHighWaterMark);
    // As in Node, which counts connections by these.
    Object.assign(socket, { server, _server: server });
    before._handle = null;
    before._server = null;
    return socket;
  }

  /**
   * What is read goes to this function instead of the parser. It passes on what it does not answer.
   */
  set onRead(onRead: OnRead) {
    this.#reader.onRead = onRead;
  }

  /**
   * Lets Node's parser have what the pacer passes on. `listener` is Node's own for new connections.
   */
  startParser(memory: PacerMemory, listener: () => void): RequestPacer {
    this.#memory = memory;
    this.pacer = new RequestPacer(this, memory);
    const { _handle: handle } = this as unknown as Accepted;
    if (handle !== null) handle._consumed = true;
    super.resume();
    listener();
    this.#hasParser = true;
    this.#isWanted = true;
    return this.pacer;
  }

  parse(bytes: Buffer): void {
    this.emit('data', bytes);
  }

  parseEnd(): void {
    super.push(null);
    this.read(0);
  }

  get isParsing(): boolean {
    return this.#hasParser && this.#isWanted;
  }

  setReading(isReading: boolean): void {
    if (isReading) super.resume();
    else super.pause();
  }

  /** Whether something was written that the client's system has not accepted. */
  get hasUnsent(): boolean {
    return this.#unsentBytes > 0 || this.writableLength > 0;
  }

  /**
   * Writes past the stream's queue, which costs more than the write, if it is empty. Emits `drain`
   * when sent.
   */
  send(answer: Buffer): void {
    if (this.hasUnsent || this.writableEnded) {
      this.write(answer);
      return;
    }
    this.#unsentBytes = answer.length;
    // Node's name for bytes that are not text; not in the types.
    super._write(answer, 'buffer' as BufferEncoding, this.#onSent);
    if (this.#unsentBytes > 0) this.#memory?.unread.add(this, this.#unsentBytes);
    this.#isWaiting = this.#unsentBytes > 0;
  }

  readonly #onSent = (error?: Error | null): void => {
    const bytes = this.#unsentBytes;
    this.#unsentBytes = 0;
    if (error) this.destroy(error);
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#memory?.unread.subtract(this, bytes);
    this.emit('drain');
    this.pacer?.written();
  };

  /**
   * Node, when the body of a request or an answer cannot take more: the parser gets nothing for a
   * while.
   */
  override pause(): this {
    if (this.pacer === undefined) return super.pause();
    this.#isWanted = false;
    return this;
  }

  override resume(): this {
    if (this.pacer === undefined) return super.resume();
    this.#isWanted = true;
    this.pacer.feed();
    return this;
  }

  /** Node calls it with null when the client has closed its side, and with nothing else. */
  override push(chunk: null): boolean {
    if (this.pacer === undefined) return super.push(chunk);
    if (!this.pacer.isClosing) this.pacer.end();
    else if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
    return false;
  }

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    if (this.#memory === undefined) {
      super._write(chunk, encoding, callback);
      return;
    }
    const pending = new PendingWrite(this, chunk.length, callback);
    super._write(chunk, encoding, pending.finish);
    pending.hold(this.#memory);
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    // Node ends every answer with an empty write. One chunk is written faster without it.
    const filled = chunks.filter(({ chunk }) => chunk.length > 0);
    const [only] = filled;
    if (only !== undefined && filled.length === 1) {
      this._write(only.chunk, only.encoding, callback);
      return;
    }
    const bytes = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
    const pending = new PendingWrite(this, bytes, callback);
    super._writev?.(chunks, pending.finish);
    pending.hold(this.#memory);
  }

  /**
   * Reads and drops what still comes: closing with unread bytes resets the connection (RFC 9112
   * §9.6).
   */
  override _final(callback: (error?: Error | null) => void): void {
    if (this.pacer !== undefined) {
      this.pacer.close();
      super.resume();
      if (this.pacer.hasEnded) this.once('finish', () => this.destroy());
    }
    super._final(callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.pacer?.release();
    super._destroy(error, callback);
  }

  /** The connection closes when the client has closed its side too. */
  override destroySoon(): void {
    if (this.pacer === undefined) {
      super.destroySoon();
      return;
    }
    if (this.writable) this.end();
    const timer = setTimeout(() => this.destroy(), LINGER_MS);
    this.once('close', () => clearTimeout(timer));
  }
}

/**
 * A write that counts as unread from when the client's system does not accept it at once until it
 * does.
 */
class PendingWrite {
  readonly #socket: SharedBufferSocket;
  readonly #bytes: number;
  readonly #callback: (error?: Error | null) => void;
  #isFinished = false;
  #heldIn: PacerMemory | undefined;

  constructor(socket: SharedBufferSocket, bytes: number, callback: (error?: Error | null) => void) {
    this.#socket = socket;
    this.#bytes = bytes;
    this.#callback = callback;
  }

  readonly finish = (error?: Error | null): void => {
    this.#isFinished = true;
    this.#heldIn?.unread.subtract(this.#socket, this.#bytes);
    this.#callback(error);
    if (this.#heldIn !== undefined) this.#socket.pacer?.written();
  };

  hold(memory: PacerMemory | undefined): void {
    if (this.#isFinished || memory === undefined) return;
    this.#heldIn = memory;
    memory.unread.add(this.#socket, this.#bytes);
  }
}
