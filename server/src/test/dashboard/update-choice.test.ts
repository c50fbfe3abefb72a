/**
 * Whether public lists are fetched every day: asked once, at the set-up of the first account, and
 * stored for every machine that shares the storage. WHENCE_UPDATE overrides the answer.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { defaultFeeds } from '@whence/dataset/feeds/catalogue';
import { UPDATE_COST } from '../../vocabulary.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, makeSetupToken, signedInAs } from './dashboard-client.ts';

/** What the set-up page of a server with these settings asks, and its schedule. */
async function withServer<T>(
  environment: Record<string, string>,
  work: (url: string, folder: TestFolder) => Promise<T>,
  folder = new TestFolder(),
): Promise<T> {
  const server = await startInProcess(folder, undefined, environment);
  try {
    return await work(server.url, folder);
  } finally {
    await server.close();
  }
}

async function isAsked(url: string, folder: TestFolder): Promise<boolean> {
  const token = await makeSetupToken(folder);
  const link = await new DashboardClient(url).get('checkLink', { body: { token } });
  return link.asks_for_updates === true;
}

for (const [behaviour, environment, want] of [
  ['asks where nothing is set', {}, true],
  ['asks nothing if WHENCE_UPDATE has an interval', { WHENCE_UPDATE: '6h' }, false],
  ['asks nothing if WHENCE_UPDATE is off', { WHENCE_UPDATE: 'off' }, false],
  ['asks nothing where datasets are pulled', { WHENCE_DATASET_URL: 'file:///nowhere/' }, false],
] as const)
  test(`update choice: the set-up page ${behaviour}`, () =>
    withServer(environment, async (url, folder) => {
      assert.equal(await isAsked(url, folder), want);
      folder.remove();
    }));

test('update choice: an invitation does not ask', () =>
  withServer({}, async (url, folder) => {
    const admin = await signedInAs(folder, url, 'Ada', 'admin');
    const { link } = await admin.get('invite', { body: { role: 'admin', note: 'second' } });
    const token = link.path.replace('/set-up#', '');
    const state = await new DashboardClient(url).get('checkLink', { body: { token } });
    assert.equal(state.asks_for_updates, undefined);
    folder.remove();
  }));

test('update choice: the answer is that of every machine, until it is changed or overridden', async () => {
  const folder = new TestFolder();
  const scheduleAfter = (environment: Record<string, string>, daily?: boolean) =>
    withServer(
      environment,
      async (url) => {
        const name = `Ada ${Math.random()}`;
        const admin = await signedInAs(folder, url, name, 'admin');
        if (daily !== undefined) await admin.get('chooseUpdates', { body: { daily } });
        return [(await admin.get('getUpdate')).schedule, await isAsked(url, folder)];
      },
      folder,
    );
  const build = { kind: 'build', can_start: true };
  assert.deepEqual(await scheduleAfter({}), [build, true]);
  const no = { ...build, decided_by: 'administrator' };
  assert.deepEqual(await scheduleAfter({}, false), [no, false]);
  assert.deepEqual(await scheduleAfter({}), [no, false]);
  const setting = { ...build, decided_by: 'setting' };
  assert.deepEqual(await scheduleAfter({ WHENCE_UPDATE: 'off' }), [setting, false]);
  assert.deepEqual(await scheduleAfter({ WHENCE_UPDATE: '6h' }), [
    { ...setting, interval_seconds: 21_600 },
    false,
  ]);
  folder.remove();
});

for (const [behaviour, environment, code] of [
  ['WHENCE_UPDATE decides', { WHENCE_UPDATE: 'off' }, 'UPDATE_SET'],
  ['datasets are pulled', { WHENCE_DATASET_URL: 'file:///nowhere/' }, 'UPDATE_UNAVAILABLE'],
] as const)
  test(`update choice: refused where ${behaviour}`, () =>
    withServer(environment, async (url, folder) => {
      const admin = await signedInAs(folder, url, 'Ada', 'admin');
      const { status, data } = await admin.try('chooseUpdates', { body: { daily: true } });
      assert.deepEqual([status, data.code], [409, code]);
      folder.remove();
    }));

test('update choice: the page names as many lists as the catalogue has on', () => {
  const on = defaultFeeds().filter(({ isOn }) => isOn);
  assert.equal(UPDATE_COST.feeds, on.length);
});
