/**
 * From an HTTP answer to what the caller gets: the result, or a WhenceError. The server is not believed on its word:
 * between it and us may stand a proxy with pages of its own.
 */
import { redactJson, redactText } from './redact.ts';
import { parseRetryAfter } from './retry.ts';
import { WhenceError } from './whence-error.ts';
import type { Envelope, TimedMeta } from './wire.ts';

export type HttpAnswer = { status: number; headers: Headers; body: string };

export type Answer<Data, Meta> = {
  data: Data;
  meta: Meta;
  /** Of the key, after this request. Absent where the server sent none or the browser hides the headers. */
  rateLimit?: RateLimit;
  /** What to name when asking the server's operator; `''` where the server sent none. */
  requestId: string;
};

/** A limit of 2147483647 means: unlimited. */
export type RateLimit = { limit: number; remaining: number; resetAt: Date };

type JsonObject = Record<string, unknown>;

/** The casts to Data and Meta are the interface's word: of those two, only that they are objects is checked. */
export function readAnswer<Data, Meta>(answer: HttpAnswer, apiKey: string, now: number): Answer<Data, Meta> {
  const { status, headers, body } = answer;
  const envelope = parseEnvelope(body);
  if (envelope === undefined || status < 200 || status > 299) throw readError(answer, envelope, apiKey, now);
  const rateLimit = readRateLimit(headers);
  return {
    data: envelope.data as Data,
    meta: envelope.meta as Meta,
    ...(rateLimit && { rateLimit }),
    requestId: readRequestId(headers, envelope),
  };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseEnvelope(body: string): Envelope<JsonObject, TimedMeta> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // The SyntaxError quotes the body, which is a stranger's; it is not kept, not even as a cause.
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { data, meta } = value;
  if (!isObject(data) || !isObject(meta)) return undefined;
  const { processing_time_ms } = meta;
  return typeof processing_time_ms === 'number' ? { data, meta: { ...meta, processing_time_ms } } : undefined;
}

function readError(
  { status, headers }: HttpAnswer,
  envelope: Envelope<JsonObject, TimedMeta> | undefined,
  apiKey: string,
  now: number,
): WhenceError {
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), now);
  const fields = {
    status,
    requestId: redactText(readRequestId(headers, envelope), apiKey),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
  const data = redactJson(envelope?.data, apiKey);
  if (!isObject(data) || typeof data['error'] !== 'string' || typeof data['code'] !== 'string') {
    return new WhenceError(`the answer (HTTP ${status}) is not of the Whence API`, { ...fields, code: 'BAD_RESPONSE' });
  }
  const { error, code, checks } = data;
  // NOT_READY lays its checks beside error and code; to the caller they are details like any other.
  const details = isObject(checks) ? { checks } : data['details'];
  return new WhenceError(error, { ...fields, code, ...(isObject(details) && { details }) });
}

/** In a browser, the header of another origin is hidden unless the server exposes it; some answers also have it in meta. */
function readRequestId(headers: Headers, envelope: Envelope<JsonObject, object> | undefined): string {
  const { request_id } = (envelope?.meta ?? {}) as JsonObject;
  return headers.get('x-request-id') ?? (typeof request_id === 'string' ? request_id : '');
}

function readRateLimit(headers: Headers): RateLimit | undefined {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'));
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  const reset = wholeNumber(headers.get('x-ratelimit-reset'));
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: new Date(reset * 1000) };
}

/** Twelve digits: as many seconds as a Date can hold. */
function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : undefined;
}
