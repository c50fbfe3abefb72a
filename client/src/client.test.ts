import assert from 'node:assert/strict';
import test from 'node:test';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { API_KEY, ok, refusal, scripted } from './test/scripted-server.ts';

for (const [behaviour, call, path] of [
  ['an IPv4 address', (client) => client.ip('192.0.2.1'), '/v1/ip/192.0.2.1'],
  ['an IPv6 address keeps its colons', (client) => client.ip('2001:db8::1'), '/v1/ip/2001:db8::1'],
  ['a zone id is escaped', (client) => client.ip('fe80::1%eth0'), '/v1/ip/fe80::1%25eth0'],
  [
    'a slash stays inside its segment',
    (client) => client.ip('192.0.2.0/24'),
    '/v1/ip/192.0.2.0%2F24',
  ],
  [
    'a question mark does not start a query',
    (client) => client.ip('a?explain=true#b'),
    '/v1/ip/a%3Fexplain%3Dtrue%23b',
  ],
  ['two dots stay inside their segment', (client) => client.ip('..'), '/v1/ip/%252E%252E'],
  [
    'one dot stays inside its segment',
    (client) => client.emailDomain('.'),
    '/v1/email/domain/%252E/dns',
  ],
  [
    'an earlier version',
    (client) => client.ip('192.0.2.1', { version: 3 }),
    '/v1/ip/192.0.2.1?version=3',
  ],
  [
    'a day',
    (client) => client.ip('192.0.2.1', { at: '2026-11-15' }),
    '/v1/ip/192.0.2.1?at=2026-11-15',
  ],
  ['a history', (client) => client.ipHistory('2001:db8::1'), '/v1/ip/2001:db8::1/history'],
  [
    'explain: true',
    (client) => client.ip('192.0.2.1', { explain: true }),
    '/v1/ip/192.0.2.1?explain=true',
  ],
  [
    'explain: false sends nothing',
    (client) => client.ip('192.0.2.1', { explain: false }),
    '/v1/ip/192.0.2.1',
  ],
  [
    'included sections are joined with commas',
    (client) => client.ip('192.0.2.1', { include: ['routing', 'privacy'] }),
    '/v1/ip/192.0.2.1?include=routing%2Cprivacy',
  ],
  [
    'an empty list of sections sends nothing',
    (client) => client.ip('192.0.2.1', { include: [] }),
    '/v1/ip/192.0.2.1',
  ],
  ['a prefix', (client) => client.prefix('192.0.2.0/24'), '/v1/prefix/192.0.2.0%2F24'],
  ['an ASN by number', (client) => client.asn(64496), '/v1/asn/64496'],
  ['an ASN with its prefix AS', (client) => client.asn('AS64496'), '/v1/asn/AS64496'],
  [
    'includePrefixes: true',
    (client) => client.asn(64496, { includePrefixes: true }),
    '/v1/asn/64496?include_prefixes=true',
  ],
  [
    'included sections of a network',
    (client) => client.asn(64496, { include: ['routing'] }),
    '/v1/asn/64496?include=routing',
  ],
  [
    'includePrefixes: false sends nothing',
    (client) => client.asn(64496, { includePrefixes: false }),
    '/v1/asn/64496',
  ],
  [
    'a search sends limit 20',
    (client) => client.searchAsn('example'),
    '/v1/asn/search?q=example&limit=20',
  ],
  [
    'a search with a limit',
    (client) => client.searchAsn('a', { limit: 5 }),
    '/v1/asn/search?q=a&limit=5',
  ],
  [
    'the next page of a search',
    (client) => client.searchAsn('a', { limit: 5, cursor: '4-64500' }),
    '/v1/asn/search?q=a&limit=5&cursor=4-64500',
  ],
  [
    'the search text is escaped',
    (client) => client.searchAsn('a&limit=1 é'),
    '/v1/asn/search?q=a%26limit%3D1+%C3%A9&limit=20',
  ],
  ['a domain', (client) => client.emailDomain('example.com'), '/v1/email/domain/example.com/dns'],
  [
    'an empty domain leaves its segment empty',
    (client) => client.emailDomain(''),
    '/v1/email/domain//dns',
  ],
  [
    'the domain is escaped',
    (client) => client.emailDomain('exämple.com/x'),
    '/v1/email/domain/ex%C3%A4mple.com%2Fx/dns',
  ],
  [
    'selectors are joined with commas',
    (client) => client.emailDomain('example.com', { selectors: ['s1', 's2'] }),
    '/v1/email/domain/example.com/dns?selectors=s1%2Cs2',
  ],
  [
    'an empty list of selectors sends nothing',
    (client) => client.emailDomain('example.com', { include: ['transport', 'networks'] }),
    '/v1/email/domain/example.com/dns?include=transport%2Cnetworks',
  ],
  [
    'empty lists are left out',
    (client) => client.emailDomain('example.com', { selectors: [], include: [] }),
    '/v1/email/domain/example.com/dns',
  ],
  ['the dataset', (client) => client.dataset(), '/v1/dataset'],
] satisfies [string, (client: Client) => Promise<unknown>, string][]) {
  test(`client: ${behaviour}`, async (t) => {
    const { client, requests } = await scripted(t, [ok()]);
    await call(client);
    assert.deepEqual(
      requests.map(({ method, url, headers, body }) => [method, url, headers['x-api-key'], body]),
      [['GET', path, API_KEY, '']],
    );
  });
}

