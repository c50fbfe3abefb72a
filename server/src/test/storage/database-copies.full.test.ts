/**
 * Another database in the place of the one that replicas know: a restored backup, a promoted
 * standby, a standby that is still one. The procedures in docs/backup.md are executed as they are
 * written there.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  executeOn,
  NO_OWN_POSTGRES,
  PostgresServer,
} from '@whence/testing/servers/postgres-server';
import { periodPasses, until } from '@whence/testing/until';
import { REVOCATION_WAIT_MS } from '../../keys/vouching.ts';
import { Command, urlOf } from '../command.ts';
import { ask } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { NetworkProxy } from './network-proxy.ts';
import { procedure, Shell } from './procedures.ts';
import { Replica } from './replicas.ts';

const skip = NO_OWN_POSTGRES;
const GRACE_SECONDS = 3;
const environment = { WHENCE_STORAGE_GRACE: String(GRACE_SECONDS) };
const PAGE = 'docs/backup.md';
/** As some services have it, for a role that is not a superuser. */
const WITHHELD = [
  'CREATE ROLE guest LOGIN',
  'GRANT ALL ON SCHEMA public TO guest',
  'GRANT ALL ON ALL TABLES IN SCHEMA public TO guest',
  'REVOKE ALL ON FUNCTION pg_control_system() FROM PUBLIC',
];

/** Messages are wrapped at the width of a terminal. */
async function whence(variables: Record<string, string>, ...argv: string[]) {
  const { code, stderr } = await new Command(argv, { WHENCE_PORT: '0', ...variables }).ended;
  return { code, stderr: stderr.replaceAll(/\s+/g, ' ').trim() };
}

test('restore: by the procedure, replicas drop keys that the backup does not have, and revocation is final', {
  skip,
}, async () => {
  const postgres = await PostgresServer.startOwn();
  await executeOn(postgres.url, 'CREATE DATABASE whence');
  const url = postgres.urlOf('whence');
  const shell = new Shell({
    WHENCE_DATABASE_URL: url,
    ADMIN_URL: postgres.url,
    RESTORED_URL: postgres.urlOf('whence_restored'),
  });
  const direct = new TestFolder(url);
  const replicas = [await Replica.start(url, environment), await Replica.start(url, environment)];
  const statuses = (secret: string) =>
    Promise.all(replicas.map((replica) => replica.status(secret)));
  try {
    const kept = await direct.createKey();
    const revokedLater = await direct.createKey();
    for (const command of procedure(PAGE, 'Backing up PostgreSQL')) await shell.run(command);
    const newer = await direct.createKey();
    for (const { secret } of [kept, newer, revokedLater])
      assert.deepEqual(await statuses(secret), [200, 200]);
    await direct.revokeKey(revokedLater.key.id);
    assert.deepEqual(await statuses(revokedLater.secret), [401, 401]);
    const commands = procedure(PAGE, 'Restoring PostgreSQL').slice(0, -1);
    const lastCommand = procedure(PAGE, 'Restoring PostgreSQL').at(-1);
    for (const command of commands) await shell.run(command);
    await Promise.all(replicas.map((replica) => replica.until('ok')));
    await periodPasses(REVOCATION_WAIT_MS);
    assert.deepEqual(await statuses(newer.secret), [401, 401], 'a key without a row');
    assert.deepEqual(await statuses(kept.secret), [200, 200]);
    assert.deepEqual(await statuses(revokedLater.secret), [200, 200], 'revoked after the backup');
    await shell.run((lastCommand ?? '').replace('"$ID"', revokedLater.key.id));
    assert.deepEqual(await statuses(revokedLater.secret), [401, 401], 'revoked again');
    // The copy now has as many changes as the database that it replaced.
    await direct.revokeKey(kept.key.id);
    assert.deepEqual(await statuses(kept.secret), [401, 401]);
  } finally {
    shell.remove();
    direct.remove();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await postgres.stop();
  }
});

