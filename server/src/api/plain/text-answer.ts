/** Plain answers that are made as text, with the fields of Node's path in their order. */
import { randomUUID } from 'node:crypto';
import { COMMON_HEADERS } from '../../http/envelope.ts';
import { statusLine } from './answer-head.ts';
import { headerLines, lastLines, type RateLimitState } from './lookup-answer.ts';

type TextAnswer = {
  readonly status: number;
  /** Of the body; JSON unless given. */
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
  const extraLines = headerLines(extraHeaders);
  return (
    { status, type = jsonType, id = randomUUID(), caching, headers, body }: TextAnswer,
    { limit, remaining, resetSeconds }: RateLimitState,
    nowMs: number,
  ): Buffer => {
    let text = statusLine(status);
    if (body !== undefined) text += `content-type: ${type}\r\n`;
    text += `${caching === undefined ? COMMON : commonLines(caching)}${id}\r\n${extraLines}x-ratelimit-limit: ${limit}\r\nx-ratelimit-remaining: ${remaining}`;
    text += `\r\nx-ratelimit-reset: ${resetSeconds}`;
    for (const [name, value] of headers) text += `\r\n${name}: ${value}`;
    if (body === undefined) return Buffer.from(text + lastLines(nowMs));
    return Buffer.from(`${text}\r\ncontent-length: ${Buffer.byteLength(body)}${lastLines(nowMs)}${body}`);
  };
}
