/** What a running server says and does when its disk is full. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { until } from '@whence/testing/until';
import { serve, urlOf } from '../command.ts';
import { ask } from '../http/requests.ts';
import { SAMPLE, TestFolder } from '../test-server.ts';

/** A limit on the size of files makes every write fail, as a full disk does. */
function limitFileSize(pid: number, bytes: string): void {
  const { status, stderr } = spawnSync('prlimit', [
    '--pid',
    String(pid),
    `--fsize=${bytes}:unlimited`,
  ]);
  assert.equal(status, 0, String(stderr));
}

test('full disk: a replica says that pulls fail, although none of them can be recorded', async () => {
  const folder = new TestFolder();
  folder.publish({ ...SAMPLE, tor: [] });
  const host = await FolderHost.start(join(folder.dataDir, 'www'));
  publishTo(folder.dataDir, host.folder, { keep: 3 });
  const replica = new TestFolder();
  replica.publish();
  const at = new Date().toISOString();
  const last = { outcome: 'published', started_at: at, finished_at: at, succeeded_at: at };
  mkdirSync(join(replica.dataDir, 'feeds'));
  writeFileSync(join(replica.dataDir, 'feeds/last-update.json'), JSON.stringify(last));
  // The first pull waits until the disk is full.
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gate = createServer(async ({ url }, response) => {
    await isOpen;
    const answer = await fetch(`${host.url}${url}`);
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  // Pulls are of the first process, and requests of the workers.
  const server = serve(replica.dataDir, {
    WHENCE_METRICS_PORT: '0',
    WHENCE_WORKERS: '2',
    WHENCE_DATASET_URL: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
  });
  try {
    const url = await urlOf(server);
    const port = /"metrics_port":(\d+)/.exec(server.stderr)?.[1];
    const update = async () =>
      JSON.parse((await ask(`${url}/readyz`, '')).text).data.checks.update as string;
    const gauge = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return /^whence_update_failed (\d)$/m.exec(text)?.[1];
    };
    const untilEach = (state: string) =>
      until(`updates are ${state}`, async () => {
        const states = await Promise.all(Array.from({ length: 8 }, update));
        return states.every((one) => one === state);
      });
    await untilEach('ok');
    limitFileSize(Number(server.child.pid), '0');
    open();
    await untilEach('failing');
    assert.equal(await gauge(), '1');
    limitFileSize(Number(server.child.pid), 'unlimited');
    await untilEach('ok');
    assert.equal(await gauge(), '0');
  } finally {
    await server.kill();
    gate.close();
    await host.close();
    replica.remove();
    folder.remove();
  }
});

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
