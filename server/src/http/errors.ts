/**
 * A proxy that lets requests pass while Whence is unreachable must refuse a request that cannot be
 * answered, say for a long path. Sent with all such errors, because the route may not be known.
 */
export const DENIED = { 'X-Whence-Decision': 'deny' };

/**
 * Every refusal of the API. Texts and codes are part of the interface; a row whose `code` is set
 * shares the code of another row.
 *
 * `retryAfterSeconds` is sent as `Retry-After`. Only the daily limit computes its own.
 */
export const errors = {
  BAD_REQUEST: { status: 400, text: 'bad request', headers: DENIED },
  INVALID_IP: { status: 400, text: 'invalid IP address', timed: false },
  INVALID_PREFIX: { status: 400, text: 'invalid prefix' },
  INVALID_ASN: { status: 400, text: 'invalid ASN' },
  MISSING_QUERY: { status: 400, text: 'missing query parameter' },
  INVALID_QUERY: { status: 400, text: 'invalid query parameter' },
  REPEATED_PARAMETER: { status: 400, text: 'repeated parameter' },
  UNKNOWN_PARAMETER: { status: 400, text: 'unknown parameter' },
  INVALID_VERSION: { status: 400, text: 'invalid dataset version' },
  INVALID_LIMIT: { status: 400, text: 'invalid limit' },
  MISSING_DOMAIN: { status: 400, text: 'missing domain parameter', timed: false },
  INVALID_DOMAIN: { status: 400, text: 'invalid domain' },
  INVALID_SELECTOR: { status: 400, text: 'invalid selector' },
  TOO_MANY_SELECTORS: { status: 400, text: 'too many selectors' },
  INVALID_INCLUDE: { status: 400, text: 'invalid include' },
  INVALID_REQUEST: { status: 400, text: 'invalid request body' },
  BATCH_TOO_LARGE: { status: 400, text: 'batch size exceeds limit' },
  UNAUTHORIZED: { status: 401, text: 'unauthorized', timed: false },
  FORBIDDEN: { status: 403, text: 'forbidden' },
  IP_NOT_FOUND: { status: 404, text: 'no data found for IP', code: 'NOT_FOUND' },
  ASN_NOT_FOUND: { status: 404, text: 'no data found for ASN', code: 'NOT_FOUND' },
  RULE_SET_NOT_FOUND: { status: 404, text: 'no such rule set' },
  LIST_NOT_FOUND: { status: 404, text: 'no such list' },
  DATABASE_NOT_FOUND: { status: 404, text: 'no such database' },
  VERSION_NOT_FOUND: { status: 404, text: 'no such dataset version' },
  DOMAIN_NOT_WATCHED: { status: 404, text: 'not a watched domain' },
  EVENT_NOT_FOUND: { status: 404, text: 'no such event' },
  ROUTE_NOT_FOUND: { status: 404, text: 'route not found' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'method not allowed' },
  REQUEST_TIMEOUT: { status: 408, text: 'request timeout' },
  EVENT_NOT_ACCEPTABLE: {
    status: 409,
    text: 'the event has ended, or ends when what is wrong is repaired',
  },
  WATCH_LIST_FULL: { status: 409, text: 'too many watched domains' },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'payload too large' },
  URI_TOO_LONG: { status: 414, text: 'URI too long', headers: DENIED },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'unsupported media type' },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    text: 'rate limit exceeded',
    timed: false,
    retryAfterSeconds: 1,
  },
  INVALID_RANGE: { status: 416, text: 'range not satisfiable' },
  HEADERS_TOO_LARGE: { status: 431, text: 'request headers too large', headers: DENIED },
  INTERNAL: { status: 500, text: 'internal error' },
  NOT_READY: { status: 503, text: 'not ready' },
  DATASET_UNAVAILABLE: { status: 503, text: 'dataset unavailable', retryAfterSeconds: 10 },
  FILES_NOT_WRITTEN: {
    status: 503,
    text: 'databases and lists of this server are not written yet',
    code: 'DATASET_UNAVAILABLE',
    retryAfterSeconds: 10,
  },
  LIST_UNAVAILABLE: {
    status: 503,
    text: 'no source of this list counts today: run wh dataset update',
    retryAfterSeconds: 60,
  },
  // A published file that cannot be read stays unreadable until an operator or the next build
  // replaces it.
  VERSION_UNREADABLE: {
    status: 503,
    text: 'dataset unavailable',
    code: 'DATASET_UNAVAILABLE',
    retryAfterSeconds: 60,
  },
  DNS_UNAVAILABLE: { status: 503, text: 'DNS unavailable', isCounted: true, retryAfterSeconds: 5 },
  RULES_UNAVAILABLE: { status: 503, text: 'rules unavailable', retryAfterSeconds: 10 },
  STORAGE_UNAVAILABLE: { status: 503, text: 'storage unavailable', retryAfterSeconds: 5 },
  OVERLOADED: { status: 503, text: 'overloaded', retryAfterSeconds: 1 },
  // Work in a thread of a build that an upgrade has removed.
  RESTART_REQUIRED: {
    status: 503,
    text: 'the server was upgraded and must be restarted',
    retryAfterSeconds: 60,
  },
  TOO_MANY_GUESSES: { status: 503, text: 'overloaded', code: 'OVERLOADED', retryAfterSeconds: 2 },
  // An email check or a comparison takes seconds, so a full queue does not empty within one.
  QUEUE_FULL: { status: 503, text: 'overloaded', code: 'OVERLOADED', retryAfterSeconds: 5 },
} as const satisfies Record<string, Row>;

type Row = {
  readonly status: number;
  readonly text: string;
  /** False where the specification fixes `processing_time_ms` at 0. */
  readonly timed?: false;
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
    this.headers = {
      ...row.headers,
      ...retryAfter(more.retryAfterSeconds ?? row.retryAfterSeconds),
      ...more.headers,
    };
    this.meta = more.meta ?? {};
  }
}

export function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}

/** The work was refused because too much waits for it, or has not ended in its time. */
export function isOverloaded(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'OVERLOADED';
}
