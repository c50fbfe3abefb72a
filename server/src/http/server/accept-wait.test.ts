/** How long connections wait, on servers that are slow, have no such port, or listen everywhere. */
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { openLog } from '../../log/log.ts';
import { AcceptWait } from './accept-wait.ts';
import { createHttpServer } from './http-server.ts';
import { BACKLOG } from './listening.ts';
import type { ReadMode } from './paced-connections.ts';

async function withServer(
  { host, readMode }: { host: string; readMode: ReadMode },
  work: (wait: AcceptWait, address: AddressInfo, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const app = createHttpServer({
    log: openLog('fatal').logger,
    trustProxy: [],
    readMode,
    onRequest: ({ url = '' }) => seen.push(url),
    onFault: () => seen.push('fault'),
  });
  app.get('/', (_request, reply) => reply.send({}));
  await app.listen({ host, port: 0, backlog: BACKLOG });
  const wait = new AcceptWait();
  const address = app.server.address() as AddressInfo;
  wait.start(host, address);
  try {
    await work(wait, address, seen);
  } finally {
    wait.stop();
    await app.close();
  }
}

for (const readMode of ['shared-buffer', 'data-events'] as const)
  for (const host of ['127.0.0.1', '::1', '::', '0.0.0.0', 'localhost'])
    test(`accept wait: ${readMode}: measured on ${host}, and no request`, () =>
      withServer({ host, readMode }, async (wait, _address, seen) => {
        await until('a wait is measured', () => wait.seconds !== undefined);
        assert.deepEqual(seen, []);
      }));

/** Keeps the event loop from turning. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('accept wait: connections that wait behind others in the queue are late, until it is empty', () =>
  withServer({ host: '127.0.0.1', readMode: 'shared-buffer' }, async (wait, { port }) => {
    await until('a wait is measured', () => wait.isLate === false);
    const clients: Socket[] = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
    // Each turn of the event loop takes as long, and accepts one connection. A timer would not do:
    // turns between two of its calls are short and accept many.
    let isSlow = true;
    const slowTurn = () => {
      if (!isSlow) return;
      block(40);
      setImmediate(slowTurn);
    };
    slowTurn();
    try {
      await until('connections are late', () => wait.isLate === true);
      assert.ok((wait.seconds ?? 0) > 0.5);
    } finally {
      isSlow = false;
    }
    await until('they are not any more', () => wait.isLate === false);
    for (const client of clients) client.destroy();
  }));

test('accept wait: a single pause is not late', () =>
  withServer({ host: '127.0.0.1', readMode: 'shared-buffer' }, async (wait) => {
    await until('a wait is measured', () => wait.isLate === false);
    block(800);
    for (let turn = 0; turn < 20; turn++) {
      assert.equal(wait.isLate, false);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }));

test('accept wait: not known where the port refuses connections from inside', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await until('it listens', () => closed.listening);
  const address = closed.address() as AddressInfo;
  closed.close();
  await until('it is closed', () => !closed.listening);
  const wait = new AcceptWait();
  wait.start('127.0.0.1', address);
  try {
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(wait.isLate, undefined);
      assert.equal(wait.seconds, undefined);
    }
  } finally {
    wait.stop();
  }
});