test('client: records to try are posted as JSON', async (t) => {
  const { client, requests } = await scripted(t, [ok()]);
  await client.tryEmailDomain('example.com', { zone: '@ TXT ""' });
  const [sent] = requests.map(({ method, url, body }) => [method, url, body]);
  assert.deepEqual(sent, ['POST', '/v1/email/domain/example.com/try', '{"zone":"@ TXT \\"\\""}']);
});

test('client: a batch is posted as JSON', async (t) => {
  const { client, requests } = await scripted(t, [ok({ '192.0.2.1': {}, '2001:db8::1': {} })]);
  await client.batch(['192.0.2.1', '2001:db8::1']);
  assert.deepEqual(
    requests.map(({ method, url, headers, body }) => [
      method,
      url,
      headers['content-type'],
      headers['x-api-key'],
      body,
    ]),
    [['POST', '/v1/ip/batch', 'application/json', API_KEY, '{"ips":["192.0.2.1","2001:db8::1"]}']],
  );
});

for (const [endpoint, path] of [
  ['health', '/healthz'],
  ['ready', '/readyz'],
] as const) {
  test(`client: ${endpoint} sends no key`, async (t) => {
    const { client, requests } = await scripted(t, [ok({ status: 'fine' })]);
    assert.deepEqual((await client[endpoint]()).data, { status: 'fine' });
    assert.deepEqual(
      requests.map(({ url, headers }) => [url, headers['x-api-key']]),
      [[path, undefined]],
    );
  });
}

test('client: a server that is not ready is a NOT_READY error with its checks', async (t) => {
  const checks = { dataset: 'missing', storage: 'ok' };
  const body = {
    data: { error: 'not ready', code: 'NOT_READY', checks },
    meta: { processing_time_ms: 0 },
  };
  const { client, requests } = await scripted(t, [{ status: 503, body }]);
  await assert.rejects(client.ready(), {
    name: 'WhenceError',
    status: 503,
    code: 'NOT_READY',
    details: { checks },
  });
  assert.equal(requests.length, 1, 'it is a result, so it is not retried');
});

