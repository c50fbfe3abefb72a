/** What one connection may cost, and how long a client may take. */

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;
/** Of the path, and of the query. */
export const MAX_URI_CHARACTERS = 8 * 1024;
/** Of one process. Each may hold a request of the sizes above and one answer, so this bounds memory. */
export const MAX_CONNECTIONS = 10_000;

/** From the first byte of a request to the end of its header. */
export const HEADERS_TIMEOUT_MS = 10_000;
/** From the first byte of a request to the end of its body. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** How often the two above are enforced. Node's default, 30 s, would let a slow client hold a connection for 40 s. */
export const TIMEOUT_CHECK_MS = 2_000;
/** A connection on which nothing moves in either direction while an answer is due or is not read. */
export const STALLED_MS = 40_000;
export const KEEP_ALIVE_MS = 65_000;
