/**
 * `wh storage migrate` and `check`: SQLite to PostgreSQL and back, with what both hold compared.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  NO_OWN_POSTGRES,
  NO_POSTGRES,
  PostgresServer,
} from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import pg from 'pg';
import { Accounts } from '../../accounts/accounts.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { dayOfMs } from '../../day.ts';
import { Keys } from '../../keys/keys.ts';
import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { Command } from '../../test/command.ts';
import { runCommand } from '../../test/run-command.ts';
import { newBatch } from '../../test/storage/new-batch.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-migrate-'));
const dataDir = join(folder, 'data');
const skip = NO_POSTGRES;
let postgres: Promise<PostgresServer> | undefined;
let secret: string;
before(async () => {
  secret = await fill(dataDir);
});
const drops: (() => Promise<void>)[] = [];
after(async () => {
  for (const drop of drops) await drop();
  await (await postgres)?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function newDatabase(): Promise<string> {
  postgres ??= PostgresServer.start();
  const { url, drop } = await (await postgres).createDatabase();
  drops.push(drop);
  return url;
}

const whence = (environment: Record<string, string>, ...argv: string[]) =>
  runCommand(argv, environment);

async function withStorage<T>(
  location: string,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(location);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const DAY = dayOfMs(Date.now());
/** In the audit log. */
const TEST = { name: 'test' };
const USAGE_ROWS = 1_234;

/** A row each, of one request. */
async function addUsage(location: string, count: number): Promise<void> {
  await withStorage(location, async ({ usage }) => {
    for (let from = 0; from < count; from += 10_000) {
      const rows = Array.from({ length: Math.min(10_000, count - from) }, (_, i) => ({
        keyId: `key ${from + i}`,
        day: '2026-11-15',
        endpoint: 'ip',
        statusClass: 2,
        requests: 1,
      }));
      await usage.add(newBatch(), rows, new Map());
    }
  });
}

async function execute(database: string, statement: string): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Keys, a revoked one among them, an account, statistics and today's counts. Returns the secret of
 * a key.
 */
async function fill(location: string): Promise<string> {
  return withStorage(location, async (storage) => {
    const keys = new Keys(storage.keys, new AuditLog(storage.audit));
    const { key, secret } = await keys.create(
      { name: 'Größe "x"', tier: 'free', permissions: ['ip:read'] },
      TEST,
      new Date(),
    );
    const { key: revoked } = await keys.create(
      { name: 'gone', tier: 'pro', permissions: ['ip:read'] },
      TEST,
      new Date(),
    );
    await keys.revoke(revoked.id, TEST, new Date());
    await new Accounts(storage, new AuditLog(storage.audit)).create(
      'Ada',
      'admin',
      TEST,
      new Date(),
    );
    const rows = Array.from({ length: USAGE_ROWS }, (_, i) => ({
      keyId: `key ${i % 7} ${'aAäZ_-'[i % 6]}`,
      day: '2026-11-15',
      endpoint: `e${i}`,
      statusClass: 2,
      requests: i,
    }));
    await storage.usage.add(newBatch(), rows, new Map([[key.id, { lastUsedAt: new Date() }]]));
    const lease = { keyId: key.id, day: DAY, owner: 'dead.1' };
    await storage.leases.take(lease, { wanted: 300, limit: 1_000, spent: 0, opened: 0, open: 300 });
    await storage.leases.end([{ ...lease, spent: 290 }]);
    return secret;
  });
}