for (const [behaviour, suffix, path] of [
  ['nothing', '', '/healthz'],
  ['a slash', '/', '/healthz'],
  ['a path prefix', '/whence', '/whence/healthz'],
  ['a path prefix and slashes', '/api/whence//', '/api/whence/healthz'],
] as const) {
  test(`client: the base URL may end in ${behaviour}`, async (t) => {
    const { url, requests } = await scripted(t, [ok()]);
    await createClient({ baseUrl: `${url}${suffix}`, apiKey: API_KEY }).health();
    assert.equal(requests[0]?.url, path);
  });
}

const withBaseUrl = (baseUrl: string) => ({ baseUrl, apiKey: API_KEY });
const withKey = (apiKey: string) => ({ baseUrl: 'https://whence.example', apiKey });
const withNumber = (options: Partial<ClientOptions>) => ({ ...withKey(API_KEY), ...options });

for (const [behaviour, options, message] of [
  [
    'the key in place of the base URL',
    withBaseUrl(API_KEY),
    'baseUrl must be an http or https URL',
  ],
  ['an empty base URL', withBaseUrl(''), 'baseUrl must be an http or https URL'],
  ['another protocol', withBaseUrl('ftp://whence.example'), 'baseUrl must be an http or https URL'],
  [
    'credentials in the base URL',
    withBaseUrl(`https://u:${API_KEY}@a.example`),
    'baseUrl must not contain a user name or password',
  ],
  [
    'a query in the base URL',
    withBaseUrl(`https://a.example/?key=${API_KEY}`),
    'baseUrl must not contain a query or fragment',
  ],
  [
    'a fragment in the base URL',
    withBaseUrl(`https://a.example/#${API_KEY}`),
    'baseUrl must not contain a query or fragment',
  ],
  [
    'a key with a line break',
    withKey(`${API_KEY}\r\nX-Other: 1`),
    /^apiKey must consist of one or more visible ASCII characters$/,
  ],
  [
    'a key with a space',
    withKey(`${API_KEY} `),
    /^apiKey must consist of one or more visible ASCII characters$/,
  ],
  [
    'a key with a non-ASCII character',
    withKey(`${API_KEY}…`),
    /^apiKey must consist of one or more visible ASCII characters$/,
  ],
  ['an empty key', withKey(''), /^apiKey must consist of one or more visible ASCII characters$/],
  [
    'a timeout of 0',
    withNumber({ timeoutMs: 0 }),
    'timeoutMs must be an integer from 1 to 2147483647',
  ],
  [
    'an infinite timeout',
    withNumber({ timeoutMs: Infinity }),
    'timeoutMs must be an integer from 1 to 2147483647',
  ],
  [
    'negative retries',
    withNumber({ retries: -1 }),
    'retries must be an integer from 0 to 2147483647',
  ],
  [
    'a batch size of 0',
    withNumber({ batchSize: 0 }),
    'batchSize must be an integer from 1 to 2147483647',
  ],
  [
    'a delay that is NaN',
    withNumber({ maxRetryDelayMs: Number.NaN }),
    /^maxRetryDelayMs must be an integer/,
  ],
] satisfies [string, ClientOptions, string | RegExp][]) {
  test(`client: createClient rejects ${behaviour}`, () => {
    assert.throws(() => createClient(options), { name: 'TypeError', message });
  });
}

test('client: data, meta, request id and remaining quota are returned', async (t) => {
  const headers = {
    'X-Request-ID': 'id-1',
    'X-RateLimit-Limit': '1000',
    'X-RateLimit-Remaining': '999',
    'X-RateLimit-Reset': '1800057600',
  };
  const meta = {
    request_id: 'id-1',
    processing_time_ms: 1,
    cache_status: 'MISS',
    dataset_version: 42,
  };
  const { client } = await scripted(t, [{ headers, body: { data: { ip: '192.0.2.1' }, meta } }]);
  assert.deepEqual(await client.ip('192.0.2.1'), {
    data: { ip: '192.0.2.1' },
    meta,
    rateLimit: { limit: 1000, remaining: 999, resetAt: new Date('2027-01-16T00:00:00Z') },
    requestId: 'id-1',
  });
});

