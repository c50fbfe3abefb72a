/** How `wh serve` stops: on real processes. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { periodPasses, until } from '@whence/testing/until';
import { Command, serve, urlOf } from '../command.ts';
import { ask } from '../http/requests.ts';
import { TestFolder } from '../test-server.ts';

async function withServer(
  environment: Record<string, string>,
  work: (server: Command, url: string, secret: string) => Promise<void>,
  options: { detached?: boolean } = {},
): Promise<void> {
  const folder = new TestFolder();
  folder.publish();
  const { secret } = await folder.createKey();
  const server = serve(folder.dataDir, environment, options);
  try {
    await work(server, await urlOf(server), secret);
  } finally {
    await server.kill();
    folder.remove();
  }
}

/** A connection each, as a load balancer that has not noticed yet would open them. */
async function answers(count: number, url: string, secret: string): Promise<void> {
  for (let i = 0; i < count; i++)
    assert.equal((await ask(`${url}/v1/ip/8.8.8.8`, secret)).status, 200);
}

/** A delay that is not over before a test is. */
const LONG_DELAY = '600';

const isStopping = async (url: string) => (await ask(`${url}/readyz`, '')).status === 503;

for (const workers of ['1', '2'])
  test(`stop: during a delay, with ${workers} workers, /readyz is 503 and lookups are answered`, () =>
    withServer(
      { WHENCE_SHUTDOWN_DELAY: LONG_DELAY, WHENCE_WORKERS: workers },
      async (server, url, secret) => {
        assert.equal((await ask(`${url}/readyz`, '')).status, 200);
        server.child.kill('SIGTERM');
        await until('readiness is denied', () => isStopping(url));
        const { checksums: _, ...data } = JSON.parse((await ask(`${url}/readyz`, '')).text).data;
        assert.deepEqual(data, {
          error: 'not ready',
          code: 'NOT_READY',
          checks: { dataset: 'ok', storage: 'ok', shutdown: 'stopping' },
        });
        await answers(50, url, secret);
        assert.equal(server.child.exitCode, null);
      },
    ));

test('stop: when the delay is over, the server ends', () =>
  withServer({ WHENCE_SHUTDOWN_DELAY: '1', WHENCE_WORKERS: '2' }, async (server) => {
    server.child.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
  }));

test('stop: a signal to the whole process group waits for the delay too, and replaces no worker', () =>
  withServer(
    { WHENCE_SHUTDOWN_DELAY: LONG_DELAY, WHENCE_WORKERS: '2' },
    async (server, url, secret) => {
      process.kill(-Number(server.child.pid), 'SIGTERM');
      await until('readiness is denied', () => isStopping(url));
      await answers(20, url, secret);
      assert.equal(server.child.exitCode, null);
      const { code, stderr } = await server.stop('SIGINT');
      assert.equal(code, 0);
      assert.ok(!stderr.includes('a worker died'), stderr);
    },
    { detached: true },
  ));

test('stop: a second signal right after the first skips the delay', () =>
  withServer({ WHENCE_SHUTDOWN_DELAY: LONG_DELAY, WHENCE_WORKERS: '2' }, async (server) => {
    server.child.kill('SIGTERM');
    const { code } = await server.stop('SIGINT');
    assert.equal(code, 0);
  }));

test('stop: a second signal skips the delay', () =>
  withServer({ WHENCE_SHUTDOWN_DELAY: LONG_DELAY, WHENCE_WORKERS: '2' }, async (server, url) => {
    server.child.kill('SIGTERM');
    await until('readiness is denied', () => isStopping(url));
    const { code } = await server.stop('SIGINT');
    assert.equal(code, 0);
  }));

test('stop: a signal while requests in flight finish ends them', () =>
  withSilentDns((dns) =>
    withServer({ WHENCE_DNS_SERVERS: dns.address }, async (server, url, secret) => {
      const agent = new Agent({ keepAlive: true });
      const slow = ask(`${url}/v1/email/domain/example.com/dns`, secret, agent);
      await until('the check has begun', () => dns.queries.length > 0);
      server.child.kill('SIGTERM');
      await until(
        'no connection is accepted',
        async () => (await ask(`${url}/healthz`, '')).status === 0,
      );
      const { code } = await server.stop('SIGTERM');
      assert.equal(code, 0);
      assert.equal((await slow).status, 0, 'it was not answered');
      agent.destroy();
    }),
  ));

const ROUTES = [
  ['GET', '/v1/ip/8.8.8.8'],
  ['GET', '/v1/ip/8.8.8.8?explain=true'],
  ['POST', '/v1/ip/batch'],
  ['GET', '/v1/asn/15169'],
  ['GET', '/v1/dataset'],
  ['GET', '/openapi.json'],
  ['GET', '/healthz'],
  ['GET', '/readyz'],
  ['GET', '/no/such/route'],
] as const;

