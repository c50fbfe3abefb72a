/**
 * The errors that a client may rely on (docs/api.md), written down a second time on purpose: a text
 * that changes in the server must not change here with it.
 */
const ROWS: readonly (readonly [status: number, code: string, text: string])[] = [
  [400, 'INVALID_IP', 'invalid IP address'],
  [400, 'INVALID_ASN', 'invalid ASN'],
  [400, 'MISSING_QUERY', 'missing query parameter'],
  [400, 'INVALID_QUERY', 'invalid query parameter'],
  [400, 'INVALID_LIMIT', 'invalid limit'],
  [400, 'INVALID_VERSION', 'invalid dataset version'],
  [400, 'MISSING_DOMAIN', 'missing domain parameter'],
  [400, 'INVALID_DOMAIN', 'invalid domain'],
  [400, 'INVALID_SELECTOR', 'invalid selector'],
  [400, 'TOO_MANY_SELECTORS', 'too many selectors'],
  [400, 'BAD_REQUEST', 'bad request'],
  [400, 'INVALID_INCLUDE', 'invalid include'],
  [400, 'INVALID_PREFIX', 'invalid prefix'],
  [400, 'INVALID_REQUEST', 'invalid request body'],
  [400, 'BATCH_TOO_LARGE', 'batch size exceeds limit'],
  [401, 'UNAUTHORIZED', 'unauthorized'],
  [403, 'FORBIDDEN', 'forbidden'],
  [404, 'NOT_FOUND', 'no data found for IP'],
  [404, 'NOT_FOUND', 'no data found for ASN'],
  [404, 'VERSION_NOT_FOUND', 'no such dataset version'],
  [404, 'RULE_SET_NOT_FOUND', 'no such rule set'],
  [404, 'LIST_NOT_FOUND', 'no such list'],
  [404, 'DATABASE_NOT_FOUND', 'no such database'],
  [404, 'ROUTE_NOT_FOUND', 'route not found'],
  [405, 'METHOD_NOT_ALLOWED', 'method not allowed'],
  [408, 'REQUEST_TIMEOUT', 'request timeout'],
  [413, 'PAYLOAD_TOO_LARGE', 'payload too large'],
  [414, 'URI_TOO_LONG', 'URI too long'],
  [415, 'UNSUPPORTED_MEDIA_TYPE', 'unsupported media type'],
  [429, 'RATE_LIMIT_EXCEEDED', 'rate limit exceeded'],
  [431, 'HEADERS_TOO_LARGE', 'request headers too large'],
];

/** What only the dashboard refuses (docs/dashboard.md). */
const DASHBOARD_ROWS: typeof ROWS = [
  [400, 'INVALID_REQUEST', 'invalid request'],
  [401, 'SIGNED_OUT', 'sign in first'],
  [401, 'INVALID_CREDENTIALS', 'wrong name or password'],
  [403, 'CROSS_SITE', 'not a request from this dashboard'],
  [404, 'NOT_FOUND', 'not found'],
  [409, 'TOO_MANY_KEYS', 'too many keys'],
  [409, 'NAME_TAKEN', 'another account has this name'],
  [409, 'LAST_ADMIN', 'there must be at least one administrator'],
  [409, 'NAME_MISMATCH', 'the name is not that of the key'],
  [409, 'ALREADY_REVOKED', 'the key is already revoked'],
  [409, 'ALREADY_ROTATING', 'the key already has an active successor'],
  [410, 'LINK_EXPIRED', 'the link has been used or has expired'],
  [429, 'TOO_MANY_ATTEMPTS', 'too many attempts'],
  [429, 'RATE_LIMIT_EXCEEDED', 'too many lookups'],
];

/** Their `processing_time_ms` is 0. */
const UNTIMED_CODES = ['UNAUTHORIZED', 'INVALID_IP', 'RATE_LIMIT_EXCEEDED', 'MISSING_DOMAIN'];

const textOf = (row: readonly unknown[]) => row.join(' ');
const KNOWN = new Set(ROWS.map(textOf));
const KNOWN_IN_DASHBOARD = new Set([...ROWS, ...DASHBOARD_ROWS].map(textOf));

export function isContractError(
  status: number,
  code: unknown,
  text: unknown,
  isDashboard: boolean,
): boolean {
  return (isDashboard ? KNOWN_IN_DASHBOARD : KNOWN).has(textOf([status, code, text]));
}

export function isUntimed(code: unknown): boolean {
  return UNTIMED_CODES.includes(String(code));
}
