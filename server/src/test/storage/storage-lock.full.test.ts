/** What a server answers while another process holds the write lock of its database. */

import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { periodPasses } from '@whence/testing/until';
import { Command } from '../command.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { ask } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

test('storage lock: meanwhile health checks and Enterprise keys are not affected; other keys use their lease and then get 503', async () => {
  const folder = new TestFolder();
  folder.publish();
  const { secret: enterprise } = await folder.createKey({ tier: 'enterprise' });
  const { secret: free } = await folder.createKey({ tier: 'free' });
  const server = await ServerProcess.start(folder);
  const agent = new Agent({ keepAlive: true });
  const database = new DatabaseSync(join(folder.dataDir, 'whence.sqlite'), { timeout: 5_000 });
  try {
    const lookUp = (key: string) => ask(`${server.url}/v1/ip/8.8.8.8`, key, agent);
    assert.equal((await lookUp(enterprise)).status, 200);
    // Takes the lease, which is returned when it is not used for some seconds.
    assert.equal((await lookUp(free)).status, 200);
    database.exec('BEGIN IMMEDIATE');
    // The lease of a Free key is five; one is spent.
    for (let i = 0; i < 4; i++) assert.equal((await lookUp(free)).status, 200);
    let isRefused = false;
    const beyond = lookUp(free).finally(() => {
      isRefused = true;
    });
    // What waited for the lock would not be answered before the request that does.
    let answers = 0;
    for (; !isRefused; answers++) {
      assert.equal((await lookUp(enterprise)).status, 200);
      assert.equal((await ask(`${server.url}/healthz`, '', agent)).status, 200);
    }
    assert.ok(answers > 20, `${answers} answers`);
    const { status, text } = await beyond;
    assert.deepEqual([status, JSON.parse(text).data.code], [503, 'STORAGE_UNAVAILABLE']);
    for (let i = 0; i < 200; i++) assert.equal((await lookUp(enterprise)).status, 200);
    database.exec('ROLLBACK');
    assert.equal((await lookUp(free)).status, 200, 'when the lock is gone, all is as before');
  } finally {
    database.close();
    agent.destroy();
    await server.stop('SIGKILL');
    folder.remove();
  }
});

for (const [behaviour, isReleased] of [
  ['waits for the lock and is then done', true],
  ['that gets no lock within 30 s says that the key is still valid, which it is', false],
] as const)
  test(`storage lock: a revocation by command or in the dashboard ${behaviour}`, async () => {
    const folder = new TestFolder();
    folder.publish();
    const first = await folder.createKey({ name: 'first' });
    const second = await folder.createKey({ name: 'second' });
    const server = await ServerProcess.start(folder);
    const database = new DatabaseSync(join(folder.dataDir, 'whence.sqlite'), { timeout: 5_000 });
    try {
      const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
      const statuses = () =>
        Promise.all(
          [first, second].map(
            async ({ secret }) => (await ask(`${server.url}/v1/ip/8.8.8.8`, secret)).status,
          ),
        );
      assert.deepEqual(await statuses(), [200, 200]);
      database.exec('BEGIN IMMEDIATE');
      const answers = Promise.all([
        new Command(['key', 'revoke', first.key.id], folder.environment).ended,
        admin.try('revokeKey', { params: { id: second.key.id }, body: { name: 'second' } }),
      ]);
      // Longer than any other statement waits.
      if (isReleased) {
        await periodPasses(4_000);
        database.exec('ROLLBACK');
      }
      const [command, { status, data }] = await answers;
      if (isReleased) {
        assert.deepEqual(
          [command.code, command.stdout, status],
          [0, `${first.key.id} is revoked\n`, 200],
        );
        assert.deepEqual(await statuses(), [401, 401]);
      } else {
        assert.equal(command.code, 3);
        assert.match(
          command.stderr,
          /is not revoked and still valid: .*locked by another process/s,
        );
        assert.deepEqual(
          [status, data.code, data.error],
          [503, 'KEY_UNCHANGED', 'the key is still valid'],
        );
        database.exec('ROLLBACK');
        assert.deepEqual(await statuses(), [200, 200]);
      }
    } finally {
      database.close();
      await server.stop('SIGKILL');
      folder.remove();
    }
  });
