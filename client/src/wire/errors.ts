import type { ReadyChecks } from './health.ts';

/** All codes of the server. `WhenceErrorCode` adds the client's own. */
export type ErrorCode =
  | 'BAD_REQUEST'
  | 'INVALID_IP'
  | 'INVALID_PREFIX'
  | 'INVALID_ASN'
  | 'MISSING_QUERY'
  | 'INVALID_QUERY'
  | 'INVALID_VERSION'
  | 'INVALID_LIMIT'
  | 'MISSING_DOMAIN'
  | 'INVALID_DOMAIN'
  | 'INVALID_SELECTOR'
  | 'INVALID_INCLUDE'
  | 'TOO_MANY_SELECTORS'
  | 'INVALID_REQUEST'
  | 'BATCH_TOO_LARGE'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'VERSION_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'PAYLOAD_TOO_LARGE'
  | 'URI_TOO_LONG'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'RATE_LIMIT_EXCEEDED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'NOT_READY'
  | 'DATASET_UNAVAILABLE'
  | 'DNS_UNAVAILABLE'
  | 'STORAGE_UNAVAILABLE'
  | 'OVERLOADED';

/** `data` of an error. Only NOT_READY has `checks`. */
export type ErrorData = { error: string; code: ErrorCode; details?: Record<string, unknown>; checks?: ReadyChecks };
