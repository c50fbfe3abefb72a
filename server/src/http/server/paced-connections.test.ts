import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test, { after, before, beforeEach, describe } from 'node:test';
import { periodPasses, until } from '@whence/testing/until';
import type { FastifyInstance } from 'fastify';
import { openLog } from '../../log/log.ts';
import { HeldBytes } from './held-bytes.ts';
import { createHttpServer } from './http-server.ts';

/** More than the buffers of both systems take for a client that does not read. */
const LARGE = Buffer.alloc(16 << 20, 'a');

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (body: string, more = '') =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const chunked = (body: string) =>
  `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const many = (count: number) => Array.from({ length: count }, (_, i) => `/now/${i}`);

const bodies = (received: string) =>
  [...received.matchAll(/\r\n\r\n(\{[^\r]*?\})(?=HTTP|$)/g)].map(([, body]) => body);
const CLOSE = 'Connection: close\r\n';

for (const readMode of ['shared-buffer', 'data-events'] as const)
  describe(readMode, () => {
    let app: FastifyInstance;
    let port: number;
    /** Paths in the order in which their handlers ran. */
    const handled: string[] = [];
    const releases = new Map<string, () => void>();

    before(async () => {
      app = createHttpServer({
        log: openLog('fatal').logger,
        trustProxy: [],
        readMode,
        onRequest: () => {},
        onFault: () => {},
      });
      app.addHook('preHandler', async ({ url }) => void handled.push(url));
      app.get('/large', (_request, reply) => reply.send(LARGE));
      app.get('/now/:id', ({ url }) => ({ url }));
      app.post('/echo', ({ body }) => ({ body }));
      app.get('/later/:id', async ({ url }) => {
        await new Promise<void>((resolve) => releases.set(url, resolve));
        return { url };
      });
      await app.listen({ host: '127.0.0.1', port: 0 });
      port = (app.server.address() as AddressInfo).port;
    });
    after(() => app.close());
    beforeEach(() => {
      handled.length = 0;
      releases.clear();
    });

    /** Sends the bytes, closes its side unless told otherwise, and returns all that comes back. */
    async function exchange(
      bytes: string | readonly string[],
      { isHalfClosed = true } = {},
    ): Promise<string> {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setNoDelay(true);
      let received = '';
      socket.on('data', (piece) => {
        received += piece.toString('latin1');
      });
      for (const piece of typeof bytes === 'string' ? [bytes] : bytes)
        await new Promise((sent) => socket.write(piece, sent));
      if (isHalfClosed) socket.end();
      await once(socket, 'end');
      socket.destroy();
      return received;
    }

    for (const [behaviour, bytes, want] of [
      [
        'a hundred in one write',
        many(100)
          .map((path) => get(path))
          .join(''),
        many(100),
      ],
      [
        'in single bytes',
        [...(get('/now/1') + post('{"a":1}') + get('/now/2'))],
        ['/now/1', '/echo', '/now/2'],
      ],
      [
        'cut inside the empty line',
        [get('/now/1').slice(0, -1), `\n${get('/now/2')}${get('/now/3')}`],
        many(4).slice(1),
      ],
      [
        'after a body of a known length',
        post('{"a":1}') + get('/now/1') + get('/now/2'),
        ['/echo', '/now/1', '/now/2'],
      ],
      [
        'after chunked bodies',
        chunked('{"a":1}') + chunked('{"b":2}') + get('/now/1'),
        ['/echo', '/echo', '/now/1'],
      ],
      [
        'a large body',
        post(JSON.stringify('x'.repeat(200_000))) + get('/now/1'),
        ['/echo', '/now/1'],
      ],
      [
        'after one that closes, nothing',
        get('/now/1', CLOSE) + get('/now/2') + get('/now/3'),
        ['/now/1'],
      ],
      ['after a body that closes, nothing', post('{}', CLOSE) + get('/now/2'), ['/echo']],
      [
        'after HTTP/1.0, nothing',
        'GET /now/1 HTTP/1.0\r\n\r\nGET /now/2 HTTP/1.0\r\n\r\n',
        ['/now/1'],
      ],
    ] as const)
      test(`paced connection: pipelined requests of a half-closed client are answered in order: ${behaviour}`, async () => {
        const received = await exchange(bytes);
        assert.deepEqual(handled, want);
        assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, want.length);
        assert.equal(bodies(received).length, want.length);
      });

    test('paced connection: while an answer is pending, no further request is processed', async () => {
      const answer = exchange(['/later/1', '/later/2', '/now/3'].map((path) => get(path)).join(''));
      await until('it is handled', () => releases.has('/later/1'));
      // A whole exchange on another connection: the bytes above have been read by then.
      await exchange(get('/now/0'));
      assert.deepEqual(handled, ['/later/1', '/now/0']);
      releases.get('/later/1')?.();
      await until('it is handled', () => releases.has('/later/2'));
      assert.equal(handled.length, 3);
      releases.get('/later/2')?.();
      assert.deepEqual(bodies(await answer), [
        '{"url":"/later/1"}',
        '{"url":"/later/2"}',
        '{"url":"/now/3"}',
      ]);
    });

    test('paced connection: while an answer is unread, no further request is processed', async () => {
      const socket = connect(port, '127.0.0.1').pause();
      socket.write(get('/large').repeat(1_000));
      await until('it is handled', () => handled.length > 0);
      for (let i = 0; i < 10; i++) await exchange(get(`/now/${i}`));
      assert.equal(handled.filter((path) => path === '/large').length, 1);
      socket.destroy();
    });

    test('paced connection: a client that closes its side and waits gets a late answer, after an interim one', async () => {
      const answer = exchange(get('/later/1'));
      await until('it is handled', () => releases.has('/later/1'));
      await periodPasses(400);
      releases.get('/later/1')?.();
      assert.match(
        await answer,
        /^(HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n[\s\S]*\{"url":"\/later\/1"\}$/,
      );
    });

    test('paced connection: the request of a client that is gone is aborted', async () => {
      const closed = new Promise<void>((resolve) => {
        app.server.once('request', (_request, response) => response.once('close', resolve));
      });
      const socket = connect(port, '127.0.0.1');
      socket.write(get('/later/1'));
      await until('it is handled', () => releases.has('/later/1'));
      socket.destroy();
      await closed;
    });
  });

test('held bytes: beyond the limit, those that hold the longest are closed', () => {
  const closed: string[] = [];
  const held = new HeldBytes<string>(100, (connection) => closed.push(connection));
  held.add('a', 40);
  held.add('b', 40);
  held.subtract('a', 40);
  held.add('a', 10);
  held.add('c', 45);
  assert.deepEqual([closed, held.total], [[], 95]);
  held.add('c', 20);
  assert.deepEqual([closed, held.total], [['b'], 75]);
  held.add('d', 200);
  assert.deepEqual([closed, held.total], [['b', 'a', 'c', 'd'], 0]);
  held.subtract('d', 200);
  assert.equal(held.total, 0);
});
