/** A server whose log is not read goes on. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, urlOf } from './command.ts';
import { ask } from './requests.ts';
import { TestFolder } from './test-server.ts';

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
    // Open at both ends and never read: it takes 64 kB. What Node calls a pipe is a socket, and takes 200 kB.
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
      // A line of 200 bytes for each.
      const asked = Array.from({ length: 4_000 }, () => ask(`${url}/v1/ip/nonsense`, secret, agent));
      const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
      // A busy machine may shed some.
      statuses.delete(503);
      assert.deepEqual([...statuses], [400]);
      assert.equal((await ask(`${url}/healthz`, '', agent)).status, 200);
      agent.destroy();
      const signalledMs = performance.now();
      server.child.kill('SIGTERM');
      while (server.child.exitCode === null && server.child.signalCode === null) {
        assert.ok(performance.now() - signalledMs < 30_000, 'the server does not end');
        await sleep(50);
      }
      assert.equal(server.child.exitCode, 0);
    } finally {
      agent.destroy();
      await server.kill();
      closeSync(pipe);
      folder.remove();
    }
  });
}
