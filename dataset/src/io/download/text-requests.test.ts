import assert from 'node:assert/strict';
import test, { after, afterEach, before } from 'node:test';
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from '@whence/testing/servers/loopback-server';
import { fetchText, postText } from './text-requests.ts';

const LIMITS = { maxBytes: 1000, idleTimeoutMs: 300, totalTimeoutMs: 5000 };

let server: LoopbackServer;
before(async () => {
  server = await startLoopbackServer();
});
after(() => server.close());
afterEach(() => server.reset());

test('fetch text: the text, with credentials, User-Agent and contact', async () => {
  server.routes.set('/catalogue?t=1', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"ü":1}]');
  });
  const url = new URL(`${server.url.replace('//', '//user:secret@')}/catalogue?t=1`);
  const fetched = await fetchText(url, { limits: LIMITS, contact: 'mailto:noc@example.com' });
  assert.deepEqual(fetched, {
    kind: 'fetched',
    text: '[{"ü":1}]',
    contentType: 'application/json',
  });
  const { authorization, 'user-agent': userAgent } = server.asked[0]?.headers ?? {};
  assert.equal(authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`);
  assert.match(userAgent ?? '', /^whence\/\d+\.\d+\.\d+ \(\+mailto:noc@example\.com\)$/);
});

for (const [behaviour, answer, reason] of [
  [
    '404',
    (response) => void response.writeHead(404).end('nothing'),
    'the server answered 404 Not Found',
  ],
  [
    'an empty answer',
    (response) => void response.writeHead(204).end(),
    'the server answered 204 No Content',
  ],
  ['too much', (response) => void response.end('x'.repeat(1001)), 'larger than 1000 bytes'],
  ['silence', () => {}, 'no answer within 0.3 s'],
  [
    'half of it',
    (response) => void response.writeHead(200).write('['),
    'no more data within 0.3 s',
  ],
] as readonly (readonly [string, Answer, string])[])
  test(`fetch text: ${behaviour} is a sentence`, async () => {
    server.routes.set('/catalogue', answer);
    assert.deepEqual(await fetchText(new URL(`${server.url}/catalogue`), { limits: LIMITS }), {
      kind: 'failed',
      reason,
    });
  });

test('fetch text: where redirects are not allowed, none is followed', async () => {
  server.routes.set(
    '/catalogue',
    (response) => void response.writeHead(302, { location: '/other' }).end(),
  );
  assert.deepEqual(
    await fetchText(new URL(`${server.url}/catalogue`), { limits: LIMITS, maxRedirects: 0 }),
    {
      kind: 'failed',
      reason: 'the server redirected, which is not allowed here',
    },
  );
  assert.equal(server.asked.length, 1);
});

test('fetch text: a signal ends it', async () => {
  const controller = new AbortController();
  server.routes.set('/catalogue', () => controller.abort());
  const fetched = await fetchText(new URL(`${server.url}/catalogue`), {
    limits: { ...LIMITS, idleTimeoutMs: 5000 },
    signal: controller.signal,
  });
  assert.equal(fetched.kind, 'failed');
});

const post = (path: string) =>
  postText(new URL(`${server.url.replace('//', '//user:secret@')}${path}`), '{"ü":1}', {
    headers: { 'content-type': 'application/json' },
    limits: { idleTimeoutMs: 300, totalTimeoutMs: 5_000 },
  });

test('post text: the text, with its length in bytes, credentials and User-Agent', async () => {
  let body = '';
  server.routes.set('/hook?t=1', async (response, request) => {
    for await (const chunk of request) body += chunk;
    response.writeHead(202).end();
  });
  assert.deepEqual(await post('/hook?t=1'), {
    kind: 'answered',
    status: 202,
    reason: 'answered 202 Accepted',
  });
  const headers = server.asked[0]?.headers ?? {};
  assert.equal(body, '{"ü":1}');
  assert.equal(headers['content-length'], '8');
  assert.equal(headers.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`);
  assert.match(headers['user-agent'] ?? '', /^whence\/\d/);
});

for (const [behaviour, answer, want] of [
  [
    'a redirect is an answer and is not followed',
    (response) => void response.writeHead(307, { location: '/other' }).end(),
    { kind: 'answered', status: 307, reason: 'answered 307 Temporary Redirect' },
  ],
  [
    'of a large answer the status is enough',
    (response) => void response.writeHead(200).end(Buffer.alloc(10_000_000)),
    { kind: 'answered', status: 200, reason: 'answered 200 OK' },
  ],
  ['silence ends', () => {}, { kind: 'failed', reason: 'no answer within 0.3 s' }],
] as readonly (readonly [string, Answer, object])[])
  test(`post text: ${behaviour}`, async () => {
    server.routes.set('/hook', answer);
    assert.deepEqual(await post('/hook'), want);
    assert.equal(server.asked.length, 1);
  });
