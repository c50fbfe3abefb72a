/** What never became a request: malformed HTTP, headers that are too large, a client that is too slow. Answered on the bare socket, in the envelope all the same. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './envelope.ts';
import { type ErrorName, errors } from './errors.ts';

export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // The other side is gone, or was answered already.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const name = nameOf(error.code);
  const { status, text } = errors[name];
  const body = JSON.stringify({ data: { error: text, code: name }, meta: { processing_time_ms: 0 } });
  const headers = {
    ...COMMON_HEADERS,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-ID': randomUUID(),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

function nameOf(code: string | undefined): ErrorName {
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'BAD_REQUEST';
}
