/**
 * Questions over TCP, each preceded by its length (RFC 1035 §4.2.2), also ahead of answers (RFC
 * 7766 §6.2.1.1).
 */
import type { Socket } from 'node:net';

/**
 * Without a complete question. Bytes of an incomplete one do not count: a client could send one
 * every few seconds.
 */
const IDLE_MS = 10_000;
/** A question with EDNS has about 300 bytes, and its options may be padding. */
const MAX_QUESTION_BYTES = 4096;
/** A client that does not read its answers gets no more of them until it does. */
const MAX_UNREAD_BYTES = 65_536;
const LENGTH_BYTES = 2;

/**
 * Questions that one connection, and connections that the server, handles per turn of the event
 * loop: together they take about a millisecond.
 */
const QUESTIONS_PER_TURN = 8;
const CONNECTIONS_PER_TURN = 8;

/**
 * Connections that have sent questions ahead, answered in turn: a client with thousands of them
 * delays others by a few.
 */
export class AnswerTurns {
  readonly #waiting = new Set<() => void>();
  #next: NodeJS.Immediate | undefined;

  add(answerSome: () => void): void {
    this.#waiting.add(answerSome);
    this.#next ??= setImmediate(() => this.#answer());
  }

  #answer(): void {
    this.#next = undefined;
    for (const answerSome of [...this.#waiting].slice(0, CONNECTIONS_PER_TURN)) {
      this.#waiting.delete(answerSome);
      answerSome();
    }
    if (this.#waiting.size > 0) this.#next ??= setImmediate(() => this.#answer());
  }
}

/** `respond` returns undefined for what is no question, which ends the connection. */
export function serveConnection(
  socket: Socket,
  respond: (packet: Buffer) => Buffer | undefined,
  onQuestions: () => void,
  turns: AnswerTurns,
): void {
  const timer = setTimeout(() => socket.destroy(), IDLE_MS);
  let received: Buffer = Buffer.alloc(0);
  let hasEnded = false;

  const answerSome = () => {
    if (socket.destroyed) return;
    let at = 0;
    let answered = 0;
    socket.cork();
    while (
      received.length - at >= LENGTH_BYTES &&
      answered < QUESTIONS_PER_TURN &&
      socket.writableLength < MAX_UNREAD_BYTES
    ) {
      const start = at + LENGTH_BYTES;
      const end = start + received.readUInt16BE(at);
      if (end > received.length && end - start <= MAX_QUESTION_BYTES) break;
      const response = end > received.length ? undefined : respond(received.subarray(start, end));
      if (response === undefined) {
        socket.destroy();
        return;
      }
      const length = Buffer.allocUnsafe(LENGTH_BYTES);
      length.writeUInt16BE(response.length);
      socket.write(length);
      socket.write(response);
      at = end;
      answered++;
    }
    socket.uncork();
    received = received.subarray(at);
    if (at > 0) {
      timer.refresh();
      onQuestions();
    }
    // Nothing more is read until then.
    if (socket.writableLength >= MAX_UNREAD_BYTES) return;
    if (answered === QUESTIONS_PER_TURN) turns.add(answerSome);
    else if (hasEnded) socket.end();
    else socket.resume();
  };

  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    socket.pause();
    turns.add(answerSome);
  });
  socket.on('drain', () => turns.add(answerSome));
  socket.on('end', () => {
    hasEnded = true;
    turns.add(answerSome);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(timer));
}
