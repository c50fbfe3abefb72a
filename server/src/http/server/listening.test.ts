/** Connections that the kernel has queued when the server stops listening. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'node:test';
import { openLog } from '../../log/log.ts';
import { createHttpServer } from './http-server.ts';
import { stopListening } from './listening.ts';

const CLIENTS = 100;

for (const readMode of ['shared-buffer', 'data-events'] as const) {
  test(`${readMode}: clients that are queued when the server stops listening are answered`, async () => {
    const app = createHttpServer({
      log: openLog('fatal').logger,
      trustProxy: [],
      readMode,
      onRequest: () => {},
      onFault: () => {},
    });
    app.get('/', (_request, reply) => reply.header('Connection', 'close').send({}));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    // The kernel completes these connections before the server has a turn to accept them.
    const clients = Array.from({ length: CLIENTS }, () => connect({ port, host: '127.0.0.1' }));
    const answers = clients.map((client) => firstLine(client));
    const { ended } = await stopListening(app.server);
    // Only now, so that closing idle connections would be noticed.
    for (const client of clients) client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.deepEqual(
      await Promise.all(answers),
      clients.map(() => 'HTTP/1.1 200 OK'),
    );
    await ended;
    await app.close();
    const [error] = (await once(connect({ port, host: '127.0.0.1' }), 'error')) as [
      NodeJS.ErrnoException,
    ];
    assert.equal(error.code, 'ECONNREFUSED');
  });
}

async function firstLine(client: Socket): Promise<string> {
  let received = '';
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(client, 'end').catch((error: Error) => {
    received = error.message;
  });
  return received.split('\r\n', 1)[0] ?? '';
}
