/** How `whence serve` stops: on real processes. */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, serve, untilTrue, urlOf } from './command.ts';
import { ask } from './requests.ts';
import { TestFolder } from './test-server.ts';

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

const isStopping = async (url: string) => (await ask(`${url}/readyz`, '')).status === 503;

for (const workers of ['1', '2']) {
  test(`stop: with a delay and ${workers} workers, /readyz is 503 and lookups are answered until it is over`, () =>
    withServer({ WHENCE_SHUTDOWN_DELAY: '4', WHENCE_WORKERS: workers }, async (server, url, secret) => {
      assert.equal((await ask(`${url}/readyz`, '')).status, 200);
      server.child.kill('SIGTERM');
      const startedMs = performance.now();
      await untilTrue('readiness is denied', () => isStopping(url));
      const { data } = JSON.parse((await ask(`${url}/readyz`, '')).text);
      assert.deepEqual(data, {
        error: 'not ready',
        code: 'NOT_READY',
        checks: { dataset: 'ok', storage: 'ok', shutdown: 'stopping' },
      });
      while (performance.now() - startedMs < 2_500) {
        // A connection each, as a load balancer that has not noticed yet would open them.
        assert.equal((await ask(`${url}/v1/ip/8.8.8.8`, secret)).status, 200);
        await sleep(50);
      }
      const { code } = await server.ended;
      assert.equal(code, 0);
      assert.ok(performance.now() - startedMs >= 3_900);
    }));
}

test('stop: a second signal right after the first skips the delay', () =>
  withServer({ WHENCE_SHUTDOWN_DELAY: '600', WHENCE_WORKERS: '2' }, async (server) => {
    server.child.kill('SIGTERM');
    const { code } = await server.stop('SIGINT');
    assert.equal(code, 0);
  }));

test('stop: a second signal skips the delay', () =>
  withServer({ WHENCE_SHUTDOWN_DELAY: '600', WHENCE_WORKERS: '2' }, async (server, url) => {
    server.child.kill('SIGTERM');
    await untilTrue('readiness is denied', () => isStopping(url));
    const { code } = await server.stop('SIGINT');
    assert.equal(code, 0);
  }));

test('stop: a signal to the whole process group waits for the delay too, and replaces no worker', () =>
  withServer(
    { WHENCE_SHUTDOWN_DELAY: '6', WHENCE_WORKERS: '2' },
    async (server, url, secret) => {
      const startedMs = performance.now();
      process.kill(-Number(server.child.pid), 'SIGTERM');
      await untilTrue('readiness is denied', () => isStopping(url));
      await sleep(1_000);
      assert.equal((await ask(`${url}/v1/ip/8.8.8.8`, secret)).status, 200);
      const { code, stderr } = await server.ended;
      assert.equal(code, 0);
      assert.ok(performance.now() - startedMs >= 5_900);
      assert.ok(!stderr.includes('a worker died'), stderr);
    },
    { detached: true },
  ));

test('stop: a signal while requests in flight finish ends them', () =>
  withServer({ WHENCE_DNS_SERVERS: '127.0.0.1:9' }, async (server, url, secret) => {
    const agent = new Agent({ keepAlive: true });
    // Nothing answers there, so the check takes its whole time.
    const slow = ask(`${url}/v1/email/domain/example.com/dns`, secret, agent);
    await sleep(300);
    server.child.kill('SIGTERM');
    await sleep(300);
    const startedMs = performance.now();
    const { code } = await server.stop('SIGTERM');
    assert.equal(code, 0);
    assert.ok(performance.now() - startedMs < 5_000);
    await slow;
    agent.destroy();
  }));
