/**
 * Gives Node's HTTP parser one request of a connection at a time. Node parses every request of a
 * read at once, and each becomes objects, and often an answer, before the first one has been sent;
 * 58 kB of pipelined requests took 400 MB that way. Here the bytes wait until the answer before
 * them has been sent and read (docs/decisions/0022):
 *
 *   expecting a request:  bytes up to the next empty line, which ends a header; nothing while the
 *                         last answer is unread
 *   receiving a body:     its length in bytes; if chunked, bytes up to the next empty line
 *   answering:            nothing
 *   closing:              nothing: no further request is processed after `Connection: close`
 *                         (RFC 9112 §9.6)
 *
 * Only the size of what the parser gets at a time is decided here. Where a request ends is decided
 * by the parser, so the two cannot disagree about it.
 *
 * A client that closes its side early (`nc -N`) still gets its answers: the end is passed on when
 * none is due any more.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HeldBytes } from './held-bytes.ts';

/** Ends a header, and a chunked body without trailers (RFC 9112 §7.1). */
const EMPTY_LINE = Buffer.from('\r\n\r\n');
/** Without an empty line in sight, the parser gets this much at a time. */
const UNFRAMED_BYTES = 1024;
/**
 * A closed side may mean a client that is gone; sending shows it. RFC 2518 §10.1 has an interim
 * answer for that.
 */
const PROBES_MS = [250, 500];

export type PacedConnection = Duplex & {
  /** The parser has used the bytes when this returns. */
  parse(bytes: Buffer): void;
  /** Tells the parser that the client has closed its side. */
  parseEnd(): void;
  /** Whether the parser takes bytes at present. */
  readonly isParsing: boolean;
  /** Whether something was written that the client's system has not accepted. */
  readonly hasUnsent: boolean;
  setReading(isReading: boolean): void;
};

/** What the connections of a process hold together, and whose turn it is. */
export type PacerMemory = {
  readonly unread: HeldBytes<Duplex>;
  readonly bodies: HeldBytes<Duplex>;
  readonly turns: { take(work: () => void): void };
};

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isAnswered: boolean;
};

export function pacerOf(
  connection: Duplex & { readonly pacer?: RequestPacer | undefined },
): RequestPacer | undefined {
  return connection.pacer;
}

export class RequestPacer {
  readonly #connection: PacedConnection;
  readonly #memory: PacerMemory;
  #waiting: Buffer[] = [];
  /** The last request that the parser has found, and the number of requests so far. */
  #exchange: Exchange | undefined;
  /**
   * Requests without an answer: more than one if the parser finds a second where none was expected.
   */
  readonly #pending: Exchange[] = [];
  #requests = 0;
  /** How much of its body the parser has had. */
  #bodyBytes = 0;
  /** The parser is at work: it must not be given more from within. */
  #isFeeding = false;
  #isReading = true;
  /** The parser has had exactly the bytes of whole requests. */
  #isAtStart = false;
  #isClosing = false;
  #hasEnded = false;
  #hasPassedEnd = false;
  #probes: NodeJS.Timeout[] = [];

