import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '@whence/testing/until';
import { openLog } from '../../log/log.ts';
import { createHttpServer } from './http-server.ts';

const LARGE = Buffer.alloc(8 << 20, 'a');

async function startServer(t: TestContext, { stalledMs = 500 } = {}) {
  let faults = 0;
  const app = createHttpServer({
    log: openLog('fatal').logger,
    trustProxy: [],
    readMode: 'shared-buffer',
    onRequest: () => {},
    onFault: () => faults++,
    stalledMs,
  });
  app.get('/large', (_request, reply) => reply.send(LARGE));
  app.get('/never', () => new Promise(() => {}));
  app.get('/now', () => ({ data: {} }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { app, port, faults: () => faults };
}

test('http server: a request that its handler never answers ends with a 503, and its connection is still of use', async (t) => {
  const { port, faults } = await startServer(t);
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece) => {
    received += piece;
  });
  socket.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('it is answered', () => received.endsWith('}'));
  assert.match(received, /^HTTP\/1\.1 503 /);
  assert.match(received, /\r\nRetry-After: 5\r\n/i);
  assert.equal(faults(), 1, 'it is refunded');
  received = '';
  socket.write('GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  assert.match(received, /^HTTP\/1\.1 200 /);
});

test('http server: a client that never reads its answer is disconnected', async (t) => {
  const { app, port } = await startServer(t);
  const clients = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    return socket;
  });
  const count = () =>
    new Promise<number>((resolve) =>
      app.server.getConnections((_error, number) => resolve(number)),
    );
  await once(app.server, 'request');
  assert.ok((await count()) > 0);
  await until('all connections are closed', async () => (await count()) === 0);
  for (const socket of clients) socket.destroy();
});

test('http server: a client that reads slowly gets all of its answer', async (t) => {
  // The client takes longer than this in all, and much less between two reads.
  const { port } = await startServer(t, { stalledMs: 2_000 });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = 0;
  socket.on('data', (piece) => {
    received += piece.length;
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  await once(socket, 'close');
  assert.ok(received > LARGE.length, `${received} bytes`);
});
