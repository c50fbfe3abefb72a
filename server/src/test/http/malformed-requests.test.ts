/**
 * What is not HTTP as it should be, sent as bytes: every answer is in the envelope, with the code
 * of the contract.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { routes } from '../../dashboard/wire/contract.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { serverReads } from './raw-connection.ts';
import { exchange, parseAnswers } from './raw-http.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let key: string;

before(async () => {
  folder.publish();
  key = (await folder.createKey()).secret;
  server = await startInProcess(folder);
});
after(async () => {
  await server.close();
  folder.remove();
});

const HOST = 'Host: x\r\n';
const CLOSE = 'Connection: close\r\n\r\n';
const CHUNKED = `POST /v1/ip/batch HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
const long = (count: number) => 'a'.repeat(count);

for (const [behaviour, request, status, code, header] of [
  ['no Host', `GET /healthz HTTP/1.1\r\n${CLOSE}`, 400, 'BAD_REQUEST'],
  ['two Hosts', `GET /healthz HTTP/1.1\r\n${HOST}${HOST}${CLOSE}`, 400, 'BAD_REQUEST'],
  [
    'an unknown expectation',
    `GET /healthz HTTP/1.1\r\n${HOST}Expect: tea\r\n${CLOSE}`,
    400,
    'BAD_REQUEST',
  ],
  [
    'CONNECT',
    `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`,
    405,
    'METHOD_NOT_ALLOWED',
    ['allow', 'GET, HEAD, POST'],
  ],
  [
    'a method without a route',
    `PROPFIND /v1/ip/8.8.8.8 HTTP/1.1\r\n${HOST}${CLOSE}`,
    405,
    'METHOD_NOT_ALLOWED',
    ['allow', 'GET, HEAD'],
  ],
  [
    'such a method on an unknown path',
    `PROPFIND /nothing HTTP/1.1\r\n${HOST}${CLOSE}`,
    404,
    'ROUTE_NOT_FOUND',
  ],
  [
    'TRACE',
    `TRACE /healthz HTTP/1.1\r\n${HOST}${CLOSE}`,
    405,
    'METHOD_NOT_ALLOWED',
    ['allow', 'GET, HEAD'],
  ],
  ['a method that does not exist', `BREW /healthz HTTP/1.1\r\n${HOST}${CLOSE}`, 400, 'BAD_REQUEST'],
  [
    'an address of 5,000 characters',
    `GET /v1/ip/${long(5000)} HTTP/1.1\r\n${HOST}${CLOSE}`,
    401,
    'UNAUTHORIZED',
  ],
  [
    'a path of 9,000 characters',
    `GET /v1/ip/${long(9000)} HTTP/1.1\r\n${HOST}${CLOSE}`,
    414,
    'URI_TOO_LONG',
  ],
  [
    'a query of 9,000 characters',
    `GET /v1/asn/search?q=${long(9000)} HTTP/1.1\r\n${HOST}${CLOSE}`,
    414,
    'URI_TOO_LONG',
  ],
  [
    'headers of 20,000 bytes',
    `GET /healthz HTTP/1.1\r\n${HOST}X: ${long(20_000)}\r\n${CLOSE}`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  [
    'broken JSON to an unknown path',
    `POST /nothing HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 3\r\n${CLOSE}{{{`,
    404,
    'ROUTE_NOT_FOUND',
  ],
  [
    'broken JSON with another method on a known path',
    `POST /v1/ip/8.8.8.8 HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 3\r\n${CLOSE}{{{`,
    405,
    'METHOD_NOT_ALLOWED',
    ['allow', 'GET, HEAD'],
  ],
  [
    'two lengths',
    `POST /v1/ip/batch HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 4\r\n${CLOSE}{{{`,
    400,
    'BAD_REQUEST',
  ],
  [
    'a length and chunks',
    `POST /v1/ip/batch HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n${CLOSE}0\r\n\r\n`,
    400,
    'BAD_REQUEST',
  ],
  [
    'a transfer coding that does not end with chunked',
    `GET /healthz HTTP/1.1\r\n${HOST}Transfer-Encoding: identity\r\n${CLOSE}`,
    400,
    'BAD_REQUEST',
  ],
  [
    'an absolute target without a host',
    `GET https:// HTTP/1.1\r\n${HOST}${CLOSE}`,
    400,
    'BAD_REQUEST',
  ],
  [
    'a chunk whose size is not a number',
    `${CHUNKED}X-API-Key: $KEY\r\n\r\nx\r\n`,
    400,
    'BAD_REQUEST',
  ],
  [
    'such a chunk without a key, which is checked before the body',
    `${CHUNKED}\r\nx\r\n`,
    401,
    'UNAUTHORIZED',
  ],
  [
    'a header without a colon',
    `GET /healthz HTTP/1.1\r\n${HOST}nonsense\r\n${CLOSE}`,
    400,
    'BAD_REQUEST',
  ],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'BAD_REQUEST'],
] as const) {
  test(`malformed requests: ${behaviour}`, async () => {
    const answers = parseAnswers(await exchange(server.url, request.replace('$KEY', key)));
    assert.equal(answers.length, 1);
    const [answer] = answers;
    const { data, meta } = JSON.parse(answer?.body ?? '');
    assert.deepEqual([answer?.status, data.code], [status, code]);
    assert.equal(typeof meta.processing_time_ms, 'number');
    assert.match(answer?.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(answer?.headers['content-type'], 'application/json; charset=utf-8');
    if (header !== undefined) assert.equal(answer?.headers[header[0]], header[1]);
  });
}

const BAD_ESCAPES = [
  '%',
  '%z',
  '%zz',
  '%2',
  '%ff',
  '%c0%80',
  '%ed%a0%80',
  '8.8.8.8%',
  'a%ffb.example',
  '%41%ff',
  '%'.repeat(4_000),
];
/**
 * A route with a parameter in its path, by name: the code of a text that the parameter cannot be.
 */
