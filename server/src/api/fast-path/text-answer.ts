/** Answers and refusals that are made as text, with the fields of Node's path in their order. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { COMMON_HEADERS } from '../../http/envelope.ts';
import { type ApiError, errorBody } from '../../http/errors.ts';
import {
  headerLines,
  lastLines,
  type RateLimitState,
  REQUEST_ID_CHARACTERS,
  rateHeaders,
  writeRequestId,
} from './lookup-answer.ts';

type TextAnswer = {
  readonly status: number;
  /** Media type of the body; JSON unless given. */
  readonly type?: string;
  readonly id?: string;
  /** `Cache-Control`, unless it is that of most answers. */
  readonly caching?: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string | number])[];
  readonly body?: string;
};

const { 'Content-Type': jsonType, ...common } = COMMON_HEADERS;
const commonLines = (caching: string = common['Cache-Control']) =>
  `${headerLines({ ...common, 'Cache-Control': caching })}x-request-id: `;
const COMMON = commonLines();

export function textAnswers(extraHeaders: Readonly<Record<string, string>>) {
  const extraLines = `\r\n${headerLines(extraHeaders)}`.slice(0, -'\r\n'.length);
  return (
    { status, type = jsonType, id = randomUUID(), caching, headers, body }: TextAnswer,
    rate: RateLimitState | undefined,
    nowMs: number,
  ): Buffer => {
    let text = statusLine(status);
    if (body !== undefined) text += `content-type: ${type}\r\n`;
    text += `${caching === undefined ? COMMON : commonLines(caching)}${id}${extraLines}`;
    if (rate !== undefined) {
      text += `\r\nx-ratelimit-limit: ${rate.limit}\r\nx-ratelimit-remaining: ${rate.remaining}`;
      text += `\r\nx-ratelimit-reset: ${rate.resetSeconds}`;
    }
    for (const [name, value] of headers) text += `\r\n${name}: ${value}`;
    if (body === undefined) return Buffer.from(text + lastLines(nowMs));
    return Buffer.from(`${text}\r\ncontent-length: ${Buffer.byteLength(body)}${lastLines(nowMs)}${body}`);
  };
}

const statusLine = (status: number) => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;

export function answerHead(status: number, headers: object, nowMs: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  return `${statusLine(status)}${lines.join('\r\n')}${lastLines(nowMs)}`;
}

const refusalId = Buffer.allocUnsafeSlow(REQUEST_ID_CHARACTERS);

export function writeRefusal(
  error: ApiError,
  rate: RateLimitState | undefined,
  elapsedMs: number,
  nowMs: number,
  extraHeaders: Readonly<Record<string, string>>,
  textOf?: (error: ApiError) => string,
): Buffer {
  const body = textOf?.(error) ?? JSON.stringify(errorBody(error, elapsedMs));
  writeRequestId(refusalId, 0);
  const headers = {
    ...common,
    'x-request-id': refusalId.toString('latin1'),
    ...extraHeaders,
    ...(rate && rateHeaders(rate)),
    ...error.headers,
    'content-type': textOf === undefined ? jsonType : 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  return Buffer.from(`${answerHead(error.row.status, headers, nowMs)}${body}`);
}
