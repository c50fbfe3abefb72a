/**
 * Header fields as they should not be: doubled, malformed, folded, too large, too many, or with a
 * special meaning.
 */
import type { Words } from '@whence/testing/seeded-random';
import { below, oneIn, pick } from '../case-random.ts';

const LINES: readonly string[] = [
  'Host: other\r\n',
  'Host:\r\n',
  'Host: a b\r\n',
  'X-API-Key: \r\n',
  'X-API-Key: whence_\r\n',
  'x-api-key : spaced\r\n',
  'No colon\r\n',
  ': no name\r\n',
  ' folded: one\r\n',
  'X-Folded: a\r\n b\r\n',
  'X-Nul: a\0b\r\n',
  'X-Return: a\rb\r\n',
  'X-Bytes: \xff\xfe\x80\r\n',
  'X(Bad)Name: 1\r\n',
  'Bare-LF: 1\n',
  'Expect: 100-continue\r\n',
  'Expect: something else\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive, close\r\n',
  'Connection: X-API-Key\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n\r\n0\r\n',
  'TE: trailers, deflate\r\n',
  'Trailer: X-API-Key\r\n',
  'Range: bytes=0-1\r\n',
  'If-None-Match: *\r\n',
  'Accept: text/html\r\n',
  'Accept-Encoding: gzip, br\r\n',
  'X-Forwarded-For: 1.2.3.4, \'"<>\r\n',
  'Forwarded: for=unknown\r\n',
  'Cookie: __proto__=1\r\n',
  '__proto__: 1\r\n',
  'constructor: 1\r\n',
];

/** All header lines of a request, the key among them most of the time. */
export function extraHeaders(random: Words, key: string): string {
  const lines = oneIn(random, 10) ? [] : ['Host: whence\r\n'];
  if (!oneIn(random, 10))
    lines.push(`${pick(random, ['X-API-Key', 'x-api-key', 'X-API-KEY'])}: ${key}\r\n`);
  for (let left = below(random, 4); left > 0; left--)
    lines.splice(below(random, lines.length + 1), 0, pick(random, LINES));
  if (oneIn(random, 10)) lines.push(`X-Large: ${'a'.repeat(below(random, 20_000))}\r\n`);
  if (oneIn(random, 30))
    lines.push(...Array.from({ length: below(random, 2_500) }, (_, i) => `X-${i}: 1\r\n`));
  return lines.join('');
}
