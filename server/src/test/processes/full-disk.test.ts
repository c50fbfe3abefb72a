/** What a running server says and does when its disk is full. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { serve, urlOf } from '../command.ts';
import { ask } from '../http/requests.ts';
import { TestFolder } from '../test-server.ts';

/** A limit on the size of files makes every write fail, as a full disk does. */
function limitFileSize(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
  assert.equal(status, 0, String(stderr));
}

test('full disk: /readyz and metrics say that storage is read-only; keys without a limit are answered; it recovers', async () => {
  const folder = new TestFolder();
  folder.publish();
  const { secret: enterprise } = await folder.createKey();
  const { secret: free } = await folder.createKey({ tier: 'free' });
  const server = serve(folder.dataDir, { WHENCE_METRICS_PORT: '0' });
  try {
    const url = await urlOf(server);
    const port = /"metrics_port":(\d+)/.exec(server.stderr)?.[1];
    const storage = async () => {
      const { status, text } = await ask(`${url}/readyz`, '');
      return [status, JSON.parse(text).data.checks.storage];
    };
    const gauge = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^whence_storage_read_only (\d)$/m.exec(text)?.[1];
    };
    const lookup = (key: string) => ask(`${url}/v1/ip/8.8.8.8`, key);
    assert.deepEqual(await storage(), [200, 'ok']);
    assert.equal((await lookup(free)).status, 200);

    limitFileSize(Number(server.child.pid), '0');
    await until('it is noticed', async () => (await storage())[1] === 'read-only');
    assert.deepEqual([await storage(), await gauge()], [[200, 'read-only'], '1']);
    assert.equal((await lookup(enterprise)).status, 200);
    await until('leases are used up', async () => (await lookup(free)).status === 503);

    limitFileSize(Number(server.child.pid), 'unlimited');
    await until('it has recovered', async () => (await storage())[1] === 'ok');
    assert.deepEqual([await gauge(), (await lookup(free)).status], ['0', 200]);
    const { code, stderr } = await server.stop();
    assert.equal(code, 0);
    for (const [message, times] of [
      ['storage cannot be written', 1],
      ['storage can be written again', 1],
    ] as const)
      assert.equal(stderr.split(`"msg":"${message}"`).length - 1, times, stderr);
  } finally {
    await server.kill();
    folder.remove();
  }
});
