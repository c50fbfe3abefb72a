/**
 * What never became a request: malformed HTTP, headers that are too large, a client that is too slow, a tunnel. Answered
 * on the bare socket, in the envelope all the same, after the answers that are still due.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS } from './envelope.ts';
import { type ErrorName, errors } from './errors.ts';
import { afterAnswers, isAnswering } from './pending-answers.ts';

export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else refuseOnSocket(socket, nameOf(error.code));
}

/** Sends a refusal and closes the connection. */
export function refuseOnSocket(socket: Duplex, name: ErrorName, headers: Readonly<Record<string, string>> = {}): void {
  // Node takes its own listener off a socket that it gives away, and a reset without one would end the process.
  socket.on('error', () => socket.destroy());
  afterAnswers(socket, () => {
    // The client has gone, or has been answered already.
    if (!socket.writable || isAnswering(socket)) socket.destroy();
    else socket.end(render(name, headers));
  });
}

function render(name: ErrorName, extra: Readonly<Record<string, string>>): string {
  const { status, text } = errors[name];
  const body = JSON.stringify({ data: { error: text, code: name }, meta: { processing_time_ms: 0 } });
  const headers = {
    ...COMMON_HEADERS,
    ...extra,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-ID': randomUUID(),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`;
}

function nameOf(code: string | undefined): ErrorName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'BAD_REQUEST';
}
