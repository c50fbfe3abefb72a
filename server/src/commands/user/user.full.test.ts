/** Links to set up beside a server of its own process, and `wh user` under another user. */
import assert from 'node:assert/strict';
import { chownSync } from 'node:fs';
import test from 'node:test';
import { Command, ORDINARY_USER, serve, urlOf } from '../../test/command.ts';
import { DashboardClient, PASSWORD } from '../../test/dashboard/dashboard-client.ts';
import { runCommand } from '../../test/run-command.ts';
import { startInProcess, TestFolder } from '../../test/test-server.ts';

test('serve: prints a link to set up as long as there is no account, and not after', async () => {
  const fresh = new TestFolder();
  fresh.publish();
  try {
    const token = /\/set-up#([\w-]{43})\n/.exec(await firstWords(fresh))?.[1] ?? assert.fail();
    const server = await startInProcess(fresh);
    const client = new DashboardClient(server.url);
    await client.get('redeemLink', { body: { token, name: 'Ada', password: PASSWORD } });
    await server.close();
    assert.doesNotMatch(await firstWords(fresh), /set-up/);
  } finally {
    fresh.remove();
  }
});

test('user: links have the address of the server that runs, and of the settings when none does', async () => {
  const running = new TestFolder();
  running.publish();
  const server = serve(running.dataDir);
  try {
    const url = await urlOf(server);
    const linkOf = async () =>
      (await runCommand(['user', 'setup-link'], running.environment)).stdout;
    assert.ok((await linkOf()).startsWith(`${url}/`), `${await linkOf()} of ${url}`);
    await server.stop();
    assert.match(await linkOf(), /^http:\/\/127\.0\.0\.1:8080\//);
  } finally {
    await server.kill();
    running.remove();
  }
});

test('user: create works for a user whom no passwd entry names', async () => {
  const owned = new TestFolder();
  try {
    if (ORDINARY_USER.uid !== undefined) chownSync(owned.dataDir, ORDINARY_USER.uid, -1);
    const argv = ['user', 'create', '--new', 'Ada'];
    const { code, stderr } = await new Command(
      argv,
      { WHENCE_DATA_DIR: owned.dataDir },
      ORDINARY_USER,
    ).ended;
    const note = `note: no server uses ${owned.dataDir} now; start one before the link is opened\n`;
    assert.deepEqual([code, stderr], [0, note]);
  } finally {
    owned.remove();
  }
});

/** The output of `wh serve`, which is stopped as soon as it listens. */
async function firstWords({ dataDir }: TestFolder): Promise<string> {
  const server = serve(dataDir, { WHENCE_LOG_LEVEL: 'fatal' });
  await urlOf(server);
  return (await server.stop()).stdout;
}
