/** Requests that Node's parser accepts and HTTP does not, and targets that are too long. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from './errors.ts';
import { MAX_URI_CHARACTERS } from './limits.ts';

export function requireWellFormed({ url = '', headers, rawHeaders, httpVersionMinor }: IncomingMessage): void {
  const queryAt = url.indexOf('?');
  const pathCharacters = queryAt === -1 ? url.length : queryAt;
  if (pathCharacters > MAX_URI_CHARACTERS || url.length - pathCharacters - 1 > MAX_URI_CHARACTERS) {
    throw new ApiError('URI_TOO_LONG');
  }
  // RFC 9112 §3.2: exactly one Host in HTTP/1.1.
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0)) throw refused();
  // RFC 9110 §10.1.1: 100-continue is the only expectation there is, and Node has met it already.
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') throw refused();
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++;
  return count;
}

/** What follows on such a connection cannot be trusted either. */
function refused(): ApiError {
  return new ApiError('BAD_REQUEST', { headers: { Connection: 'close' } });
}