test('restore: a copy that went on while a replica was cut off is noticed, with as many changes or more', {
  skip,
}, async () => {
  const postgres = await PostgresServer.startOwn();
  await executeOn(postgres.url, 'CREATE DATABASE whence');
  const url = postgres.urlOf('whence');
  const direct = new TestFolder(url);
  const copy = new TestFolder(postgres.urlOf('copy'));
  const replica = await Replica.start(url, environment);
  try {
    for (const changes of [1, 3]) {
      const { key, secret } = await direct.createKey();
      await replica.network.set('refuses');
      await until('no connection is left', async () => {
        const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = 'whence'";
        return (await executeOn(postgres.url, sql)).length === 0;
      });
      await executeOn(postgres.url, 'DROP DATABASE IF EXISTS copy');
      await executeOn(postgres.url, 'CREATE DATABASE copy TEMPLATE whence');
      await replica.network.set('works');
      await replica.until('ok');
      assert.equal(await replica.status(secret), 200);
      for (let i = 0; i < changes; i++) await direct.createKey();
      await periodPasses(REVOCATION_WAIT_MS);
      assert.equal(await replica.status(secret), 200);
      await replica.network.set('refuses');
      await copy.revokeKey(key.id);
      for (let i = 1; i < changes; i++) await copy.createKey();
      const swap = [
        'ALTER DATABASE whence RENAME TO old',
        'ALTER DATABASE copy RENAME TO whence',
        'DROP DATABASE old',
      ];
      await until('no connection is left', async () => {
        const sql = "SELECT 1 FROM pg_stat_activity WHERE datname IN ('whence', 'copy')";
        return (await executeOn(postgres.url, sql)).length === 0;
      });
      for (const sql of swap) await executeOn(postgres.url, sql);
      await replica.network.set('works');
      await replica.until('ok');
      assert.equal(await replica.status(secret), 401, `after ${changes} changes`);
    }
  } finally {
    direct.remove();
    copy.remove();
    await replica.stop();
    await postgres.stop();
  }
});

test('failover: by the procedure, replicas use the promoted standby and drop what it does not have', {
  skip,
}, async () => {
  const primary = await PostgresServer.startOwn();
  await executeOn(primary.url, 'CREATE DATABASE whence');
  const direct = new TestFolder(primary.urlOf('whence'));
  const kept = await direct.createKey();
  const limited = await direct.createKey({ tier: 'pro' });
  const standby = await primary.startStandby();
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',');
  const url = `postgres://whence@${hosts}/whence?target_session_attrs=read-write`;
  const folder = new TestFolder(url);
  folder.publish();
  const server = await ServerProcess.start(folder, { WHENCE_FIRST_KEY: 'off', ...environment });
  const replica = Replica.of(folder, server);
  const shell = new Shell({ WHENCE_DATABASE_URL: url, STANDBY_URL: standby.urlOf('whence') });
  try {
    // What is committed from now on is lost.
    await standby.halt('SIGINT');
    const lost = await direct.createKey();
    for (const { secret } of [kept, lost]) assert.equal(await replica.status(secret), 200);
    assert.deepEqual(await replica.statuses(limited.secret, 40), { 200: 40 });
    await primary.halt('SIGKILL');
    await standby.resume();
    for (const command of procedure(PAGE, 'Failing over to a standby')) await shell.run(command);
    await replica.until('ok');
    assert.equal(await replica.status(kept.secret), 200);
    assert.equal(await replica.status(lost.secret), 401, 'its row was lost');
    await until('what was spent of the lease is counted again', async () => {
      const sql = `SELECT granted::int FROM quota WHERE key_id = '${limited.key.id}'`;
      return JSON.stringify(await executeOn(standby.urlOf('whence'), sql)) === '[{"granted":40}]';
    });
    await folder.revokeKey(kept.key.id);
    assert.equal(await replica.status(kept.secret), 401);
  } finally {
    shell.remove();
    direct.remove();
    await replica.stop();
    await Promise.all([primary.stop(), standby.stop()]);
  }
});

