/**
 * An update that a person starts in the dashboard: a real process, its progress and its outcome as
 * pages see them.
 */

import assert from 'node:assert/strict';
import test from 'node:test';
import { startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { until } from '@whence/testing/until';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { signedInAs } from './dashboard-client.ts';

test('update: starts once, is visible to all roles, and shows its error to administrators only', async () => {
  const feeds = await startLoopbackServer();
  let answer: (() => void) | undefined;
  feeds.routes.set('/catalogue', (response) => {
    // Held until the test has seen the update run.
    answer = () => response.end('no catalogue');
  });
  const folder = new TestFolder();
  folder.publish();
  const server = await ServerProcess.start(folder, { WHENCE_FEEDS: `${feeds.url}/catalogue` });
  try {
    const admin = await signedInAs(folder, server.url, 'Ada', 'admin');
    const viewer = await signedInAs(folder, server.url, 'Vera', 'viewer');
    const { outcome, schedule } = await admin.get('startUpdate');
    assert.deepEqual([outcome, schedule], ['running', { kind: 'build', can_start: true }]);
    // Long before the new process has written anything.
    const { outcome: seen, share } = (await viewer.get('getDataset')).update;
    assert.deepEqual([seen, share], ['running', 0]);
    await until('the update asks for the catalogue', () => answer !== undefined);
    assert.equal((await viewer.get('getUpdate')).outcome, 'running');
    const second = await admin.try('startUpdate');
    assert.deepEqual([second.status, second.data.code], [409, 'UPDATE_RUNNING']);
    answer?.();
    let state = await admin.get('getUpdate');
    await until(
      'the update has ended',
      async () => {
        state = await admin.get('getUpdate');
        return state.outcome !== 'running';
      },
      { everyMs: 100 },
    );
    assert.equal(state.outcome, 'failed');
    assert.ok(state.error);
    assert.equal((await viewer.get('getUpdate')).error, undefined);
    const { entries } = await admin.get('listAudit', {
      query: { action: 'dataset.update_started' },
    });
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
