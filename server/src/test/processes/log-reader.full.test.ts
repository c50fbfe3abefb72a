/** What a server logs of requests, and that a log which is not read stops nothing. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { serve, urlOf } from '../command.ts';
import { ask } from '../http/requests.ts';
import { TestFolder } from '../test-server.ts';

for (const [workers, kind] of [
  ['1', 'pipe'],
  ['2', 'pipe'],
  ['1', 'socket'],
  ['2', 'socket'],
] as const) {
  test(`log: ${workers} workers on a ${kind} that is not read answer requests, and a signal ends them`, async () => {
    const folder = new TestFolder();
    folder.publish();
    const { secret } = await folder.createKey();
    const path = join(folder.dataDir, 'log');
    assert.equal(spawnSync('mkfifo', [path]).status, 0);
    // Open at both ends and never read: it takes 64 kB. What Node calls a pipe is a socket, and
    // takes 200 kB.
    const pipe = openSync(path, constants.O_RDWR);
    const server = serve(
      folder.dataDir,
      { WHENCE_WORKERS: workers, WHENCE_LOG_LEVEL: 'trace' },
      { stdio: ['ignore', 'pipe', kind === 'pipe' ? pipe : 'pipe'] },
    );
    server.child.stderr?.pause();
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    try {
      const url = await urlOf(server);
      // A line of 200 bytes for each, which is twice what a socket takes.
      const asked = Array.from({ length: 2_000 }, () =>
        ask(`${url}/v1/ip/nonsense`, secret, agent),
      );
      const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
      // A busy machine may shed some.
      statuses.delete(503);
      assert.deepEqual([...statuses], [400]);
      assert.equal((await ask(`${url}/healthz`, '', agent)).status, 200);
      agent.destroy();
      const exited = once(server.child, 'exit', { signal: AbortSignal.timeout(180_000) });
      server.child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null]);
    } finally {
      agent.destroy();
      await server.kill();
      closeSync(pipe);
      folder.remove();
    }
  });
}

test('log: no request is logged with its query, and a lookup in the dashboard logs no warning', async () => {
  const folder = new TestFolder();
  folder.publish();
  const { secret } = await folder.createKey();
  const server = serve(folder.dataDir, { WHENCE_LOG_LEVEL: 'debug', WHENCE_PUBLIC_LOOKUPS: 'on' });
  try {
    const url = await urlOf(server);
    for (const path of [
      '/dashboard/api/lookup/ip/8.8.8.8',
      '/dashboard/api/lookup/ip/nonsense',
      '/dashboard/api/lookup/asn',
      '/v1/ip/8.8.8.8',
      '/v1/asn/15169',
      '/nothing/here',
      '/',
    ]) {
      await ask(`${url}${path}?key=${secret}`, '');
    }
    const { stderr } = await server.stop();
    assert.ok(stderr.includes('"route":"dashboard"'), stderr);
    assert.ok(!stderr.includes(secret) && !stderr.includes('?key='), stderr);
    // A machine that withholds processor time is another reason for a line.
    const warnings = stderr
      .split('\n')
      .filter((line) => line.includes('"level":"warn"') && !line.includes('"stall_ms"'));
    assert.deepEqual(warnings, []);
  } finally {
    await server.kill();
    folder.remove();
  }
});
