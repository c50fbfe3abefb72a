/** Limits of a connection: sizes, and timeouts for slow clients. */

/**
 * The limit of routes that declare none. Proxies must pass the largest: deploy/nginx.conf, the
 * pages and the schemas are checked against these numbers by tests.
 */
export const MAX_BODY_BYTES = 256 * 1024;
/** An aggregate report, by the API and in the dashboard: the file as it is. */
export const MAX_REPORT_BYTES = 10 * 1024 * 1024;
/** A log that is pasted into the dashboard. */
export const MAX_LOG_BYTES = 1024 * 1024;
/** Limit for routes that anyone may call: what they accept is a name, a password or a token. */
export const MAX_PUBLIC_BODY_BYTES = 4 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;
/** For the path, and for the query. */
export const MAX_URI_CHARACTERS = 8 * 1024;
/**
 * Per process. Each connection may hold a request of the sizes above and one answer, so this bounds
 * memory.
 */
export const MAX_CONNECTIONS = 10_000;

/** Answers that clients do not read, over all connections of a process. */
export const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
/** Bodies that are not complete, over all connections of a process. */
export const MAX_UNFINISHED_BODY_BYTES = 64 * 1024 * 1024;

export const HEADERS_TIMEOUT_MS = 10_000;
/** From the first byte of a request to the end of its body. */
export const REQUEST_TIMEOUT_MS = 30_000;
/**
 * How often the two above are enforced. Node's default, 30 s, would let a slow client hold a
 * connection for 40 s.
 */
export const TIMEOUT_CHECK_MS = 2_000;
/**
 * A connection without traffic in either direction while an answer is pending, which is then a 503,
 * or is not read, which closes it. More than the deadline of any cost class.
 */
export const STALLED_MS = 40_000;
/**
 * How long a client may send after the answer that closes the connection: a reset could cost it
 * that answer.
 */
export const LINGER_MS = 1_000;
export const KEEP_ALIVE_MS = 65_000;
