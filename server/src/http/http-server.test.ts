import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { openLog } from '../log/log.ts';
import { createHttpServer } from './http-server.ts';

const LARGE = Buffer.alloc(8 << 20, 'a');

async function startServer() {
  const app = createHttpServer({
    log: openLog('fatal').logger,
    trustProxy: [],
    readMode: 'shared-buffer',
    onRequest: () => {},
    onFault: () => {},
    stalledMs: 500,
  });
  app.get('/large', (_request, reply) => reply.send(LARGE));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { app, port };
}

test('http server: a client that never reads its answer is disconnected', async () => {
  const { app, port } = await startServer();
  const clients = Array.from({ length: 20 }, () => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    return socket;
  });
  const count = () => new Promise<number>((resolve) => app.server.getConnections((_error, number) => resolve(number)));
  await once(app.server, 'request');
  assert.ok((await count()) > 0);
  await until('all connections are closed', async () => (await count()) === 0);
  for (const socket of clients) socket.destroy();
  await app.close();
});

test('http server: a client that reads slowly gets all of its answer', async () => {
  const { app, port } = await startServer();
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let received = 0;
  socket.on('data', (piece) => {
    received += piece.length;
    socket.pause();
    setTimeout(() => socket.resume(), 10);
  });
  await once(socket, 'close');
  assert.ok(received > LARGE.length, `${received} bytes`);
  await app.close();
});
