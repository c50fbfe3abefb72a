import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { parseLogLine } from './log-entry.ts';

const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1)';

for (const [behaviour, line, want] of [
  ['combined', `192.0.2.1 - - [16/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "${BOT}"`, ['192.0.2.1', BOT]],
  [
    'combined with a field after the user agent',
    `192.0.2.1 - - [16/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "https://example.com/?q=bingbot" "${BOT}" "-"`,
    ['192.0.2.1', BOT],
  ],
  [
    'an escaped quote in the request',
    `2001:db8::1 - - [x] "GET /\\"a\\" HTTP/1.1" 200 1 "-" "${BOT}"`,
    ['2001:db8::1', BOT],
  ],
  [
    'with the virtual host before it',
    `example.com:443 192.0.2.1 - - [x] "GET /" 200 1 "-" "${BOT}"`,
    ['192.0.2.1', BOT],
  ],
  ['without a referrer', `192.0.2.1 "GET /" "${BOT}"`, ['192.0.2.1', BOT]],
  ['nginx JSON', `{"remote_addr":"192.0.2.1","http_user_agent":"${BOT}"}`, ['192.0.2.1', BOT]],
  ['Caddy', `{"request":{"remote_ip":"2001:db8::1","headers":{"User-Agent":["${BOT}"]}}}`, ['2001:db8::1', BOT]],
  ['Traefik, with a port', `{"ClientAddr":"192.0.2.1:4711","request_User-Agent":"${BOT}"}`, ['192.0.2.1', BOT]],
  ['no address', `- - "GET /" 200 1 "-" "${BOT}"`, undefined],
  ['no user agent', '192.0.2.1 GET /', undefined],
  ['JSON that is cut off', '{"remote_addr":"192.0.2.1"', undefined],
  ['deep JSON', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, undefined],
] as const) {
  test(`log entry: ${behaviour}`, () => {
    const entry = parseLogLine(line);
    assert.deepEqual(entry && [formatAddress(entry.address), entry.userAgent], want);
  });
}
