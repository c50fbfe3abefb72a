// Refusals for what never becomes a request: malformed HTTP, large headers, slow clients, tunnels.
// Written to the socket, in the usual envelope, after pending answers.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS, errorBody } from '../envelope.ts';
import { ApiError, type ErrorName } from '../errors.ts';
import { isMeasurement } from './accept-wait.ts';
import { pacerOf } from './request-pacer.ts';

/** As Node's parser makes it: with the bytes that it has refused. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

export function answerClientError(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || isMeasurement(error)) socket.destroy();
  else refuseOnSocket(socket, nameOf(error.code));
}

export function refuseOnSocket(
  socket: Duplex,
  name: ErrorName,
  headers: Readonly<Record<string, string>> = {},
): void {
  // Node removes its listener from a socket that it hands over, and a reset without a listener
  // would end the process.
  socket.on('error', () => socket.destroy());
  afterAnswers(socket, () => {
    // The client has disconnected, or its answer has begun.
    if (!socket.writable || pacerOf(socket)?.isAnswering) socket.destroy();
    else socket.end(render(name, headers));
  });
}

// Calls back when no answer is pending: a refusal comes after the answers to earlier requests (RFC
// 9112 §9.3.2). A request with an incomplete body is not waited for: the refusal is its answer.
function afterAnswers(socket: Duplex, callback: () => void): void {
  const due = pacerOf(socket)?.due;
  if (due === undefined) callback();
  else due.once('close', () => afterAnswers(socket, callback));
}

function render(name: ErrorName, extra: Readonly<Record<string, string>>): string {
  const refusal = new ApiError(name);
  const { status } = refusal.row;
  const body = JSON.stringify(errorBody(refusal, 0));
  const headers = {
    ...COMMON_HEADERS,
    ...refusal.headers,
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
