import assert from 'node:assert/strict';
import test from 'node:test';
import { formatAddress } from '@whence/dataset/address';
import { parseLogLine } from './log-entry.ts';

const parse = (line: string) =>
  parseLogLine(Buffer.from(` ${line} `), 1, Buffer.byteLength(line) + 1);
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1)';

for (const [behaviour, line, want] of [
  [
    'combined',
    `192.0.2.1 - - [16/Nov/2026:08:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "${BOT}"`,
    ['192.0.2.1', BOT],
  ],
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
  [
    'quotation marks and backslashes in a text',
    String.raw`192.0.2.1 - - [x] "GET /\" HTTP/1.1" 200 1 "a\"b" "\\" "c"`,
    ['192.0.2.1', String.raw`\\`],
  ],
  ['without a referrer', `192.0.2.1 "GET /" "${BOT}"`, ['192.0.2.1', BOT]],
  ['nginx JSON', `{"remote_addr":"192.0.2.1","http_user_agent":"${BOT}"}`, ['192.0.2.1', BOT]],
  [
    'Caddy',
    `{"request":{"remote_ip":"2001:db8::1","headers":{"User-Agent":["${BOT}"]}}}`,
    ['2001:db8::1', BOT],
  ],
  [
    'Traefik, with a port',
    `{"ClientAddr":"192.0.2.1:4711","request_User-Agent":"${BOT}"}`,
    ['192.0.2.1', BOT],
  ],
  ['no address', `- - "GET /" 200 1 "-" "${BOT}"`, undefined],
  ['no user agent', '192.0.2.1 GET /', ['192.0.2.1', undefined]],
  ['an address as user name', 'client.example - 192.0.2.9 [x] "GET /" 200 1', undefined],
  [
    'a user name like a line',
    '192.0.2.1 - 192.0.2.9 - x [x] "GET /" 200 1',
    ['192.0.2.1', 'GET /'],
  ],
  ['a user name with blanks', '192.0.2.1 - Ada Byron [x] "GET /" 200 1', ['192.0.2.1', 'GET /']],
  [
    'an address as virtual host',
    '192.0.2.9:443 192.0.2.1 - - [x] "GET /" 200 1',
    ['192.0.2.1', 'GET /'],
  ],
  ['a list of proxies', '192.0.2.1, 192.0.2.9 - - [x] "GET /" 200 1', ['192.0.2.1', 'GET /']],
  ['syslog', 'Nov 18 10:00:00 web nginx: 192.0.2.1 - - [x] "GET /" 200 1', ['192.0.2.1', 'GET /']],
  ['a container', 'web-1  | 2001:db8::1 - - [x] "GET /" 200 1', ['2001:db8::1', 'GET /']],
  [
    'HAProxy, with a port',
    'Nov 18 10:00:00 lb haproxy[9]: 192.0.2.1:4711 [x] in b/s 1/0 200 9 "GET /"',
    ['192.0.2.1', 'GET /'],
  ],
  ...['GET /192.0.2.9 HTTP/1.1', '192.0.2.9'].map(
    (text) =>
      [
        `${text} in quotes only`,
        `- - - [x] "${text}" 200 1 "192.0.2.9" "192.0.2.9"`,
        undefined,
      ] as const,
  ),
  [
    'a name in the place of the client',
    'a.example - - [x] "GET http://192.0.2.9/" 200 1',
    undefined,
  ],
  [
    'Elastic Common Schema',
    '{"host":{"ip":"192.0.2.9"},"client":{"ip":"192.0.2.1"}}',
    ['192.0.2.1', undefined],
  ],
  [
    'Caddy behind a proxy',
    '{"request":{"remote_ip":"192.0.2.9","client_ip":"192.0.2.1"}}',
    ['192.0.2.1', undefined],
  ],
  [
    'JSON with addresses in headers, host, path and user only',
    '{"request":{"host":"192.0.2.9","uri":"192.0.2.9","headers":{"Client-Ip":["192.0.2.9"],"X-Real-Ip":["192.0.2.9"]}},"user_id":"192.0.2.9","upstream_addr":"192.0.2.9","http_x_forwarded_for":"192.0.2.9"}',
    undefined,
  ],
  [
    'a text under the name of an address',
    '{"source":"stdout","remote_addr":"192.0.2.1"}',
    ['192.0.2.1', undefined],
  ],
  [
    'an IPv6 address with a port',
    '{"ClientAddr":"[2001:db8::1]:4711"}',
    ['2001:db8::1', undefined],
  ],
  ['JSON that is cut off', '{"remote_addr":"192.0.2.1"', undefined],
  ['deep JSON', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, undefined],
] as const) {
  test(`log entry: ${behaviour}`, () => {
    const entry = parse(line);
    assert.deepEqual(entry && [formatAddress(entry.address), entry.userAgent], want);
  });
}

for (const [behaviour, line, want] of [
  [
    'combined',
    '192.0.2.1 - - [x] "POST /a?b HTTP/1.1" 302 1 "-" "-"',
    [undefined, 'POST', '/a?b', 302],
  ],
  [
    'with the virtual host',
    'example.com:443 192.0.2.1 - - [x] "GET / HTTP/2.0" 200 1',
    ['example.com', 'GET', '/', 200],
  ],
  [
    'a request that is not HTTP',
    String.raw`192.0.2.1 - - [x] "\x16\x03" 400 1`,
    [undefined, undefined, undefined, 400],
  ],
  [
    'nginx JSON',
    '{"remote_addr":"192.0.2.1","host":"a.example","request":"GET /x HTTP/1.1","status":404}',
    ['a.example', 'GET', '/x', 404],
  ],
  [
    'Caddy',
    '{"request":{"remote_ip":"192.0.2.1","host":"a.example","method":"GET","uri":"/x"},"status":200}',
    ['a.example', 'GET', '/x', 200],
  ],
  [
    'Caddy with other values in headers',
    '{"request":{"headers":{"Path":["/y"],"Method":["POST"],"Host":["b.example"]},"remote_ip":"192.0.2.1","host":"a.example","method":"GET","uri":"/x"},"status":200}',
    ['a.example', 'GET', '/x', 200],
  ],
  [
    'Traefik',
    '{"ClientAddr":"192.0.2.1:4711","RequestHost":"a.example","RequestMethod":"GET","RequestPath":"/x","DownstreamStatus":200}',
    ['a.example', 'GET', '/x', 200],
  ],
] as const) {
  test(`request of a log entry: ${behaviour}`, () => {
    const { host, method, path, status } = parse(line) ?? {};
    assert.deepEqual([host, method, path, status], want);
  });
}
