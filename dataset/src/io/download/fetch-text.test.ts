import assert from 'node:assert/strict';
import test, { after, afterEach, before } from 'node:test';
import { type Answer, type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { fetchText } from './fetch-text.ts';

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
    url: new URL(`${server.url}/catalogue?t=1`),
  });
  const { authorization, 'user-agent': userAgent } = server.asked[0]?.headers ?? {};
  assert.equal(authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`);
  assert.match(userAgent ?? '', /^whence\/\d+\.\d+\.\d+ \(\+mailto:noc@example\.com\)$/);
});

for (const [behaviour, answer, reason, more = {}] of [
  [
    '404',
    (response) => void response.writeHead(404).end('nothing'),
    'the server answered 404 Not Found',
    { status: 404 },
  ],
  [
    'an empty answer',
    (response) => void response.writeHead(204).end(),
    'the server answered 204 No Content',
    { status: 204 },
  ],
  ['too much', (response) => void response.end('x'.repeat(1001)), 'larger than 1000 bytes'],
  ['silence', () => {}, 'no answer within 0.3 s'],
  ['half of it', (response) => void response.writeHead(200).write('['), 'no more data within 0.3 s'],
] as readonly (readonly [string, Answer, string, { status: number }?])[])
  test(`fetch text: ${behaviour} is a sentence`, async () => {
    server.routes.set('/catalogue', answer);
    assert.deepEqual(await fetchText(new URL(`${server.url}/catalogue`), { limits: LIMITS }), {
      kind: 'failed',
      reason,
      ...more,
    });
  });

test('fetch text: where redirects are not allowed, none is followed', async () => {
  server.routes.set('/catalogue', (response) => void response.writeHead(302, { location: '/other' }).end());
  assert.deepEqual(await fetchText(new URL(`${server.url}/catalogue`), { limits: LIMITS, maxRedirects: 0 }), {
    kind: 'failed',
    reason: 'the server redirected, which is not allowed here',
  });
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
