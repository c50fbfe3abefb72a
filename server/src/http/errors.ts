/**
 * Every refusal of the API: status, text, and whether its answer is timed. The texts and codes are part of the
 * interface. `timed: false` is for those whose `processing_time_ms` the specification fixes at 0.
 */
export const errors = {
  BAD_REQUEST: { status: 400, text: 'bad request', timed: true },
  INVALID_IP: { status: 400, text: 'invalid IP address', timed: false },
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
  VERSION_NOT_FOUND: { status: 404, text: 'no such dataset version', timed: true },
  ROUTE_NOT_FOUND: { status: 404, text: 'route not found', timed: true },
  METHOD_NOT_ALLOWED: { status: 405, text: 'method not allowed', timed: true },
  REQUEST_TIMEOUT: { status: 408, text: 'request timeout', timed: true },
  PAYLOAD_TOO_LARGE: { status: 413, text: 'payload too large', timed: true },
  URI_TOO_LONG: { status: 414, text: 'URI too long', timed: true },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'unsupported media type', timed: true },
  RATE_LIMIT_EXCEEDED: { status: 429, text: 'rate limit exceeded', timed: false },
  HEADERS_TOO_LARGE: { status: 431, text: 'request headers too large', timed: true },
  INTERNAL: { status: 500, text: 'internal error', timed: true },
  NOT_READY: { status: 503, text: 'not ready', timed: true },
  DATASET_UNAVAILABLE: { status: 503, text: 'dataset unavailable', timed: true },
  DNS_UNAVAILABLE: { status: 503, text: 'DNS unavailable', timed: true, isCounted: true },
  STORAGE_UNAVAILABLE: { status: 503, text: 'storage unavailable', timed: true },
  OVERLOADED: { status: 503, text: 'overloaded', timed: true },
} as const satisfies Record<string, Row & { code?: string }>;

type Row = {
  readonly status: number;
  readonly text: string;
  readonly timed: boolean;
  readonly isCounted?: boolean;
};

export type ErrorName = keyof typeof errors;

/** A refusal that was to be expected. Thrown anywhere, rendered by the one error handler. */
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
    } = {},
  ) {
    const row: Row & { code?: string } = errors[name];
    super(row.text);
    this.row = row;
    this.code = row.code ?? name;
    this.extra = more.extra ?? {};
    this.headers = more.headers ?? {};
    this.meta = more.meta ?? {};
  }
}
