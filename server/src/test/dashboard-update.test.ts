/** An update that a person starts in the dashboard: a real process, its progress and its outcome as pages see them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopbackServer } from '@whence/testing/loopback-server';
import { signedInAs } from './dashboard-client.ts';
import { ServerProcess, TestFolder } from './test-server.ts';

/** The update runs only when a core is idle. */
const PATIENCE_MS = 120_000;

test('update: starts once, is seen by all, and its error by administrators only', async () => {
  const feeds = await startLoopbackServer();
  let answer = () => {};
  const isAsked = new Promise<void>((resolve) => {
    feeds.routes.set('/catalogue', (response) => {
      // Held until the test has seen the update run.
      answer = () => response.end('no catalogue');
      resolve();
    });
  });
  const folder = new TestFolder();
  folder.publish();
  const server = await ServerProcess.start(folder, { WHENCE_FEEDS: `${feeds.url}/catalogue` });
  try {
    const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
    const viewer = await signedInAs(folder, server.url, 'Vera', 'viewer');
    const { outcome, schedule } = await admin.get('startUpdate');
    assert.deepEqual([outcome, schedule], ['running', { kind: 'build', can_start: true }]);
    await Promise.race([
      isAsked,
      sleep(PATIENCE_MS, undefined, { ref: false }).then(() => assert.fail('the update has not started')),
    ]);
    assert.equal((await viewer.get('getUpdate')).outcome, 'running');
    const second = await admin.try('startUpdate');
    assert.deepEqual([second.status, second.data.code], [409, 'UPDATE_RUNNING']);
    answer();
    let state = await admin.get('getUpdate');
    for (const end = Date.now() + PATIENCE_MS; state.outcome === 'running'; state = await admin.get('getUpdate')) {
      assert.ok(Date.now() < end, 'the update has not ended');
      await sleep(200);
    }
    assert.equal(state.outcome, 'failed');
    assert.ok(state.error);
    assert.equal((await viewer.get('getUpdate')).error, undefined);
    const { entries } = await admin.get('listAudit', { query: { action: 'dataset.update_started' } });
    assert.deepEqual(
      entries.map(({ actor }) => actor),
      ['Ada'],
    );
  } finally {
    await server.stop();
    await feeds.close();
    folder.remove();
  }
});