for (const [behaviour, headers, meta, requestId] of [
  ['the request id comes from meta if the header is hidden', {}, { request_id: 'id-2' }, 'id-2'],
  ['without a request id it is empty', {}, {}, ''],
  ['a rate limit without its other headers is ignored', { 'X-RateLimit-Limit': '1000' }, {}, ''],
  [
    'rate limits that are not numbers are ignored',
    {
      'X-RateLimit-Limit': 'many',
      'X-RateLimit-Remaining': '1',
      'X-RateLimit-Reset': '9'.repeat(20),
    },
    {},
    '',
  ],
] as const) {
  test(`client: ${behaviour}`, async (t) => {
    const { client } = await scripted(t, [
      { headers, body: { data: {}, meta: { processing_time_ms: 1, ...meta } } },
    ]);
    const response = await client.ip('192.0.2.1');
    assert.equal(response.requestId, requestId);
    assert.ok(!('rateLimit' in response));
  });
}

test('client: an error response is a WhenceError with all of its fields', async (t) => {
  const details = { limit: 10, received: 11 };
  const data = { error: 'batch size exceeds limit', code: 'BATCH_TOO_LARGE', details };
  const body = { data, meta: { processing_time_ms: 0 } };
  const { client } = await scripted(t, [
    { status: 400, headers: { 'X-Request-ID': 'id-3' }, body },
  ]);
  await assert.rejects(client.batch(['192.0.2.1']), {
    name: 'WhenceError',
    message: 'batch size exceeds limit',
    status: 400,
    code: 'BATCH_TOO_LARGE',
    requestId: 'id-3',
    details,
  });
});

test('client: an error response without details gives an error without details', async (t) => {
  const { client } = await scripted(t, [refusal(404, 'NOT_FOUND', 'no data found for IP')]);
  const error = await client.ip('192.0.2.1').catch((error) => error);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'name', 'requestId', 'status']);
});

for (const [behaviour, status, body] of [
  ['an error page of a proxy', 502, '<html><b>secret page</b></html>'],
  ['an empty error response', 500, ''],
  ['an empty response', 200, ''],
  ['a page with status 200', 200, '<html>secret page</html>'],
  ['truncated JSON', 200, '{"data":{"secret page":1},"meta":{"processing_time_ms":1}'],
  ['a response without meta', 200, { data: { text: 'secret page' } }],
  ['a response without data', 200, { meta: { processing_time_ms: 1 } }],
  ['meta without processing_time_ms', 200, { data: {}, meta: {} }],
  ['meta that is null', 200, { data: {}, meta: null }],
  ['data that is an array', 200, { data: ['secret page'], meta: { processing_time_ms: 1 } }],
  ['data that is null', 200, { data: null, meta: { processing_time_ms: 1 } }],
  ['JSON that is not an object', 200, '1'],
  ['an error response without meta', 400, { data: { error: 'secret page', code: 'INVALID_IP' } }],
  [
    'an error response without a code',
    400,
    { data: { error: 'secret page' }, meta: { processing_time_ms: 1 } },
  ],
  [
    'an error response whose code is not a string',
    400,
    { data: { error: 'secret page', code: 1 }, meta: { processing_time_ms: 1 } },
  ],
  ['the error of another service', 403, { message: 'secret page' }],
] as const) {
  test(`client: ${behaviour} is a BAD_RESPONSE that does not quote it`, async (t) => {
    const { client } = await scripted(t, [{ status, headers: { 'X-Request-ID': 'id-4' }, body }]);
    const error = await client.ip('192.0.2.1').catch((error) => error);
    assert.deepEqual(
      [error.name, error.code, error.status, error.requestId],
      ['WhenceError', 'BAD_RESPONSE', status, 'id-4'],
    );
    assert.equal(error.message, `not a response of the Whence API (HTTP ${status})`);
    assert.equal(error.cause, undefined);
  });
}
