/** Conditional and range requests (RFC 9110 §13 and §14). */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';

/** `Cache-Control` of a file that a client may keep, but must revalidate each time. */
export const CACHING = 'private, no-cache';

/** Whether `If-None-Match` has the tag. The comparison is the weak one (§13.1.2). */
function isKnownTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/**
 * Whether the client has this state of a file. `If-Modified-Since` is used only without a tag
 * (§13.1.3).
 */
export function isNotModified(
  headers: IncomingHttpHeaders,
  etag: string,
  modified: string | undefined,
): boolean {
  if (headers['if-none-match'] !== undefined) return isKnownTag(headers['if-none-match'], etag);
  return Date.parse(modified ?? '') <= Date.parse(headers['if-modified-since'] ?? '');
}

/**
 * Without `Content-Type`: a cache would take it for that of the file that it has (RFC 9111 §3.2).
 */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('Content-Type').code(304).send();
}

export type ByteRange = { readonly start: number; readonly end: number };

/**
 * The one range asked for. Undefined if there are several, or `If-Range` has another or a weak tag
 * (§13.1.5).
 */
export function parseRange(
  headers: IncomingHttpHeaders,
  etag: string,
  bytes: number,
): ByteRange | 'none' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const condition = headers['if-range'];
  if (condition !== undefined && (condition !== etag || condition.startsWith('W/')))
    return undefined;
  const start = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  const end = from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (from !== '' && to !== '' && Number(to) < start) return undefined;
  return start > end ? 'none' : { start, end };
}