test('storage migrate: to PostgreSQL and back, twice, keys and counts are the same', {
  skip,
}, async () => {
  const database = await newDatabase();
  for (let i = 0; i < 2; i++) {
    const { code, stdout, stderr } = await whence(
      { WHENCE_DATA_DIR: dataDir },
      'storage',
      'migrate',
      '--to',
      database,
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^usage +1,234$/m);
    assert.match(stdout, /copied to postgres:\/\/127\.0\.0\.1:\d+\/\w+, and the copy was verified/);
    assert.doesNotMatch(stdout, /whence@/, 'neither user nor password');
  }
  await withStorage(database, async (storage) => {
    assert.equal(
      (await new Keys(storage.keys, new AuditLog(storage.audit)).findBySecret(secret))?.name,
      'Größe "x"',
    );
    assert.deepEqual([...(await storage.leases.takenOn(DAY)).values()], [290]);
    assert.equal((await storage.audit.list({}, 10)).length, 4);
    // Changed before the way back.
    await new Keys(storage.keys, new AuditLog(storage.audit)).create(
      { name: 'new', tier: 'free', permissions: ['ip:read'] },
      TEST,
      new Date(),
    );
  });
  const back = join(folder, 'back');
  const { code, stderr } = await whence(
    { WHENCE_DATABASE_URL: database },
    'storage',
    'migrate',
    '--to',
    back,
    '--json',
  );
  assert.equal(code, 0, stderr);
  await withStorage(back, async (storage) => {
    assert.equal((await storage.keys.list()).length, 3);
    assert.equal((await storage.accounts.findByName('ada'))?.role, 'admin');
  });
});

test('storage migrate: one that is killed can be run again; nothing is lost or doubled', {
  skip,
}, async () => {
  const source = join(folder, 'many');
  const database = await newDatabase();
  await fill(source);
  await addUsage(source, 60_000);
  const argv = ['storage', 'migrate', '--to', database];
  const killed = new Command(argv, { WHENCE_DATA_DIR: source });
  const hasPart = async () =>
    Number((await execute(database, 'select count(*) from usage'))[0]?.count) > 0;
  await until('a part is there', () => hasPart().catch(() => false), { everyMs: 5 });
  await killed.stop('SIGKILL');
  const { code, stdout, stderr } = await whence({ WHENCE_DATA_DIR: source }, ...argv);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^usage +61,234$/m);
  assert.match(stderr, /^copying usage \(61,234 rows\)$/m);
});

test('storage migrate: a database of another deployment is not replaced without --replace', {
  skip,
}, async () => {
  const one = join(folder, 'one');
  const other = await newDatabase();
  await fill(one);
  await fill(other);
  const refused = await whence({ WHENCE_DATA_DIR: one }, 'storage', 'migrate', '--to', other);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /has 2 keys that .*whence\.sqlite does not have; --replace removes them/,
  );
  assert.equal(
    (await whence({ WHENCE_DATA_DIR: one }, 'storage', 'migrate', '--to', other, '--replace')).code,
    0,
  );
});

test('storage migrate: refused while a process uses either storage', async () => {
  const one = join(folder, 'used');
  const other = join(folder, 'unused');
  await fill(one);
  await withStorage(one, ({ processes }) =>
    processes.report({
      id: 'a',
      host: 'web-1',
      pid: 42,
      startedAt: new Date(),
      seenAt: new Date(),
      memoryBytes: 1,
      lagMs: 0,
      datasetVersion: 1,
      rulesChecksum: '',
      overridesChecksum: '',
      settingsChecksum: '',
    }),
  );
  const { code, stderr } = await whence(
    { WHENCE_DATA_DIR: one },
    'storage',
    'migrate',
    '--to',
    other,
  );
  assert.equal(code, 3);
  assert.match(stderr, /is in use by web-1, process 42: stop the servers first/);
});

for (const [behaviour, to, code, message] of [
  ['the storage itself', dataDir, 2, /--to is the storage that the settings already use/],
  [
    'another kind of database',
    'mysql://u:secret@host/x',
    2,
    /--to must be a data directory or a URL such as postgres:/,
  ],
  [
    'a database that is not there',
    'postgres://u:secret@127.0.0.1:1/x?connect_timeout=1',
    3,
    /ECONNREFUSED/,
  ],
] as const) {
  test(`storage migrate: ${behaviour} is refused without a password in the message`, async () => {
    const ended = await whence({ WHENCE_DATA_DIR: dataDir }, 'storage', 'migrate', '--to', to);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /secret/);
  });
}

test('storage check: shows rows, response time and clock, on both engines', { skip }, async () => {
  const database = await newDatabase();
  await fill(database);
  for (const environment of [{ WHENCE_DATA_DIR: dataDir }, { WHENCE_DATABASE_URL: database }]) {
    const { code, stdout, stderr } = await whence(environment, 'storage', 'check');
    assert.equal(code, 0, stderr + stdout);
    assert.match(stdout, /^accounts +\d+$/m);
    assert.match(
      stdout,
      /response time \d+\.\d\d ms; clock difference -?\d+ ms\nused by no process\n(replication: no standby is connected\n)?no problems\n$/,
    );
    const json = JSON.parse((await whence(environment, 'storage', 'check', '--json')).stdout);
    assert.deepEqual([json.problems, json.rows.accounts > 0, json.newer_steps], [[], true, []]);
  }
});