  constructor(connection: PacedConnection, memory: PacerMemory) {
    this.#connection = connection;
    this.#memory = memory;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Whether the next byte certainly begins a request. Not after a chunked body: the parser may have
   * more bytes.
   */
  get isBetweenRequests(): boolean {
    return (
      this.#isAtStart &&
      this.#exchange?.isAnswered === true &&
      this.#waiting.length === 0 &&
      !this.#isClosing &&
      !this.#hasEnded &&
      !this.#connection.hasUnsent
    );
  }

  get due(): ServerResponse | undefined {
    return this.#pending.filter(({ request }) => request.complete).at(-1)?.response;
  }

  /** Whether an answer has begun and has not ended, so that nothing else may be sent. */
  get isAnswering(): boolean {
    return this.#pending.some(({ response }) => response.headersSent);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const exchange = { request, response, isAnswered: false };
    this.#exchange = exchange;
    this.#pending.push(exchange);
    this.#requests++;
    this.#bodyBytes = 0;
    response.once('close', () => {
      exchange.isAnswered = true;
      this.#pending.splice(this.#pending.indexOf(exchange), 1);
      this.#memory.bodies.remove(this.#connection);
      if (!response.shouldKeepAlive) this.close();
      if (this.#waiting.length > 0) this.#memory.turns.take(() => this.feed());
      else this.feed();
    });
  }

  /** The bytes are used only during the call: what has to wait is copied. */
  receive(bytes: Buffer): void {
    if (this.#isClosing) return;
    // Bytes arrived, so the connection is reading, whatever was requested last. `feed` stops it
    // again if some of them have to wait.
    this.#isReading = true;
    const rest = this.#waiting.length === 0 ? this.#feedFrom(bytes) : bytes;
    if (rest.length > 0 && !this.#isClosing) this.#waiting.push(Buffer.from(rest));
    this.feed();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.feed();
    const { response, isAnswered = true } = this.#exchange ?? {};
    if (response === undefined || isAnswered) return;
    if (response.req.httpVersion === '1.1')
      this.#probes = PROBES_MS.map((ms) => setTimeout(() => sendInterim(response), ms));
  }

  /**
   * Gives the parser the next bytes as long as it may have some, and reads on when there are none
   * left.
   */
  feed(): void {
    if (this.#isFeeding) return;
    while (this.#waiting.length > 0 && this.#isExpecting()) {
      const rest = this.#feedFrom(this.#waiting.shift() as Buffer);
      if (rest.length > 0 && !this.#isClosing) this.#waiting.unshift(rest);
    }
    if (this.#waiting.length > 0) this.#setReading(false);
    else if (!this.#hasEnded) this.#setReading(true);
    else if (this.#isExpecting() && !this.#hasPassedEnd) {
      this.#hasPassedEnd = true;
      this.#connection.parseEnd();
    }
  }

  /** A write that had to wait has been accepted by the client's system. */
  written(): void {
    if (this.#waiting.length > 0) this.#memory.turns.take(() => this.feed());
  }

  close(): void {
    this.#isClosing = true;
    this.#waiting = [];
  }

  release(): void {
    for (const probe of this.#probes) clearTimeout(probe);
    this.close();
    this.#memory.unread.remove(this.#connection);
    this.#memory.bodies.remove(this.#connection);
  }

  #setReading(isReading: boolean): void {
    if (this.#isReading === isReading) return;
    this.#isReading = isReading;
    this.#connection.setReading(isReading);
  }

  #isExpecting(): boolean {
    const connection = this.#connection;
    if (this.#isClosing || connection.destroyed || !connection.isParsing) return false;
    if (this.#isReceivingBody()) return true;
    return this.#exchange?.isAnswered !== false && !connection.hasUnsent;
  }

  #isReceivingBody(): boolean {
    return this.#exchange?.request.complete === false;
  }

  /** Returns what the parser may not have yet. */
  #feedFrom(bytes: Buffer): Buffer {
    let rest = bytes;
    while (rest.length > 0 && this.#isExpecting()) {
      const size = this.#isReceivingBody() ? this.#feedBody(rest) : this.#feedHeader(rest);
      rest = rest.subarray(size);
    }
    return rest;
  }

  #feedHeader(bytes: Buffer): number {
    const empty = bytes.indexOf(EMPTY_LINE);
    const size = empty < 0 ? Math.min(bytes.length, UNFRAMED_BYTES) : empty + EMPTY_LINE.length;
    const requests = this.#requests;
    this.#parse(bytes, size);
    this.#isAtStart =
      empty >= 0 && this.#requests === requests + 1 && this.#exchange?.request.complete === true;
    return size;
  }

  #feedBody(bytes: Buffer): number {
    const exchange = this.#exchange;
    const length = exchange?.request.headers['content-length'];
    const isChunked = length === undefined;
    const left = isChunked ? sizeToEmptyLine(bytes) : Math.max(1, Number(length) - this.#bodyBytes);
    const size = Math.min(bytes.length, left);
    this.#bodyBytes += size;
    // The rest of a body whose request was answered already is thrown away.
    if (exchange?.isAnswered === false) this.#memory.bodies.add(this.#connection, size);
    this.#parse(bytes, size);
    this.#isAtStart =
      !isChunked && this.#exchange === exchange && exchange?.request.complete === true;
    return size;
  }

  #parse(bytes: Buffer, size: number): void {
    this.#isFeeding = true;
    try {
      this.#connection.parse(size === bytes.length ? bytes : bytes.subarray(0, size));
    } finally {
      this.#isFeeding = false;
    }
  }
}

function sendInterim(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing();
}

function sizeToEmptyLine(bytes: Buffer): number {
  const start = bytes.indexOf(EMPTY_LINE);
  return start < 0 ? UNFRAMED_BYTES : start + EMPTY_LINE.length;
}