const CODES = {
  ip: 'INVALID_IP',
  asn: 'INVALID_ASN',
  cidr: 'INVALID_PREFIX',
  domain: 'INVALID_DOMAIN',
  name: 'DATABASE_NOT_FOUND',
  list: 'LIST_NOT_FOUND',
  edition: 'Database edition not found',
  id: 'EVENT_NOT_FOUND',
} as const;
const REFUNDED: readonly string[] = ['DATABASE_NOT_FOUND', 'LIST_NOT_FOUND'];

test('malformed requests: a path whose percent-encoding is malformed is a request like others, on every route', async () => {
  const { secret } = await folder.createKey({ permissions: [...PERMISSIONS], tier: 'pro' });
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const asked = Object.entries(paths).flatMap(([path, methods]) =>
    path.includes('{')
      ? Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() }))
      : [],
  );
  assert.ok(asked.length >= 8, `${asked.length} routes`);
  let remaining: number | undefined;
  for (const { path, method } of asked) {
    const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
    const code = CODES[parameter as keyof typeof CODES];
    for (const escapes of BAD_ESCAPES) {
      const target = path.replaceAll(/\{\w+\}/g, escapes);
      const body =
        method === 'GET' ? '' : 'Content-Type: application/json\r\nContent-Length: 2\r\n';
      const head = `${method} ${target} HTTP/1.1\r\n${HOST}X-API-Key: ${secret}\r\n${body}${CLOSE}`;
      const [answer] = parseAnswers(await exchange(server.url, body === '' ? head : `${head}{}`));
      const what = `${method} ${target.slice(0, 60)}: ${answer?.body}`;
      assert.ok(answer?.body.includes(code), what);
      const left = Number(answer?.headers['x-ratelimit-remaining']);
      // A database or a list that does not exist is refunded.
      const isCounted = path.startsWith('/v1/') && !REFUNDED.includes(code);
      if (remaining !== undefined) assert.equal(left, remaining - (isCounted ? 1 : 0), what);
      remaining = left;
    }
  }
});

test("malformed requests: such a path on the dashboard's routes is refused by them", async () => {
  const client = await signedInAs(folder, server.url, 'Ada', 'admin');
  const asked = Object.values(routes).filter(
    ({ method, path }) => method === 'GET' && path.includes(':'),
  );
  assert.ok(asked.length >= 5, `${asked.length} routes`);
  for (const { path } of asked) {
    const target = path.replaceAll(/:\w+/g, '%ff%');
    const head = `GET ${target} HTTP/1.1\r\n${HOST}Cookie: ${client.cookie}\r\n${CLOSE}`;
    const [answer] = parseAnswers(await exchange(server.url, head));
    assert.match(
      answer?.body ?? '',
      /"code":"(?:INVALID_(?:IP|ASN|PREFIX|REQUEST|DOMAIN)|NOT_FOUND)"/,
      target,
    );
  }
});

test('malformed requests: HTTP/1.0 needs no Host', async () => {
  const [answer] = parseAnswers(await exchange(server.url, 'GET /healthz HTTP/1.0\r\n\r\n'));
  assert.equal(answer?.status, 200);
});

test('malformed requests: garbage after pipelined requests is refused after their answers', async () => {
  const lookup = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}X-API-Key: ${key}\r\n\r\n`;
  const requests = lookup('/v1/ip/8.8.8.8') + lookup('/v1/asn/15169') + lookup('/v1/ip/10.0.0.1');
  const answers = parseAnswers(await exchange(server.url, `${requests}nonsense\r\n\r\n`));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 404, 400],
  );
  assert.equal(JSON.parse(answers[1]?.body ?? '').data.asn, 15169);
});

test('malformed requests: half a request whose client ends its side is refused at once', async () => {
  const { hostname, port } = new URL(server.url);
  const head = `${HOST}X-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  socket.end(`POST /v1/ip/batch HTTP/1.1\r\n${head}{"ips":`);
  const received = await text(socket);
  assert.deepEqual(
    parseAnswers(received).map(({ status }) => status),
    [400],
  );
});

test('malformed requests: a tunnel whose client resets the connection does not end the process', async () => {
  const { hostname, port } = new URL(server.url);
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});

test('malformed requests: a truncated body is not counted as a server error', async () => {
  const { hostname, port } = new URL(server.url);
  const head = `Host: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"ips":`;
  for (const path of ['/nothing', '/v1/ip/batch']) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}`);
    await serverReads();
    socket.destroy();
    await once(socket, 'close');
  }
  const statuses = () =>
    Object.values(server.metrics().routes).flatMap((route) => Object.keys(route.statuses));
  const count = () =>
    Object.values(server.metrics().routes).reduce(
      (sum, route) => sum + (route.statuses['200'] ?? 0),
      0,
    );
  // Answered after both have been closed, and counted after all that came before.
  const before = count();
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await until('a later request is counted', () => count() > before);
  assert.ok(!statuses().includes('500'), `${statuses()}`);
});
