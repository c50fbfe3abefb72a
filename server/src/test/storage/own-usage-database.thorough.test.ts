/**
 * Statistics in a database of their own, by the procedures of docs/beyond-one-postgresql.md: what is in which database, and
 * what goes on while that one is away.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { executeOn, NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import { openStorage } from '../../storage/open-storage.ts';
import { Command } from '../command.ts';
import { ask } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { newBatch } from './new-batch.ts';
import { blocksUnder, procedure, Shell } from './procedures.ts';

const skip = NO_OWN_POSTGRES;
const PAGE = 'docs/beyond-one-postgresql.md';

let keysServer: PostgresServer;
let usageServer: PostgresServer;
let keysUrl: string;
let usageUrl: string;
let folder: TestFolder;
let environment: Record<string, string>;

before(async () => {
  if (skip !== false) return;
  [keysServer, usageServer] = await Promise.all([PostgresServer.startOwn(), PostgresServer.startOwn()]);
  keysUrl = (await keysServer.createDatabase()).url;
  usageUrl = usageServer.urlOf('whence_usage');
  folder = new TestFolder(keysUrl);
  folder.publish();
  environment = { ...folder.environment, WHENCE_USAGE_DATABASE_URL: usageUrl };
});

after(async () => {
  folder?.remove();
  await Promise.all([keysServer?.stop(), usageServer?.stop()]);
});

const requestsIn = async (url: string, keyId: string): Promise<number> =>
  (await executeOn(url, `select coalesce(sum(requests), 0)::int as sum from usage where key_id = '${keyId}'`))[0]?.sum;

const EARLIER = { day: '2026-11-01', endpoint: 'ip', statusClass: 2, requests: 7 };

test('own usage database: by the procedure, statistics are moved, and nothing else', { skip }, async () => {
  const { key } = await folder.createKey();
  const storage = await openStorage(keysUrl);
  await storage.usage.add(newBatch(), [{ keyId: key.id, ...EARLIER }], new Map());
  await storage.close();
  const shell = new Shell({ ...environment, ADMIN_URL: usageServer.url });
  try {
    const commands = procedure(PAGE, 'Statistics in a database of their own');
    assert.equal(commands.length, 4);
    let last = '';
    for (const command of commands) last = await shell.run(command);
    assert.match(last, /Statistics:\n(.*\n)*usage +1\n/);
  } finally {
    shell.remove();
  }
  assert.deepEqual([await requestsIn(keysUrl, key.id), await requestsIn(usageUrl, key.id)], [0, 7]);
  assert.deepEqual(await executeOn(usageUrl, 'select id from keys'), [], 'no keys are there');
});

test('own usage database: it is away, and lookups, keys and limits are not affected; counters are written once', {
  skip,
}, async () => {
  const { key, secret } = await folder.createKey();
  const server = await ServerProcess.start(folder, { WHENCE_USAGE_DATABASE_URL: usageUrl, WHENCE_FIRST_KEY: 'off' });
  const lookup = async () => (await ask(`${server.url}/v1/ip/8.8.8.8`, secret)).status;
  const ready = async () => {
    const { status, text } = await ask(`${server.url}/readyz`, '');
    const { checks } = JSON.parse(text).data;
    return [status, checks.storage, checks.statistics];
  };
  try {
    let sent = 0;
    for (; sent < 5; sent++) assert.equal(await lookup(), 200);
    await until('they are written', async () => (await requestsIn(usageUrl, key.id)) === sent);
    assert.equal(await requestsIn(keysUrl, key.id), 0);
    assert.ok((await executeOn(keysUrl, `select last_used_at as at from keys where id = '${key.id}'`))[0]?.at > 0);
    assert.deepEqual(await ready(), [200, 'ok', 'ok']);

    await usageServer.halt('SIGKILL');
    for (; sent < 9; sent++) assert.equal(await lookup(), 200);
    await until('it is noticed', async () => (await ready())[2] === 'unavailable');
    assert.deepEqual(await ready(), [200, 'ok', 'unavailable'], 'and keys can be written');
    for (; sent < 12; sent++) assert.equal(await lookup(), 200);
    const other = await folder.createKey();
    const revoked = await new Command(['key', 'revoke', other.key.id], environment).ended;
    assert.equal(revoked.code, 0, revoked.stderr);
    const shown = await new Command(['key', 'usage', key.id], environment).ended;
    assert.equal(shown.code, 1);
    assert.match(shown.stderr, /_usage cannot be used: .*ECONNREFUSED/);
    // A server that starts meanwhile.
    const late = await ServerProcess.start(folder, { WHENCE_USAGE_DATABASE_URL: usageUrl, WHENCE_FIRST_KEY: 'off' });
    assert.equal((await ask(`${late.url}/v1/ip/8.8.8.8`, secret)).status, 200);
    sent++;
    await usageServer.resume();
    await until('all are written', async () => (await requestsIn(usageUrl, key.id)) >= sent);
    assert.equal(await requestsIn(usageUrl, key.id), sent);
    await until('it is noticed', async () => (await ready())[2] === 'ok');
    assert.match((await new Command(['key', 'usage', key.id], environment).ended).stdout, new RegExp(`${sent}\n$`));
    await late.stop('SIGKILL');
  } finally {
    if (usageServer.pid === undefined) await usageServer.resume();
    await server.stop('SIGKILL');
  }
});

test('own usage database: usage by month, by the procedure, is written, read and removed as before', {
  skip,
}, async () => {
  const blocks = blocksUnder(PAGE, 'Usage by month', 'sql');
  assert.equal(blocks.length, 2);
  // The second is run again every year.
  await executeOn(usageUrl, ...blocks, blocks[1] ?? '');
  const storage = await openStorage(usageUrl);
  try {
    const month = new Date();
    month.setUTCMonth(month.getUTCMonth() + 1, 5);
    const days = ['2020-01-01', EARLIER.day, month.toISOString().slice(0, 10), '2999-01-01'];
    const rows = days.map((day) => ({ ...EARLIER, keyId: 'by month', day }));
    for (let i = 0; i < 2; i++) await storage.usage.add(newBatch(), rows, new Map());
    const read = await storage.usage.rows({ from: '2020-01-01', to: '2999-01-01', keyIds: ['by month'] });
    assert.deepEqual(
      read.map(({ day, requests }) => [day, requests]),
      days.map((day) => [day, 14]),
    );
    assert.equal(await storage.usage.prune('2020-02-01', 1_000), 1);
    const partitions = await executeOn(
      usageUrl,
      "select tableoid::regclass::text as name from usage where key_id = 'by month'",
    );
    assert.deepEqual(
      partitions.map(({ name }) => name).sort(),
      ['usage_before', `usage_${month.toISOString().slice(0, 7).replace('-', '_')}`, 'usage_later'].sort(),
    );
  } finally {
    await storage.close();
  }
  assert.equal((await new Command(['storage', 'check'], environment).ended).code, 0);
});