test('storage check: rows of large tables are estimated, on both engines', { skip }, async () => {
  const database = await newDatabase();
  const large = join(folder, 'large');
  for (const location of [database, large]) {
    await fill(location);
    await addUsage(location, 110_000);
  }
  const checked = async (environment: Record<string, string>) => {
    const { code, stdout } = await whence(environment, 'storage', 'check', '--json');
    const { rows, estimated } = JSON.parse(stdout);
    assert.deepEqual([code, estimated], [0, ['usage']]);
    return rows.usage;
  };
  const all = 110_000 + USAGE_ROWS;
  assert.equal(await checked({ WHENCE_DATA_DIR: large }), all);
  assert.match(
    (await whence({ WHENCE_DATA_DIR: large }, 'storage', 'check')).stdout,
    /^usage +about 111,234$/m,
  );
  for (const [state, ...statements] of [
    ['never analysed', 'ALTER TABLE usage SET (autovacuum_enabled = off)'],
    [
      'in partitions',
      'ALTER TABLE usage RENAME TO usage_before',
      'CREATE TABLE usage (LIKE usage_before) PARTITION BY RANGE (day)',
      'ALTER TABLE usage ATTACH PARTITION usage_before DEFAULT',
    ],
  ] as const) {
    for (const statement of statements) await execute(database, statement);
    const rows = await checked({ WHENCE_DATABASE_URL: database });
    assert.ok(Math.abs(rows / all - 1) < 0.05, `${state}: ${rows} rows`);
  }
});

test('storage check: shows whether a failover can lose commits', {
  skip: NO_OWN_POSTGRES,
}, async () => {
  const primary = await PostgresServer.startOwn();
  const standby = await primary.startStandby();
  const { url } = await primary.createDatabase();
  try {
    await (await openStorage(url)).close();
    await until(
      'the standby is connected',
      async () => (await execute(url, 'select 1 from pg_stat_replication')).length > 0,
    );
    for (const [settings, want, code] of [
      [
        {},
        /^replication: asynchronous, 1 standby is connected: after a failover, limits can be exceeded/m,
        0,
      ],
      [
        { synchronous_standby_names: '*' },
        /^replication: synchronous \(\*\), 1 standby is connected: limits and/m,
        0,
      ],
      [{ synchronous_commit: 'local' }, /^replication: asynchronous/m, 0],
      [
        { synchronous_commit: 'off' },
        /^problem: synchronous_commit is off: after a crash of PostgreSQL, limits/m,
        1,
      ],
    ] as const) {
      for (const [name, value] of Object.entries(settings)) {
        await execute(url, `alter system set ${name} = '${value}'`);
        await execute(url, 'select pg_reload_conf()');
        await until(
          'it is set',
          async () => (await execute(url, `show ${name}`))[0]?.[name] === value,
        );
      }
      const ended = await whence({ WHENCE_DATABASE_URL: url }, 'storage', 'check');
      assert.match(ended.stdout, want);
      assert.equal(ended.code, code, ended.stdout);
    }
    const { stdout } = await whence({ WHENCE_DATABASE_URL: url }, 'storage', 'check', '--json');
    assert.deepEqual(JSON.parse(stdout).replication, {
      synchronous: false,
      synchronous_commit: 'off',
      synchronous_standby_names: '*',
      standbys: 1,
    });
  } finally {
    await Promise.all([standby.stop(), primary.stop()]);
  }
});

test('storage check: an empty directory is not a storage, and nothing is created in it', {
  skip,
}, async () => {
  const empty = await newDatabase();
  for (let i = 0; i < 2; i++) {
    const { code, stderr } = await whence({ WHENCE_DATABASE_URL: empty }, 'storage', 'check');
    assert.equal(code, 3);
    assert.match(stderr, /has no Whence tables: is it the right database\?/);
  }
});
