// Turns an HTTP response into a result or a WhenceError. It is validated: a proxy may respond with
// a page of its own.
import { redactJson, redactText } from './redact.ts';
import { parseRetryAfter } from './retry.ts';
import { WhenceError } from './whence-error.ts';
import type { Envelope, TimedMeta } from './wire.ts';

export type HttpResponse = { status: number; headers: Headers; body: string };

export type ApiResponse<Data, Meta> = {
  data: Data;
  meta: Meta;
  /**
   * Quota of the key after this request. Absent if the server sent none or the browser hides the
   * headers.
   */
  rateLimit?: RateLimit;
  /** Identifies the request in the server's log; `''` if the server sent none. */
  requestId: string;
};

/** A limit of 2147483647 means unlimited. */
export type RateLimit = { limit: number; remaining: number; resetAt: Date };

type JsonObject = Record<string, unknown>;

/**
 * The casts trust the server to follow the specification: `data` and `meta` are only checked to be
 * objects.
 */
export function parseResponse<Data, Meta>(
  response: HttpResponse,
  apiKey: string,
  now: number,
): ApiResponse<Data, Meta> {
  const { status, headers, body } = response;
  const envelope = parseEnvelope(body);
  if (envelope === undefined || status < 200 || status > 299)
    throw toError(response, envelope, apiKey, now);
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

export function parseEnvelope(body: string): Envelope<JsonObject, TimedMeta> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    // The SyntaxError is not kept as a cause: it quotes the body, which may come from anywhere.
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { data, meta } = value;
  if (!isObject(data) || !isObject(meta)) return undefined;
  const { processing_time_ms } = meta;
  return typeof processing_time_ms === 'number'
    ? { data, meta: { ...meta, processing_time_ms } }
    : undefined;
}

export function toError(
  { status, headers }: HttpResponse,
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
    return new WhenceError(`not a response of the Whence API (HTTP ${status})`, {
      ...fields,
      code: 'BAD_RESPONSE',
    });
  }
  const { error, code, checks } = data;
  // NOT_READY has `checks` next to `error` and `code` instead of `details`.
  const details = isObject(checks) ? { checks } : data['details'];
  return new WhenceError(error, { ...fields, code, ...(isObject(details) && { details }) });
}

/**
 * Browsers hide the header from other origins unless the server exposes it; some responses also
 * have it in `meta`.
 */
export function readRequestId(
  headers: Headers,
  envelope: Envelope<JsonObject, object> | undefined,
): string {
  const { request_id } = (envelope?.meta ?? {}) as JsonObject;
  return headers.get('x-request-id') ?? (typeof request_id === 'string' ? request_id : '');
}

export function readRateLimit(headers: Headers): RateLimit | undefined {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'));
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  const reset = wholeNumber(headers.get('x-ratelimit-reset'));
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined;
  return { limit, remaining, resetAt: new Date(reset * 1000) };
}

/** Twelve digits, because a Date holds no more seconds. */
function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : undefined;
}
