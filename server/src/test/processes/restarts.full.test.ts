/** The daily limit of a key over restarts of the server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { until } from '@whence/testing/until';
import { ask, askMany, startLoad } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

test('processes: killed and restarted, the server never grants the daily limit twice', async () => {
  const folder = new TestFolder();
  try {
    folder.publish();
    const { secret } = await folder.createKey({ tier: 'free' });
    let admitted = 0;
    for (let round = 0; round < 4; round++) {
      const server = await ServerProcess.start(folder);
      const load = startLoad(server.url, secret, 400);
      if (round < 3) {
        await until('requests are answered', () => load.answered() > 20);
        await server.stop('SIGKILL');
      }
      admitted += (await load.ended)[200] ?? 0;
      if (round === 3) {
        while ((await ask(`${server.url}/v1/ip/8.8.8.8`, secret)).status === 200) admitted++;
        await server.stop();
      }
    }
    assert.ok(admitted <= 1000, `${admitted} admitted`);
    assert.ok(admitted > 400, `${admitted} admitted`);
  } finally {
    folder.remove();
  }
});

test('processes: after regular stops, nothing of the daily limit is lost', async () => {
  const folder = new TestFolder();
  try {
    folder.publish();
    const { secret } = await folder.createKey({ tier: 'free' });
    for (let round = 0; round < 3; round++) {
      const server = await ServerProcess.start(folder, { WHENCE_WORKERS: '2' });
      assert.deepEqual(await askMany(server.url, secret, 101), { 200: 101 });
      assert.equal(await server.stop(), 0);
    }
    const server = await ServerProcess.start(folder);
    assert.deepEqual(await askMany(server.url, secret, 800), { 200: 1000 - 303, 429: 800 - 697 });
    await server.stop();
  } finally {
    folder.remove();
  }
});
