/** Refusals of a plain lookup as bytes, with the same fields in the same order as on Node's path. */
import { COMMON_HEADERS } from '../../http/envelope.ts';
import { type ApiError, errorBody } from '../../http/errors.ts';
import { answerHead } from './answer-head.ts';
import { type RateLimitState, rateHeaders } from './lookup-answer.ts';
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
    'x-request-id': id.toString('latin1'),
    ...extraHeaders,
    ...(rate && rateHeaders(rate)),
    ...error.headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  };
  return Buffer.from(`${answerHead(error.row.status, headers, nowMs)}${body}`);
}
