import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'node:test';
import { inspect } from 'node:util';
import { type ClientOptions, createClient, WhenceError } from './client.ts';
import { API_KEY, type Reply, scripted } from './test/scripted-server.ts';

/** Everything of a value that a log could print. */
function everyText(value: unknown): string {
  const texts = [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: null, showHidden: true, getters: true }),
  ];
  for (let error = value; error instanceof Error; error = error.cause) {
    texts.push(error.message, String(error.stack), JSON.stringify(error), JSON.stringify({ ...error }));
  }
  return texts.join('\n');
}

function assertSecret(value: unknown): void {
  assert.ok(!everyText(value).includes(API_KEY), 'the key shows');
  assert.ok(!everyText(value).includes(API_KEY.slice(0, 20)), 'a part of the key shows');
}

const meta = { processing_time_ms: 0 };
const echo = {
  error: `no key ${API_KEY}`,
  code: `BAD_${API_KEY}`,
  details: { [API_KEY]: [API_KEY, { key: API_KEY }] },
};

for (const [behaviour, reply] of [
  ['a refusal', { status: 401, body: { data: { error: 'unauthorized', code: 'UNAUTHORIZED' }, meta } }],
  ['a refusal that repeats the key', { status: 401, headers: { 'X-Request-ID': API_KEY }, body: { data: echo, meta } }],
  ['checks that repeat the key', { status: 503, body: { data: { ...echo, checks: { [API_KEY]: API_KEY } }, meta } }],
  ['a page that repeats the key', { status: 502, body: `<html>${API_KEY}</html>` }],
  ['a redirect to the key', { status: 302, headers: { Location: `/${API_KEY}` } }],
  ['a server that hangs up', 'drop'],
  ['a server that is silent', 'hang'],
] satisfies [string, Reply][]) {
  test(`redact: ${behaviour} does not show it`, async (t) => {
    const { client } = await scripted(t, [reply], { retries: 0, timeoutMs: reply === 'hang' ? 60 : 10_000 });
    const error = await client.ip('192.0.2.1').catch((error) => error);
    assert.ok(error instanceof WhenceError);
    assertSecret(error);
  });
}

test('redact: the rest of a refusal that repeats the key is kept', async (t) => {
  const { client } = await scripted(t, [{ status: 401, body: { data: echo, meta } }]);
  await assert.rejects(client.ip('192.0.2.1'), {
    message: 'no key [API key]',
    details: { '[API key]': ['[API key]', { key: '[API key]' }] },
  });
});

test('redact: an answer that is no HTTP and repeats the key does not show it', async (t) => {
  // undici hangs the bytes it could not parse on its error.
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
  ['an error with the request on it', (init: object) => Object.assign(new Error('failed'), { request: init, init })],
  ['an error that quotes the request', (init: object) => new Error(`failed: ${JSON.stringify(init)}`)],
  [
    'a cause with the request on it',
    (init: object) => new Error('failed', { cause: Object.assign(new Error(), init) }),
  ],
  ['an error that is its own cause', (init: object) => loop(Object.assign(new Error('failed'), init))],
  ['a text', (init: object) => JSON.stringify(init)],
] as const) {
  test(`redact: a fetch that throws ${behaviour} does not show it`, async () => {
    const fetch: ClientOptions['fetch'] = async (_, init) => {
      assert.ok(JSON.stringify(init).includes(API_KEY));
      throw thrown(init);
    };
    const client = createClient({ baseUrl: 'https://whence.example', apiKey: API_KEY, fetch, retries: 0 });
    const error = await client.ip('192.0.2.1').catch((error) => error);
    assert.equal(error.code, 'NETWORK');
    assertSecret(error);
  });
}

for (const [behaviour, options] of [
  ['a base URL that is none', { baseUrl: 'whence.example', apiKey: API_KEY }],
  ['the key in place of the base URL', { baseUrl: API_KEY, apiKey: 'https://whence.example' }],
  ['the key among the credentials', { baseUrl: `https://${API_KEY}@whence.example`, apiKey: API_KEY }],
  ['the key in the query', { baseUrl: `https://whence.example?key=${API_KEY}`, apiKey: API_KEY }],
  ['a line break in the key', { baseUrl: 'https://whence.example', apiKey: `${API_KEY}\n` }],
  ['a letter outside ASCII in the key', { baseUrl: 'https://whence.example', apiKey: `${API_KEY}é` }],
] as const) {
  test(`redact: ${behaviour} is refused without showing it`, () => {
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

test('redact: the client does not show it', () => {
  assertSecret(createClient({ baseUrl: 'https://whence.example', apiKey: API_KEY }));
});

function loop(error: Error): Error {
  error.cause = error;
  return error;
}
