/** Refusals of a plain lookup as bytes, with the same fields in the same order as on Node's path. */
import { STATUS_CODES } from 'node:http';
import { COMMON_HEADERS } from '../../http/envelope.ts';
import { type ApiError, errorBody } from '../../http/errors.ts';
import { lastLines, type RateLimitState } from './lookup-answer.ts';
import { REQUEST_ID_CHARACTERS, writeRequestId } from './request-id.ts';

const id = Buffer.allocUnsafeSlow(REQUEST_ID_CHARACTERS);

export function writeRefusal(
  error: ApiError,
  rate: RateLimitState | undefined,
  elapsedMs: number,
  nowMs: number,
  extraHeaders: Readonly<Record<string, string>>,
): Buffer {
  const { 'Content-Type': contentType, ...common } = COMMON_HEADERS;
  const body = JSON.stringify(errorBody(error, elapsedMs));
  writeRequestId(id, 0);
  const headers = {
    ...common,
    ...extraHeaders,
    'x-request-id': id.toString('latin1'),
    ...(rate && {
      'x-ratelimit-limit': rate.limit,
      'x-ratelimit-remaining': rate.remaining,
      'x-ratelimit-reset': rate.resetSeconds,
    }),
    ...error.headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  };
  const { status } = error.row;
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  const last = lastLines(nowMs).toString('latin1');
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}${last}${body}`);
}