test('two primaries: an old one that comes back is refused by commands, starts and running replicas', {
  skip,
}, async () => {
  const old = await PostgresServer.startOwn();
  await executeOn(old.url, 'CREATE DATABASE whence');
  const direct = new TestFolder(old.urlOf('whence'));
  const { key, secret } = await direct.createKey();
  const promoted = await old.startStandby();
  const [oldHost, newHost] = [old, promoted].map(({ url }) => new URL(url).host);
  const folder = new TestFolder(
    `postgres://whence@${oldHost},${newHost}/whence?target_session_attrs=read-write`,
  );
  folder.publish();
  const server = await ServerProcess.start(folder, { WHENCE_FIRST_KEY: 'off', ...environment });
  const replica = Replica.of(folder, server);
  const command = (...argv: string[]) => whence(folder.environment, ...argv);
  const isRevoked = async (postgres: PostgresServer) =>
    (await executeOn(postgres.urlOf('whence'), 'SELECT revoked_at FROM keys'))[0]?.revoked_at !==
    null;
  const both = new RegExp(
    `has 2 primaries: ${oldHost} \\(system \\d+, timeline 1, started \\S+, last write 2\\S+Z\\) and ` +
      `${newHost} \\(system \\d+, timeline 2, started \\S+, last write 2\\S+Z\\)\\. Nothing was changed`,
  );
  try {
    assert.equal(await replica.status(secret), 200);
    await until(
      'the server has reported',
      async () =>
        (await executeOn(promoted.urlOf('whence'), 'SELECT 1 FROM processes')).length === 1,
    );
    await old.halt('SIGKILL');
    await executeOn(promoted.url, 'SELECT pg_promote()');
    await replica.until('ok');
    const away = await command('key', 'list');
    assert.equal(away.code, 0, away.stderr);
    assert.match(
      away.stderr,
      new RegExp(`note: ${oldHost} cannot be asked whether it is a second primary: .*ECONNREFUSED`),
    );
    await old.resume();
    for (const argv of [['key', 'revoke', key.id], ['storage', 'check'], ['serve']]) {
      const refused = await command(...argv);
      assert.equal(refused.code, 3, argv.join(' '));
      assert.match(refused.stderr, both, argv.join(' '));
    }
    // What identifies a server is withheld: the time at which it was started is enough.
    for (const { url } of [old, promoted])
      await executeOn(new URL('/whence', url).href, ...WITHHELD);
    const guest = folder.environment['WHENCE_DATABASE_URL']?.replace('whence@', 'guest@') ?? '';
    const withheld = await whence(
      { ...folder.environment, WHENCE_DATABASE_URL: guest },
      'key',
      'revoke',
      key.id,
    );
    assert.deepEqual(
      [withheld.code, /2 primaries: \S+ \(started .* and \S+ \(started /.test(withheld.stderr)],
      [3, true],
    );
    assert.deepEqual([await isRevoked(old), await isRevoked(promoted)], [false, false]);
    assert.equal(await replica.status(secret), 200);
    // Only the old one answers: it is not used, and the keys that the replica knows do not depend
    // on it.
    const written = () =>
      executeOn(
        old.urlOf('whence'),
        'SELECT max(seen_at), sum(probes) FROM processes, maintenance',
      );
    const before = await written();
    await promoted.halt('SIGINT');
    await replica.until('unavailable');
    assert.equal(await replica.status(secret), 503);
    await periodPasses(2_000);
    assert.equal((await replica.ready())[1], 'unavailable');
    assert.deepEqual(await written(), before, 'nothing was written to the old one');
    await promoted.resume();
    await replica.until('ok');
    assert.equal(await replica.status(secret), 200);
    await executeOn(old.urlOf('whence'), 'UPDATE processes SET seen_at = seen_at - 120000');
    const alone = await whence(direct.environment, 'key', 'revoke', key.id);
    assert.match(
      alone.stderr,
      /note: no running server uses this database; the last one was seen 2\S+Z/,
    );
    // A start while the new one does not answer uses the old one, says so, and leaves it as soon as
    // it can.
    const resume = promoted.freeze();
    const misled = new Command(['serve'], {
      ...folder.environment,
      WHENCE_PORT: '0',
      WHENCE_FIRST_KEY: 'off',
    });
    const misledUrl = await urlOf(misled);
    const wasTold = misled.stderr.includes(
      `${newHost} cannot be asked whether it is a second primary`,
    );
    resume();
    await until('it has left the old one', async () => {
      await ask(`${misledUrl}/v1/ip/8.8.8.8`, secret);
      return misled.stderr.includes(
        'another database, or an older copy of it, has taken its place',
      );
    }).finally(() => misled.stop());
    assert.ok(wasTold, misled.stderr);
    await old.halt('SIGINT');
    assert.equal((await command('key', 'revoke', key.id)).code, 0);
    assert.equal(await replica.status(secret), 401);
  } finally {
    direct.remove();
    await replica.stop();
    await Promise.all([old.stop(), promoted.stop()]);
  }
});

test('two primaries: two ways to one primary are one', { skip }, async () => {
  const postgres = await PostgresServer.startOwn();
  await executeOn(postgres.url, 'CREATE DATABASE whence');
  const url = postgres.urlOf('whence');
  const ways = [await NetworkProxy.start(url), await NetworkProxy.start(url)];
  const hosts = ways.map((way) => new URL(way.url(url)).host).join(',');
  const folder = new TestFolder(
    `postgres://whence@${hosts}/whence?target_session_attrs=read-write`,
  );
  try {
    await folder.createKey();
    const { code, stderr } = await whence(folder.environment, 'storage', 'check');
    assert.deepEqual([code, stderr], [0, '']);
    // Paused: a listed server that does not answer is told, and not waited for.
    await ways[1]?.set('drops');
    const paused = await whence(folder.environment, 'key', 'list');
    assert.deepEqual([paused.code, /cannot be asked .*: .*timeout/.test(paused.stderr)], [0, true]);
  } finally {
    folder.remove();
    await Promise.all(ways.map((way) => way.stop()));
    await postgres.stop();
  }
});

test('standby: a replica that is led to one refuses a revoked key after the grace, and returns to the primary', {
  skip,
}, async () => {
  const primary = await PostgresServer.startOwn();
  await executeOn(primary.url, 'CREATE DATABASE whence');
  const direct = new TestFolder(primary.urlOf('whence'));
  const revoked = await direct.createKey();
  const kept = await direct.createKey();
  const unseen = await direct.createKey();
  const standby = await primary.startStandby();
  const replica = await Replica.start(primary.urlOf('whence'), environment);
  try {
    for (const { secret } of [revoked, kept]) assert.equal(await replica.status(secret), 200);
    await executeOn(standby.url, 'SELECT pg_wal_replay_pause()');
    await replica.network.leadTo(standby.url);
    await direct.revokeKey(revoked.key.id);
    await replica.until('degraded');
    assert.equal(await replica.status(kept.secret), 200);
    assert.deepEqual(
      await replica.refusal(unseen.secret),
      [503, 'STORAGE_UNAVAILABLE'],
      'a standby may lag',
    );
    await replica.until('unavailable');
    assert.deepEqual(await replica.refusal(revoked.secret), [503, 'STORAGE_UNAVAILABLE']);
    await replica.network.leadTo(primary.url);
    await replica.until('ok');
    assert.deepEqual(
      [await replica.status(revoked.secret), await replica.status(kept.secret)],
      [401, 200],
    );
  } finally {
    direct.remove();
    await replica.stop();
    await Promise.all([primary.stop(), standby.stop()]);
  }
});

test('standby: a server starts on one, says that it is not ready, and works once it is promoted', {
  skip,
}, async () => {
  const primary = await PostgresServer.startOwn();
  await executeOn(primary.url, 'CREATE DATABASE whence');
  const direct = new TestFolder(primary.urlOf('whence'));
  const { secret } = await direct.createKey();
  const standby = await primary.startStandby();
  const replica = await Replica.start(standby.urlOf('whence'), environment);
  try {
    await replica.until('unavailable');
    assert.deepEqual(await replica.refusal(secret), [503, 'STORAGE_UNAVAILABLE']);
    await primary.halt('SIGINT');
    await executeOn(standby.url, 'SELECT pg_promote()');
    await replica.until('ok');
    assert.equal(await replica.status(secret), 200);
  } finally {
    direct.remove();
    await replica.stop();
    await Promise.all([primary.stop(), standby.stop()]);
  }
});

test('read-only: a server starts degraded, serves keys without a limit for the grace, and recovers', {
  skip,
}, async () => {
  const postgres = await PostgresServer.startOwn();
  await executeOn(postgres.url, 'CREATE DATABASE whence');
  const url = postgres.urlOf('whence');
  const direct = new TestFolder(url);
  const enterprise = await direct.createKey();
  const free = await direct.createKey({ tier: 'free' });
  await executeOn(postgres.url, 'ALTER DATABASE whence SET default_transaction_read_only = on');
  const replica = await Replica.start(url, environment);
  try {
    await replica.until('degraded');
    assert.equal(await replica.status(enterprise.secret), 200);
    assert.deepEqual(await replica.refusal(free.secret), [503, 'STORAGE_UNAVAILABLE']);
    await replica.until('unavailable');
    assert.deepEqual(await replica.refusal(enterprise.secret), [503, 'STORAGE_UNAVAILABLE']);
    await executeOn(postgres.url, 'ALTER DATABASE whence RESET default_transaction_read_only');
    await replica.until('ok');
    assert.deepEqual(
      [await replica.status(enterprise.secret), await replica.status(free.secret)],
      [200, 200],
    );
  } finally {
    direct.remove();
    await replica.stop();
    await postgres.stop();
  }
});
