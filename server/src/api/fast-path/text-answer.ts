/** Heads and answers that are made as text, with the fields of Node's path in their order. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { COMMON_HEADERS, errorBody, JSON_TYPE } from '../../http/envelope.ts';
import type { ApiError } from '../../http/errors.ts';
import { headerLines, lastLines, type RateLimitState } from './head-lines.ts';

type Head = {
  readonly status: number;
  readonly id: string;
  /** Media type of the body. */
  readonly type?: string;
  readonly rate: RateLimitState | undefined;
  /** Names in lower case, as Node's path sends them. */
  readonly fields: readonly (readonly [name: string, value: string | number])[];
};

const { 'Content-Type': _, ...withoutType } = COMMON_HEADERS;
const COMMON = `${headerLines(withoutType)}x-request-id: `;

export class TextAnswers {
  /** What the settings add to every answer. */
  readonly #extra: string;

  constructor(extraHeaders: Readonly<Record<string, string>>) {
    this.#extra = headerLines(extraHeaders);
  }

  /** Up to the blank line, for a body of `length` bytes; undefined for none. */
  head(
    { status, id, type, rate, fields }: Head,
    length: number | undefined,
    nowMs: number,
  ): string {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
    if (type !== undefined) text += `content-type: ${type}\r\n`;
    text += `${COMMON}${id}\r\n${this.#extra}`;
    if (rate !== undefined) {
      text += `x-ratelimit-limit: ${rate.limit}\r\nx-ratelimit-remaining: ${rate.remaining}\r\n`;
      text += `x-ratelimit-reset: ${rate.resetSeconds}\r\n`;
    }
    for (const [name, value] of fields) text += `${name}: ${value}\r\n`;
    if (length !== undefined) text += `content-length: ${length}\r\n`;
    return text + lastLines(nowMs);
  }

  write(head: Head, body: string | undefined, nowMs: number): Buffer {
    if (body === undefined) return Buffer.from(this.head(head, undefined, nowMs));
    return Buffer.from(this.head(head, Buffer.byteLength(body), nowMs) + body);
  }

  refuse(
    error: ApiError,
    rate: RateLimitState | undefined,
    elapsedMs: number,
    nowMs: number,
  ): Buffer {
    const fields = Object.entries(error.headers).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    // Node's path sets the type again when it renders a refusal: it comes last there.
    fields.push(['content-type', JSON_TYPE]);
    const head = { status: error.row.status, id: randomUUID(), rate, fields };
    return this.write(head, JSON.stringify(errorBody(error, elapsedMs)), nowMs);
  }
}