for (const [delay, workers] of [
  ['0', '1'],
  ['2', '1'],
  ['0', '2'],
] as const)
  test(`stop: with a delay of ${delay} s and ${workers} workers no request on an open connection is lost, on any route`, () =>
    withServer(
      { WHENCE_SHUTDOWN_DELAY: delay, WHENCE_WORKERS: workers },
      async (server, url, secret) => {
        const clients = ROUTES.flatMap((route) =>
          Array.from({ length: 3 }, () => new KeptConnection(url, secret, route)),
        );
        await until('every client has been answered', () =>
          clients.every(({ answered }) => answered > 5),
        );
        server.child.kill('SIGTERM');
        await Promise.all(clients.map(({ ended }) => ended));
        assert.deepEqual(
          clients.filter(({ lost }) => lost).map(({ route }) => route.join(' ')),
          [],
        );
        assert.equal((await server.ended).code, 0);
      },
    ));

/** Sends a request every 3 ms over one connection until an answer closes it. */
class KeptConnection {
  readonly route: (typeof ROUTES)[number];
  readonly ended: Promise<void>;
  answered = 0;
  /** Whether the connection was closed with a request on it that was not answered. */
  lost = false;

  constructor(url: string, key: string, route: (typeof ROUTES)[number]) {
    this.route = route;
    this.ended = this.#run(new URL(route[1], url), key);
  }

  async #run(url: URL, key: string): Promise<void> {
    const method = this.route[0];
    const body = this.route[0] === 'POST' ? '{"ips":["8.8.8.8"]}' : '';
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    for (let isOpen = true; isOpen; ) {
      const sending = request(url, { method, agent, headers }).end(body);
      try {
        const [response] = (await once(sending, 'response')) as [IncomingMessage];
        await once(response.resume(), 'end');
        this.answered++;
        isOpen = response.headers.connection !== 'close';
      } catch {
        this.lost = true;
        isOpen = false;
      }
      await periodPasses(3);
    }
    agent.destroy();
  }
}

test('stop: a client that closes its side after its requests gets all answers', () =>
  withServer({}, async (_server, url, secret) => {
    for (const [, path] of ROUTES.filter(([method]) => method === 'GET')) {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const requests = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`.repeat(3);
      socket.end(requests);
      let received = '';
      for await (const bytes of socket) received += bytes;
      assert.equal(received.match(/HTTP\/1\.1 [24]0/g)?.length, 3, path);
    }
  }));

test('stop: a dataset host that switches protocols hangs neither a replica nor dataset pull', async () => {
  const sockets = new Set<Socket>();
  const host = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const WHENCE_DATASET_URL = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
  try {
    await withServer({ WHENCE_DATASET_URL }, async (server) => {
      await until('the host was asked', () => sockets.size > 0);
      const { code } = await server.stop();
      assert.equal(code, 0);
    });
    const folder = new TestFolder();
    const pull = new Command(['dataset', 'pull'], {
      WHENCE_DATASET_URL,
      WHENCE_DATA_DIR: folder.dataDir,
    });
    const { code, stderr } = await pull.ended;
    folder.remove();
    assert.equal(code, 3);
    assert.match(stderr, /^error: .*answered 101 Switching Protocols, which was not requested\./m);
  } finally {
    for (const socket of sockets) socket.destroy();
    host.close();
  }
});

/** A DNS server that does not answer, so that a check takes all of its time. */
async function withSilentDns(work: (dns: ScriptedDnsServer) => Promise<void>): Promise<void> {
  const dns = await startScriptedDnsServer({
    'example.com': { fail: 'timeout' },
    '*.example.com': { fail: 'timeout' },
  });
  try {
    await work(dns);
  } finally {
    await dns.close();
  }
}

for (const workers of ['1', '2']) {
  test(`stop: a closed terminal (SIGHUP, twice) stops ${workers} workers gracefully`, () =>
    withServer(
      { WHENCE_SHUTDOWN_DELAY: LONG_DELAY, WHENCE_WORKERS: workers },
      async (server, url, secret) => {
        server.child.kill('SIGHUP');
        await until('readiness is denied', () => isStopping(url));
        server.child.kill('SIGHUP');
        await answers(20, url, secret);
        assert.equal(server.child.exitCode, null, 'the second signal does not skip the delay');
        assert.equal((await server.stop('SIGTERM')).code, 0);
      },
    ));
}

for (const [place, workers, signal, reason] of [
  ['thread', '1', 'SIGTERM', 'a thread or a read does not end'],
  ['pool', '1', 'SIGTERM', 'a thread or a read does not end'],
  ['thread', '2', 'SIGTERM', 'a thread or a read does not end'],
  ['thread', '1', 'SIGUSR2', 'unexpected error'],
] as const)
  test(`stop: a read in a ${place} that never ends does not keep the process, with ${workers} workers, after ${signal}`, async () => {
    const pipes = new TestFolder();
    const pipe = join(pipes.dataDir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const preload = fileURLToPath(new URL('./blocked-read.js', import.meta.url));
    const environment = {
      BLOCKED_IN: place,
      BLOCKED_PATH: pipe,
      NODE_OPTIONS: `--import=${preload}`,
    };
    try {
      await withServer({ ...environment, WHENCE_WORKERS: workers }, async (server) => {
        const { stderr } = await server.stop(signal);
        assert.ok(stderr.includes(`${reason}: the process ends`), stderr);
        assert.ok(!stderr.includes('did not stop in time'), stderr);
        assert.equal(server.child.signalCode, 'SIGKILL');
      });
    } finally {
      pipes.remove();
    }
  });
