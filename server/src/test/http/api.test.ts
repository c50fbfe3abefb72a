import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test, { after, before } from 'node:test';
import { createClient } from '@whence/client';
import { UNLIMITED } from '../../quota/spent.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  ({ secret } = await folder.createKey());
});
after(async () => {
  await server.close();
  folder.remove();
});

type Options = {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: string;
};

async function ask(
  path: string,
  { method = 'GET', key = secret, headers = {}, body }: Options = {},
) {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...(key === null ? {} : { 'X-API-Key': key }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const json = { 'Content-Type': 'application/json' };
const post = (body: string, headers: Record<string, string> = json): Options => ({
  method: 'POST',
  body,
  headers,
});

test('api: a lookup has exactly the fields and headers of the specification', async () => {
  const { status, headers, body } = await ask('/v1/ip/8.8.8.8');
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['data', 'meta']);
  assert.deepEqual(Object.keys(body.data), [
    'ip',
    'prefix',
    'asn',
    'asn_name',
    'country',
    'rir',
    'connection_type',
    'detection',
    'threat',
  ]);
  assert.deepEqual(Object.keys(body.meta), [
    'request_id',
    'processing_time_ms',
    'cache_status',
    'dataset_version',
  ]);
  assert.equal(body.meta.request_id, headers.get('x-request-id'));
  assert.match(
    body.meta.request_id,
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.ok(Number.isInteger(body.meta.processing_time_ms));
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-ratelimit-limit'), String(UNLIMITED));
  assert.equal(headers.get('x-ratelimit-remaining'), String(UNLIMITED));
  assert.match(headers.get('x-ratelimit-reset') ?? '', /^\d{10}$/);
});

test('api: the first answer is a MISS and the second a HIT, in header and meta', async () => {
  for (const want of ['MISS', 'HIT', 'HIT']) {
    const { headers, body } = await ask('/v1/ip/3.1.2.3');
    assert.deepEqual([body.meta.cache_status, headers.get('x-cache-status')], [want, want]);
  }
});

test('api: the fast path and the regular path give the same answer', async () => {
  // The second request with a key is the first to take the short way; a query that is not in the
  // simple form sends it the long way again.
  const short = await ask('/v1/ip/3.1.2.4');
  const long = await ask('/v1/ip/3.1.2.4?explain=0');
  assert.deepEqual(short.body.data, long.body.data);
  const names = (headers: Headers) =>
    [...headers.keys()].filter((name) => name !== 'transfer-encoding').sort();
  assert.deepEqual(names(short.headers), names(long.headers));
  assert.equal(short.headers.get('content-length'), String(Buffer.byteLength(short.text)));
});

for (const [behaviour, path, ip] of [
  ['IPv4', '/v1/ip/8.8.8.8', '8.8.8.8'],
  ['IPv6 in colon notation', '/v1/ip/2001:4860::8888', '2001:4860::8888'],
  ['IPv6 is normalised', '/v1/ip/2001:4860:0:0:0:0:0:8888', '2001:4860::8888'],
  ['IPv6 percent-encoded', '/v1/ip/2001%3A4860%3A%3A8888', '2001:4860::8888'],
  ['IPv4-mapped is IPv4', '/v1/ip/::ffff:8.8.8.8', '8.8.8.8'],
  ['IPv4-mapped in hexadecimal', '/v1/ip/::FFFF:808:808', '8.8.8.8'],
  ['an unknown query is ignored', '/v1/ip/8.8.8.8?foo=bar', '8.8.8.8'],
  ['a switch as a digit', '/v1/ip/8.8.8.8?explain=1', '8.8.8.8'],
  ['a switch that is off', '/v1/ip/8.8.8.8?explain=false', '8.8.8.8'],
] as const) {
  test(`api: lookup: ${behaviour}`, async () => {
    const { status, body } = await ask(path);
    assert.deepEqual([status, body.data.ip], [200, ip]);
  });
}

const HINT = { hint: 'send an API key in the header X-API-Key' };
const PREFIX_HINT = { hint: 'for a prefix, ask GET /v1/prefix/{cidr}' };
const LIST = 'a list of at least 1, each string';
const notSwitch = (parameter: string) => ({ parameter, allowed: ['true', 'false'] });

for (const [behaviour, path, options, status, code, extra] of [
  ['no address', '/v1/ip/', {}, 400, 'INVALID_IP', {}],
  ['the text batch', '/v1/ip/batch', {}, 400, 'INVALID_IP', {}],
  ['a zone id', '/v1/ip/fe80::1%25eth0', {}, 400, 'INVALID_IP', {}],
  ['a percent sign that encodes nothing', '/v1/ip/%zz', {}, 400, 'INVALID_IP', {}],
  ['broken UTF-8', '/v1/ip/%ff', {}, 400, 'INVALID_IP', {}],
  ['CIDR', '/v1/ip/8.8.8.0%2F24', {}, 400, 'INVALID_IP', PREFIX_HINT],
  ['CIDR with a slash', '/v1/ip/8.8.8.0/24', {}, 404, 'ROUTE_NOT_FOUND', PREFIX_HINT],
  ['a leading zero', '/v1/ip/08.8.8.8', {}, 400, 'INVALID_IP', {}],
  ['a very long text', `/v1/ip/${'1'.repeat(2000)}`, {}, 400, 'INVALID_IP', {}],
  ['no key', '/v1/ip/8.8.8.8', { key: null }, 401, 'UNAUTHORIZED', HINT],
  ['an empty key', '/v1/ip/8.8.8.8', { key: '' }, 401, 'UNAUTHORIZED', {}],
  [
    'a key with a typo',
    '/v1/ip/8.8.8.8',
    { key: `whence_${'a'.repeat(36)}` },
    401,
    'UNAUTHORIZED',
    {},
  ],
  [
    'a key in Authorization',
    '/v1/ip/8.8.8.8',
    { key: null, headers: { Authorization: 'Bearer x' } },
    401,
    'UNAUTHORIZED',
    HINT,
  ],
  [
    'a key of ours as a bearer token',
    '/v1/ip/8.8.8.8',
    { key: null, headers: { Authorization: 'Bearer whence_mistaken' } },
    401,
    'UNAUTHORIZED',
    HINT,
  ],
  [
    'a key of ours in the query',
    '/v1/ip/8.8.8.8?api_key=whence_mistaken',
    { key: null },
    401,
    'UNAUTHORIZED',
    HINT,
  ],
  [
    'a switch that is neither on nor off',
    '/v1/ip/8.8.8.8?explain=yes',
    {},
    400,
    'INVALID_QUERY',
    notSwitch('explain'),
  ],
  [
    'ASN: a switch',
    '/v1/asn/15169?include_prefixes=',
    {},
    400,
    'INVALID_QUERY',
    notSwitch('include_prefixes'),
  ],
  ['the key comes before the input', '/v1/ip/nonsense', { key: null }, 401, 'UNAUTHORIZED', HINT],
  ['ASN: not a number', '/v1/asn/google', {}, 400, 'INVALID_ASN', {}],
  ['ASN: out of range', '/v1/asn/4294967296', {}, 400, 'INVALID_ASN', {}],
  ['ASN: negative', '/v1/asn/-1', {}, 400, 'INVALID_ASN', {}],
  ['ASN: unknown', '/v1/asn/64499', {}, 404, 'NOT_FOUND', {}],
  ['ASN: reserved', '/v1/asn/0', {}, 404, 'NOT_FOUND', {}],
  ['search: no text', '/v1/asn/search', {}, 400, 'MISSING_QUERY', {}],
  ['search: blank', '/v1/asn/search?q=%20%20', {}, 400, 'MISSING_QUERY', {}],
  [
    'search: over 100 characters',
    `/v1/asn/search?q=${'x'.repeat(101)}`,
    {},
    400,
    'INVALID_QUERY',
    {},
  ],
  [
    'search: 101 characters outside the BMP',
    `/v1/asn/search?q=${'%F0%9F%98%80'.repeat(101)}`,
    {},
    400,
    'INVALID_QUERY',
    {},
  ],
  ['search: limit of 0', '/v1/asn/search?q=x&limit=0', {}, 400, 'INVALID_LIMIT', {}],
  ['search: negative limit', '/v1/asn/search?q=x&limit=-1', {}, 400, 'INVALID_LIMIT', {}],
  ['search: limit with a fraction', '/v1/asn/search?q=x&limit=1.5', {}, 400, 'INVALID_LIMIT', {}],
  [
    'batch: malformed JSON',
    '/v1/ip/batch',
    post('{"ips":['),
    400,
    'INVALID_REQUEST',
    { path: '', expected: 'JSON' },
  ],
  [
    'batch: empty body',
    '/v1/ip/batch',
    post(''),
    400,
    'INVALID_REQUEST',
    { path: '', expected: 'JSON' },
  ],
  [
    'batch: no ips',
    '/v1/ip/batch',
    post('{}'),
    400,
    'INVALID_REQUEST',
    { path: '/ips', expected: LIST },
  ],
  [
    'batch: not an array',
    '/v1/ip/batch',
    post('{"ips":"8.8.8.8"}'),
    400,
    'INVALID_REQUEST',
    { path: '/ips', expected: LIST },
  ],
  [
    'batch: empty array',
    '/v1/ip/batch',
    post('{"ips":[]}'),
    400,
    'INVALID_REQUEST',
    { path: '/ips', expected: LIST },
  ],
  [
    'batch: a number',
    '/v1/ip/batch',
    post('{"ips":["8.8.8.8",7]}'),
    400,
    'INVALID_REQUEST',
    { path: '/ips/1', expected: 'string' },
  ],
  [
    'batch: null',
    '/v1/ip/batch',
    post('null'),
    400,
    'INVALID_REQUEST',
    { path: '', expected: 'an object with ips, include' },
  ],
  [
    'batch: a poisoned prototype',
    '/v1/ip/batch',
    post('{"__proto__":{"ips":["8.8.8.8"]}}'),
    400,
    'INVALID_REQUEST',
    { path: '', expected: 'JSON' },
  ],
  [
    'batch: too large',
    '/v1/ip/batch',
    post(JSON.stringify({ ips: Array(1001).fill('8.8.8.8') })),
    400,
    'BATCH_TOO_LARGE',
    { limit: 1000, received: 1001 },
  ],
  [
    'batch: over 256 KiB',
    '/v1/ip/batch',
    post(JSON.stringify({ ips: ['x'.repeat(262144)] })),
    413,
    'PAYLOAD_TOO_LARGE',
    {},
  ],
  [
    'batch: plain text',
    '/v1/ip/batch',
    post('8.8.8.8', { 'Content-Type': 'text/plain' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    { expected: 'application/json' },
  ],
  [
    'batch: a compressed body',
    '/v1/ip/batch',
    post('8.8.8.8', { ...json, 'Content-Encoding': 'gzip' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    { expected: 'application/json without Content-Encoding' },
  ],
  [
    'batch: a form',
    '/v1/ip/batch',
    post('ips=8.8.8.8', { 'Content-Type': 'application/x-www-form-urlencoded' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    { expected: 'application/json' },
  ],
  ['no such path, without a key', '/v2/ip/8.8.8.8', { key: null }, 404, 'ROUTE_NOT_FOUND', {}],
  ['no such path below a path', '/v1/ip/8.8.8.8/x', {}, 404, 'ROUTE_NOT_FOUND', {}],
  [
    'another method, without a key',
    '/v1/ip/8.8.8.8',
    { method: 'DELETE', key: null },
    405,
    'METHOD_NOT_ALLOWED',
    {},
  ],
  [
    'another method on batch',
    '/v1/ip/batch',
    { method: 'PUT', body: '{}', headers: json },
    405,
    'METHOD_NOT_ALLOWED',
    {},
  ],
  ['another method on health', '/healthz', { method: 'POST' }, 405, 'METHOD_NOT_ALLOWED', {}],
] as const satisfies readonly (readonly [string, string, Options, number, string, object])[]) {
  test(`api: refused: ${behaviour}`, async () => {
    const { status: got, headers, body } = await ask(path, options);
    assert.deepEqual([got, body.data.code], [status, code]);
    assert.equal(typeof body.data.error, 'string');
    const details = Object.keys(extra).length === 0 ? {} : { details: extra };
    assert.deepEqual(body.data, { error: body.data.error, code, ...details });
    assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
    if (['INVALID_IP', 'UNAUTHORIZED'].includes(code))
      assert.equal(body.meta.processing_time_ms, 0);
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(headers.get('cache-control'), 'no-store');
    const isBeforeTheKey = ['UNAUTHORIZED', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(code);
    assert.equal(headers.has('x-ratelimit-limit'), !isBeforeTheKey);
  });
}

test('api: 405 names the methods that are allowed', async () => {
  assert.equal(
    (await ask('/v1/ip/8.8.8.8', { method: 'DELETE' })).headers.get('allow'),
    'GET, HEAD',
  );
  assert.equal(
    (await ask('/v1/ip/batch', { method: 'PUT' })).headers.get('allow'),
    'GET, HEAD, POST',
  );
  // The route of the pages receives a GET of any path.
  const reports = await ask('/v1/email/reports');
  assert.deepEqual([reports.status, reports.headers.get('allow')], [405, 'POST']);
});

test('api: an address without data is 404 with the meta of a lookup, and explains itself on request', async () => {
  const plain = await ask('/v1/ip/10.0.0.1');
  assert.equal(plain.status, 404);
  assert.deepEqual(plain.body.data, { error: 'no data found for IP', code: 'NOT_FOUND' });
  assert.deepEqual(Object.keys(plain.body.meta).sort(), [
    'cache_status',
    'dataset_version',
    'processing_time_ms',
  ]);
  assert.equal(plain.body.meta.cache_status, 'MISS');
  assert.equal(plain.headers.get('x-cache-status'), 'MISS');
  const { body } = await ask('/v1/ip/10.0.0.1?explain=true');
  assert.deepEqual(body.data.details, {
    prefix: '10.0.0.0/8',
    name: 'Private use',
    rfc: 'RFC 1918',
  });
  assert.equal((await ask('/v1/ip/7.7.7.7?explain=true')).body.data.details, undefined);
});

test('api: explain=true adds evidence and changes nothing else', async () => {
  const { body } = await ask('/v1/ip/3.0.0.17?explain=true');
  const { evidence, threat_is_known, ...record } = body.data;
  assert.deepEqual(record, (await ask('/v1/ip/3.0.0.17')).body.data);
  assert.equal(threat_is_known, false, 'the sample has no attack lists');
  assert.deepEqual(
    evidence.find(({ field }: { field: string }) => field === 'ai_company'),
    {
      field: 'ai_company',
      value: 'OpenAI',
      source: 'crawler',
      prefix: '3.0.0.16/28',
      as_of: '2026-11-01',
    },
  );
  assert.equal((await ask('/v1/ip/3.0.0.17?explain=false')).body.data.evidence, undefined);
});

test('api: the header name may be written in any case', async () => {
  for (const name of ['x-api-key', 'X-API-KEY', 'x-Api-Key']) {
    assert.equal(
      (await ask('/v1/ip/8.8.8.8', { key: null, headers: { [name]: secret } })).status,
      200,
    );
  }
});

test('api: HEAD answers as GET does, without a body', async () => {
  const { status, text, headers } = await ask('/v1/ip/8.8.8.8', { method: 'HEAD' });
  assert.deepEqual([status, text], [200, '']);
  assert.ok(Number(headers.get('content-length')) > 100);
});

test('api: a key without the permission is refused, and the answer names it', async () => {
  const { secret: limited } = await folder.createKey({ permissions: ['asn:read'] });
  const { status, headers, body } = await ask('/v1/ip/8.8.8.8', { key: limited });
  assert.equal(status, 403);
  assert.deepEqual(body.data, {
    error: 'forbidden',
    code: 'FORBIDDEN',
    details: { required: 'ip:read' },
  });
  assert.ok(headers.has('x-ratelimit-limit'));
  assert.equal((await ask('/v1/asn/15169', { key: limited })).status, 200);
  assert.equal(
    (await ask('/v1/ip/batch', { ...post('{"ips":["8.8.8.8"]}'), key: limited })).body.data.details
      .required,
    'ip:batch',
  );
});

test('api: batch: one entry per distinct submitted text, keyed by that text', async () => {
  const ips = [
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '10.0.0.1',
    'nonsense',
    '8.8.8.8',
    '__proto__',
    '',
    'é"\\\n\u2028',
    '2001:4860:0::1',
  ];
  const { status, body, text } = await ask('/v1/ip/batch', post(JSON.stringify({ ips })));
  assert.equal(status, 200);
  const keys = [...text.matchAll(/("(?:[^"\\]|\\.)*"):\{"(?:ip|error)"/g)].map(([, key]) =>
    JSON.parse(key as string),
  );
  assert.deepEqual(keys, [...new Set(ips)]);
  assert.deepEqual(body.data['8.8.8.8'], (await ask('/v1/ip/8.8.8.8')).body.data);
  assert.deepEqual(body.data['::ffff:8.8.8.8'].ip, '8.8.8.8');
  assert.deepEqual(body.data['10.0.0.1'], { error: 'no data found for IP', code: 'NOT_FOUND' });
  for (const invalid of ['nonsense', '', 'é"\\\n\u2028']) {
    assert.deepEqual(body.data[invalid], { error: 'invalid IP address', code: 'INVALID_IP' });
  }
  assert.deepEqual(Object.keys(body.meta), ['request_id', 'processing_time_ms']);
});

test('api: batch: every record is the one that the single lookup gives', async () => {
  const ips = Array.from({ length: 1000 }, (_, i) =>
    i % 3 === 0 ? `2001:4860::${i.toString(16)}` : `${[1, 3, 8, 9][i % 4]}.0.${i % 256}.${i % 250}`,
  );
  const { body } = await ask('/v1/ip/batch', post(JSON.stringify({ ips })));
  for (const ip of ips.slice(0, 60)) {
    const { body: single } = await ask(`/v1/ip/${ip}`);
    assert.deepEqual(
      body.data[ip],
      single.data.code === undefined
        ? single.data
        : { error: single.data.error, code: single.data.code },
    );
  }
});

test('api: batch: 1,000 entries that all fail, and far longer than the buffer, are answered', async () => {
  const ips = Array.from({ length: 1000 }, (_, i) => `${'\u2028'.repeat(70)}${i}`);
  const { status, body } = await ask('/v1/ip/batch', post(JSON.stringify({ ips })));
  assert.equal(status, 200);
  assert.equal(Object.keys(body.data).length, 1000);
});

test('api: ASN with its counts, and with prefixes when asked', async () => {
  const { body } = await ask('/v1/asn/AS15169');
  assert.deepEqual(body.data, {
    asn: 15169,
    asn_name: 'Google LLC',
    country: 'US',
    rir: 'ARIN',
    connection_type: 'datacenter',
    is_announced: true,
    prefix_count: { ipv4: 1, ipv6: 1 },
    address_count: { ipv4: 256 },
  });
  assert.deepEqual(Object.keys(body.meta), ['processing_time_ms']);
  const whole = await ask('/v1/asn/as15169?include_prefixes=true');
  const prefixes = { ipv4: ['8.8.8.0/24'], ipv6: ['2001:4860::/32'] };
  assert.deepEqual(whole.body.data, { ...body.data, prefixes });
  assert.deepEqual(Object.keys(whole.body.meta), ['processing_time_ms']);
  assert.equal((await ask('/v1/asn/15169?include_prefixes=false')).body.data.prefixes, undefined);
});

test('api: ASN search echoes the effective limit, and returns an empty list without matches', async () => {
  const { body } = await ask('/v1/asn/search?q=GOOGLE&limit=500');
  assert.deepEqual(
    [body.data.query, body.data.limit, body.data.count, body.data.total],
    ['GOOGLE', 100, 1, 1],
  );
  assert.equal(body.data.results[0].asn, 15169);
  assert.equal((await ask(`/v1/asn/search?q=${'%F0%9F%98%80'.repeat(100)}`)).status, 200);
  const nothing = await ask('/v1/asn/search?q=zzzz');
  assert.deepEqual(
    [nothing.status, nothing.body.data.results, nothing.body.data.limit],
    [200, [], 20],
  );
});

test('api: ASN search goes on with next_cursor until the last network', async () => {
  const all = await ask('/v1/asn/search?q=o');
  const asns: number[] = [];
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const query = cursor === '' ? 'q=o&limit=1' : `q=o&limit=1&cursor=${cursor}`;
    const { body } = await ask(`/v1/asn/search?${query}`);
    asns.push(body.data.results[0].asn);
    assert.equal(body.data.total, all.body.data.total);
    cursor = body.data.next_cursor;
  }
  assert.ok(asns.length > 1);
  assert.deepEqual(
    asns,
    all.body.data.results.map(({ asn }: { asn: number }) => asn),
  );
});

test('api: health and readiness need no key', async () => {
  const health = await ask('/healthz', { key: null });
  assert.deepEqual([health.status, health.body.data], [200, { status: 'ok' }]);
  const ready = await ask('/readyz', { key: null });
  assert.equal(ready.status, 200);
  assert.deepEqual(ready.body.data.checks, { dataset: 'ok', storage: 'ok' });
  assert.equal(ready.body.data.dataset_version, 1);
  assert.ok(Number.isInteger(ready.body.data.dataset_age_seconds));
  assert.deepEqual(
    ready.body.data.unknown_flags,
    ['is_proxy', 'is_vpn', 'blocklists', 'criminal_netblocks', 'relay'],
    'what no source of the sample knows',
  );
  assert.deepEqual(ready.body.data.dated_flags, []);
});

test('api: a dataset older than a month is reported as stale, and still served', async () => {
  const at = server.clock.nowMs;
  server.clock.nowMs = at + 31 * 86_400_000;
  try {
    const { status, body } = await ask('/readyz', { key: null });
    assert.deepEqual([status, body.data.checks.dataset], [200, 'stale']);
  } finally {
    server.clock.nowMs = at;
  }
});

for (const [behaviour, bytes, status, code] of [
  ['what is not HTTP', 'GARBAGE\r\n\r\n', 400, 'BAD_REQUEST'],
  ['a header that is none', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n', 400, 'BAD_REQUEST'],
  [
    'headers of 20 KB',
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  [
    'two lengths',
    'POST /v1/ip/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    'BAD_REQUEST',
  ],
] as const) {
  test(`api: malformed HTTP is answered in the envelope: ${behaviour}`, async () => {
    const answer = await rawRequest(bytes);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
    assert.match(answer, /\r\nX-Request-ID: [0-9a-f-]{36}\r\n/i);
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').data.code, code);
  });
}

test('api: a key created by another process works at once, and a revoked one is refused at once', async () => {
  const { key, secret: fresh } = await folder.createKey();
  assert.equal((await ask('/v1/ip/8.8.8.8', { key: fresh })).status, 200);
  assert.equal((await ask('/v1/ip/8.8.8.8', { key: fresh })).status, 200);
  assert.equal(await folder.revokeKey(key.id), 'revoked');
  for (let i = 0; i < 3; i++)
    assert.equal((await ask('/v1/ip/8.8.8.8', { key: fresh })).status, 401);
  assert.equal(await folder.revokeKey(key.id), 'already revoked');
});

test('api: the client library works with it', async () => {
  const client = createClient({ baseUrl: server.url, apiKey: secret, batchSize: 2 });
  assert.equal((await client.ip('8.8.8.8')).data.asn, 15169);
  assert.equal(
    (await client.ip('2001:4860::1', { explain: true })).data.evidence?.[0]?.field,
    'prefix',
  );
  const batch = await client.batch(['8.8.8.8', '__proto__', '10.0.0.1']);
  assert.deepEqual([...batch.data.keys()], ['8.8.8.8', '__proto__', '10.0.0.1']);
  assert.equal(
    (await client.asn('AS15169', { includePrefixes: true })).data.prefixes?.ipv4[0],
    '8.8.8.0/24',
  );
  assert.equal((await client.searchAsn('goog')).data.limit, 20);
  assert.equal((await client.health()).data.status, 'ok');
  assert.equal((await client.ready()).data.status, 'ready');
  await assert.rejects(client.ip('10.0.0.1'), {
    name: 'WhenceError',
    status: 404,
    code: 'NOT_FOUND',
  });
});

function rawRequest(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}
