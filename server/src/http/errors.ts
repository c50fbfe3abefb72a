/**
 * A proxy that lets requests pass while Whence is away must refuse one that cannot be answered, say for a long path.
 * Sent with all such errors, because the route may not be known.
 */
export const DENIED = { 'X-Whence-Decision': 'deny' };

/**
 * Every refusal of the API. Texts and codes are part of the interface; a row whose `code` is set shares the code of
 * another row. `timed: false` is for those whose `processing_time_ms` the specification fixes at 0.
 *
 * `retryAfterSeconds` is sent as `Retry-After`. Only the daily limit computes its own.
 */
export const errors = {
  BAD_REQUEST: { status: 400, text: 'bad request', timed: true, headers: DENIED },
  INVALID_IP: { status: 400, text: 'invalid IP address', timed: false },
  INVALID_PREFIX: { status: 400, text: 'invalid prefix', timed: true },
  INVALID_ASN: { status: 400, text: 'invalid ASN', timed: true },
  MISSING_QUERY: { status: 400, text: 'missing query parameter', timed: true },
  INVALID_QUERY: { status: 400, text: 'invalid query parameter', timed: true },
  INVALID_VERSION: { status: 400, text: 'invalid dataset version', timed: true },
  INVALID_LIMIT: { status: 400, text: 'invalid limit', timed: true },
  MISSING_DOMAIN: { status: 400, text: 'missing domain parameter', timed: false },
  INVALID_DOMAIN: { status: 400, text: 'invalid domain', timed: true },
  INVALID_SELECTOR: { status: 400, text: 'invalid selector', timed: true },
  TOO_MANY_SELECTORS: { status: 400, text: 'too many selectors', timed: true },
  INVALID_INCLUDE: { status: 400, text: 'invalid include', timed: true },
  INVALID_REQUEST: { status: 400, text: 'invalid request body', timed: true },
  BATCH_TOO_LARGE: { status: 400, text: 'batch size exceeds limit', timed: true },
  UNAUTHORIZED: { status: 401, text: 'unauthorized', timed: false },
  FORBIDDEN: { status: 403, text: 'forbidden', timed: true },
  IP_NOT_FOUND: { status: 404, text: 'no data found for IP', timed: true, code: 'NOT_FOUND' },
  ASN_NOT_FOUND: { status: 404, text: 'no data found for ASN', timed: true, code: 'NOT_FOUND' },
  RULE_SET_NOT_FOUND: { status: 404, text: 'no such rule set', timed: true },
  LIST_NOT_FOUND: { status: 404, text: 'no such list', timed: true },
  DATABASE_NOT_FOUND: { status: 404, text: 'no such database', timed: true },
  VERSION_NOT_FOUND: { status: 404, text: 'no such dataset version', timed: true },
  ROUTE_NOT_FOUND: { status: 404, text: 'route not found', timed: true },
  METHOD_NOT_ALLOWED: { status: 405, text: 'method not allowed', timed: true },
  REQUEST_TIMEOUT: { status: 408, text: 'request timeout', timed: true },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'payload too large', timed: true },
  URI_TOO_LONG: { status: 414, text: 'URI too long', timed: true, headers: DENIED },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'unsupported media type', timed: true },
  RATE_LIMIT_EXCEEDED: { status: 429, text: 'rate limit exceeded', timed: false, retryAfterSeconds: 1 },
  INVALID_RANGE: { status: 416, text: 'range not satisfiable', timed: true },
  HEADERS_TOO_LARGE: { status: 431, text: 'request headers too large', timed: true, headers: DENIED },
  INTERNAL: { status: 500, text: 'internal error', timed: true },
  NOT_READY: { status: 503, text: 'not ready', timed: true },
  DATASET_UNAVAILABLE: { status: 503, text: 'dataset unavailable', timed: true, retryAfterSeconds: 10 },
  DATABASES_NOT_WRITTEN: {
    status: 503,
    text: 'the databases of this server are not written yet',
    timed: true,
    code: 'DATASET_UNAVAILABLE',
    retryAfterSeconds: 10,
  },
  LIST_NOT_WRITTEN: {
    status: 503,
    text: 'this list is not written yet',
    timed: true,
    code: 'DATASET_UNAVAILABLE',
    retryAfterSeconds: 10,
  },
  LIST_UNAVAILABLE: {
    status: 503,
    text: 'no source of this list counts today: run wh dataset update',
    timed: true,
    retryAfterSeconds: 60,
  },
  // A published file that cannot be read stays unreadable until an operator or the next build replaces it.
  VERSION_UNREADABLE: {
    status: 503,
    text: 'dataset unavailable',
    timed: true,
    code: 'DATASET_UNAVAILABLE',
    retryAfterSeconds: 60,
  },
  DNS_UNAVAILABLE: { status: 503, text: 'DNS unavailable', timed: true, isCounted: true, retryAfterSeconds: 5 },
  RULES_UNAVAILABLE: { status: 503, text: 'rules unavailable', timed: true, retryAfterSeconds: 10 },
  STORAGE_UNAVAILABLE: { status: 503, text: 'storage unavailable', timed: true, retryAfterSeconds: 5 },
  OVERLOADED: { status: 503, text: 'overloaded', timed: true, retryAfterSeconds: 1 },
  TOO_MANY_GUESSES: { status: 503, text: 'overloaded', timed: true, code: 'OVERLOADED', retryAfterSeconds: 2 },
  // An email check or a comparison takes seconds, so a full queue does not empty within one.
  QUEUE_FULL: { status: 503, text: 'overloaded', timed: true, code: 'OVERLOADED', retryAfterSeconds: 5 },
} as const satisfies Record<string, Row>;

type Row = {
  readonly status: number;
  readonly text: string;
  readonly timed: boolean;
  /** In `data.code`; the name of the row unless given. */
  readonly code?: string;
  /** The request counts against the daily limit although its status is 500 or above. */
  readonly isCounted?: boolean;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export type ErrorName = keyof typeof errors;

/** An expected refusal. Thrown anywhere, rendered by `http/error-handler`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly row: Row;
  /** Beside `error` and `code` in `data`. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Beside `processing_time_ms` in `meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly code: string;

  constructor(
    name: ErrorName,
    more: {
      extra?: Readonly<Record<string, unknown>>;
      headers?: Readonly<Record<string, string>>;
      meta?: Readonly<Record<string, unknown>>;
      /** Instead of the row's. */
      retryAfterSeconds?: number;
    } = {},
  ) {
    const row: Row = errors[name];
    super(row.text);
    this.row = row;
    this.code = row.code ?? name;
    this.extra = more.extra ?? {};
    this.headers = { ...row.headers, ...retryAfter(more.retryAfterSeconds ?? row.retryAfterSeconds), ...more.headers };
    this.meta = more.meta ?? {};
  }
}

export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

export function errorBody({ row, code, extra, meta }: ApiError, elapsedMs: number): { data: object; meta: object } {
  return {
    data: { error: row.text, code, ...extra },
    meta: { ...meta, processing_time_ms: row.timed ? elapsedMs : 0 },
  };
}
