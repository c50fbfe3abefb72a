import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'node:test';
import { inspect } from 'node:util';
import { type ClientOptions, createClient, WhenceError } from './client.ts';
import { API_KEY, type Reply, scripted } from './test/scripted-server.ts';

/** Everything that a log could print of a value. */
function everyText(value: unknown): string {
  const texts = [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: null, showHidden: true, getters: true }),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    texts.push(
      error.message,
      String(error.stack),
      JSON.stringify(error),
      JSON.stringify({ ...error }),
    );
  }
  return texts.join('\n');
}

function assertSecret(value: unknown): void {
  assert.ok(!everyText(value).includes(API_KEY), 'the key is visible');
  assert.ok(!everyText(value).includes(API_KEY.slice(0, 20)), 'a part of the key is visible');
}

const meta = { processing_time_ms: 0 };
const echo = {
  error: `no key ${API_KEY}`,
  code: `BAD_${API_KEY}`,
  details: { [API_KEY]: [API_KEY, { key: API_KEY }] },
};

for (const [behaviour, reply] of [
  [
    'an error response',
    { status: 401, body: { data: { error: 'unauthorized', code: 'UNAUTHORIZED' }, meta } },
  ],
  [
    'an error response that repeats the key',
    { status: 401, headers: { 'X-Request-ID': API_KEY }, body: { data: echo, meta } },
  ],
  [
    'checks that repeat the key',
    { status: 503, body: { data: { ...echo, checks: { [API_KEY]: API_KEY } }, meta } },
  ],
  ['a page that repeats the key', { status: 502, body: `<html>${API_KEY}</html>` }],
  ['a redirect to the key', { status: 302, headers: { Location: `/${API_KEY}` } }],
  ['a closed connection', 'drop'],
  ['a timeout', 'hang'],
] satisfies [string, Reply][]) {
  test(`redact: ${behaviour} does not reveal the key`, async (t) => {
    const { client } = await scripted(t, [reply], {
      retries: 0,
      timeoutMs: reply === 'hang' ? 60 : 10_000,
    });
    const error = await client.ip('192.0.2.1').catch((error) => error);
    assert.ok(error instanceof WhenceError);
    assertSecret(error);
  });
}

test('redact: the rest of an error response that repeats the key is kept', async (t) => {
  const { client } = await scripted(t, [{ status: 401, body: { data: echo, meta } }]);
  await assert.rejects(client.ip('192.0.2.1'), {
    message: 'no key [API key]',
    details: { '[API key]': ['[API key]', { key: '[API key]' }] },
  });
});

test('redact: a response that is not HTTP and repeats the key does not reveal it', async (t) => {
  // undici attaches the bytes it could not parse to its error.
  const server = createServer((socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n=${API_KEY}\r\n\r\n`)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await createClient({ baseUrl, apiKey: API_KEY, retries: 0 })
    .ip('192.0.2.1')
    .catch((error) => error);
  assert.equal(error.code, 'NETWORK');
  assert.match(error.cause.cause.code, /^HPE_/);
  assertSecret(error);
});

for (const [behaviour, thrown] of [
  [
    'an error with the request attached',
    (init: object) => Object.assign(new Error('failed'), { request: init, init }),
  ],
  [
    'an error that quotes the request',
    (init: object) => new Error(`failed: ${JSON.stringify(init)}`),
  ],
  [
    'a cause with the request attached',
    (init: object) => new Error('failed', { cause: Object.assign(new Error(), init) }),
  ],
  [
    'an error that is its own cause',
    (init: object) => loop(Object.assign(new Error('failed'), init)),
  ],
  ['a string', (init: object) => JSON.stringify(init)],
] as const) {
  test(`redact: a fetch that throws ${behaviour} does not reveal the key`, async () => {
    const fetch: ClientOptions['fetch'] = async (_, init) => {
      assert.ok(JSON.stringify(init).includes(API_KEY));
      throw thrown(init);
    };
    const client = createClient({
      baseUrl: 'https://whence.example',
      apiKey: API_KEY,
      fetch,
      retries: 0,
    });
    const error = await client.ip('192.0.2.1').catch((error) => error);
    assert.equal(error.code, 'NETWORK');
    assertSecret(error);
  });
}

for (const [behaviour, options] of [
  ['an invalid base URL', { baseUrl: 'whence.example', apiKey: API_KEY }],
  ['the key in place of the base URL', { baseUrl: API_KEY, apiKey: 'https://whence.example' }],
  [
    'the key among the credentials',
    { baseUrl: `https://${API_KEY}@whence.example`, apiKey: API_KEY },
  ],
  ['the key in the query', { baseUrl: `https://whence.example?key=${API_KEY}`, apiKey: API_KEY }],
  ['a line break in the key', { baseUrl: 'https://whence.example', apiKey: `${API_KEY}\n` }],
  [
    'a non-ASCII character in the key',
    { baseUrl: 'https://whence.example', apiKey: `${API_KEY}é` },
  ],
] as const) {
  test(`redact: ${behaviour} is rejected without revealing the key`, () => {
    assert.throws(
      () => createClient(options),
      (error) => {
        assert.ok(error instanceof TypeError);
        assertSecret(error);
        return true;
      },
    );
  });
}

test('redact: the client object does not reveal the key', () => {
  assertSecret(createClient({ baseUrl: 'https://whence.example', apiKey: API_KEY }));
});

function loop(error: Error): Error {
  error.cause = error;
  return error;
}
