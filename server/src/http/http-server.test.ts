import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import test from 'node:test';
import { createLogger } from '../log.ts';
import { createHttpServer } from './http-server.ts';

const LARGE = Buffer.alloc(8 << 20, 'a');

async function startServer() {
  const app = createHttpServer({
    log: createLogger('fatal', false),
    trustProxy: [],
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
  for (let i = 0; (await count()) > 0; i++) {
    assert.ok(i < 50, `${await count()} connections are still open`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
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
