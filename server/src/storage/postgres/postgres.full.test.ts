/**
 * What only PostgreSQL needs: connections that fail, settings of sessions, other applications in
 * the same database.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import pg from 'pg';
import { NetworkProxy } from '../../test/storage/network-proxy.ts';
import { newBatch } from '../../test/storage/new-batch.ts';
import { openEngine, openStorage } from '../open-storage.ts';
import type { StoredKey } from '../stores/key-store.ts';
import { onWaiting } from '../waiting.ts';
import { openPool, openTransaction } from './pool.ts';

const skip = NO_OWN_POSTGRES;
const TIMEOUTS = { connectMs: 2_000, statementMs: 2_000, lockMs: 2_000, queryMs: 3_000 };
let postgres: PostgresServer;

before(async () => {
  if (skip === false) postgres = await PostgresServer.startOwn();
});
after(() => postgres?.stop());

const key = (id: string): StoredKey => ({
  id,
  name: 'a key',
  hash: `hash of ${id}`,
  masked: 'whence_ab12…wxyz',
  permissions: ['ip:read'],
  tier: 'pro',
  createdAt: new Date('2026-11-15T00:00:00Z'),
});

async function onDatabase(
  work: (url: string, execute: (sql: string) => Promise<unknown[]>) => Promise<void>,
) {
  const { url, drop } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(url, async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
    await drop();
  }
}

const onPostgres = (behaviour: string, work: Parameters<typeof onDatabase>[0]) =>
  test(`postgres: ${behaviour}`, { skip }, () => onDatabase(work));

onPostgres(
  'a connection that ends in the packet that says that it is ready fails its query only',
  async (url) => {
    const proxy = await NetworkProxy.start(url);
    const pool = openPool(proxy.url(url), { max: 2, timeouts: TIMEOUTS });
    try {
      await proxy.set('shuts down');
      // An error without a listener would end this process.
      for (let i = 0; i < 20; i++) await assert.rejects(pool.connect(), /terminat/);
      assert.ok(proxy.shutdowns >= 20);
      await proxy.set('works');
      const client = await pool.connect();
      assert.deepEqual((await client.query('select 1 as one', [])).rows, [{ one: 1 }]);
      client.release();
    } finally {
      await pool.end();
      await proxy.stop();
    }
  },
);

onPostgres(
  'an answer to another question is refused, and the next question is asked as before',
  async (url, execute) => {
    const { db, keyChanges } = await openEngine(url);
    try {
      const { revision } = await keyChanges('');
      await execute('alter function whence_key_changes rename to kept');
      await execute(
        `create function whence_key_changes(
         bigint, integer, boolean,
         out keys bigint, out token text, out known_token text, out database text, out wal_bytes bigint,
         out is_standby boolean, out is_read_only boolean, out changed json
       ) language sql as 'select null::bigint, null, null, null, null::bigint, null::boolean, null::boolean, null::json'`,
      );
      for (const since of [revision, ''])
        await assert.rejects(keyChanges(since), /answered another question/);
      await execute('drop function whence_key_changes');
      await execute('alter function kept rename to whence_key_changes');
      assert.deepEqual(await keyChanges(revision), { revision, changed: [], isReplaced: false });
    } finally {
      await db.destroy();
    }
  },
);

onPostgres('a start that waits for the schema says so', async (url, execute) => {
  const told: string[] = [];
  const stopListening = onWaiting((reason) => told.push(reason));
  // Like another replica that migrates.
  await execute('begin');
  await execute('create table whence_migration (name text)');
  const opening = openStorage(url);
  try {
    await until('it is told', () => told.length > 0);
    assert.match(told.join(), /^the schema of .* is being brought up to date$/);
  } finally {
    stopListening();
    await execute('rollback');
    await (await opening).close();
  }
});

onPostgres(
  'a replica that disappears inside a transaction holds its locks for seconds, not hours',
  async (url) => {
    const storage = await openStorage(url);
    const pool = openPool(url, { max: 1, timeouts: TIMEOUTS });
    try {
      await storage.keys.insert(key('one'));
      const gone = await pool.connect();
      await gone.query(openTransaction(TIMEOUTS), []);
      await gone.query('update revisions set keys = keys + 1', []);
      const revoke = () => storage.keys.revoke('one', new Date(), 'test').catch(() => 'locked');
      assert.equal(await revoke(), 'locked');
      await until('the key is revoked', async () => (await revoke()) === 'revoked');
      gone.release();
    } finally {
      await pool.end();
      await storage.close();
    }
  },
);

onPostgres(
  'statistics of a key do not wait for the round trips of another process',
  async (url) => {
    const proxy = await NetworkProxy.start(url, 1_500);
    const near = await openStorage(url);
    const far = await openStorage(proxy.url(url));
    const count = (storage: typeof near) =>
      storage.usage.add(
        newBatch(),
        [{ keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 1 }],
        new Map([['one', { lastUsedAt: new Date() }]]),
      );
    try {
      await near.keys.insert(key('one'));
      await count(far);
      await proxy.set('delays');
      let isFarDone = false;
      const farWrite = count(far).then(() => {
        isFarDone = true;
      });
      let writes = 0;
      for (; !isFarDone; writes++) await count(near);
      assert.ok(writes > 20, `${writes} writes while another process waits for its answer`);
      await farWrite;
      assert.equal((await near.usage.ofKey('one'))[0]?.requests, writes + 2);
    } finally {
      await Promise.all([near.close(), far.close()]);
      await proxy.stop();
    }
  },
);

onPostgres('a large batch is stored whole and once', async (url) => {
  const storage = await openStorage(url);
  const row = { day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 1 };
  const rows = Array.from({ length: 5_001 }, (_, i) => ({ ...row, keyId: `key ${i}` }));
  const batch = newBatch();
  try {
    for (let i = 0; i < 2; i++) await storage.usage.add(batch, rows, new Map());
    const sums = await storage.usage.sums({ from: row.day, to: row.day }, 'endpoint');
    assert.deepEqual(sums, [{ day: row.day, group: 'ip', requests: 5_001 }]);
  } finally {
    await storage.close();
  }
});

onPostgres(
  'leases are taken side by side although the database is serializable by default',
  async (url, execute) => {
    await execute(
      `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = serializable`,
    );
    const all = await Promise.all([1, 2, 3, 4].map(() => openStorage(url)));
    try {
      await Promise.all(
        all.flatMap((storage, owner) =>
          Array.from({ length: 50 }, (_, i) =>
            storage.leases.take(
              { keyId: `key ${i % 5}`, day: '2026-11-15', owner: `${owner}.1` },
              { wanted: 1, limit: 1_000, spent: 0, opened: 0, open: 1 },
            ),
          ),
        ),
      );
      const taken = await all[0]?.leases.takenOn('2026-11-15');
      assert.deepEqual([...(taken?.values() ?? [])], [40, 40, 40, 40, 40]);
    } finally {
      await Promise.all(all.map((storage) => storage.close()));
    }
  },
);

for (const schema of ['public', 'other'])
  onPostgres(
    `steps of another application in the schema ${schema} are left alone`,
    async (url, execute) => {
      await execute(`create schema if not exists ${schema}`);
      for (const table of ['kysely_migration', 'kysely_migration_lock'])
        await execute(`create table ${schema}.${table} (name text primary key, timestamp text)`);
      await execute(
        `insert into ${schema}.kysely_migration values ('2024-first', ''), ('2025-second', '')`,
      );
      for (let i = 0; i < 2; i++) {
        const storage = await openStorage(url, { mustExist: i > 0 });
        if (i === 0) await storage.keys.insert(key('one'));
        assert.equal((await storage.keys.find('one'))?.id, 'one');
        await storage.close();
      }
      assert.deepEqual(await execute(`select name from ${schema}.kysely_migration order by name`), [
        { name: '2024-first' },
        { name: '2025-second' },
      ]);
    },
  );

test('postgres: of several hosts, the primary is used', { skip }, async () => {
  const standby = await postgres.startStandby();
  const primaryHost = new URL(postgres.url).host;
  const standbyHost = new URL(standby.url).host;
  try {
    await onDatabase(async (url) => {
      const database = new URL(url).pathname;
      await (await openStorage(url)).close();
      for (const hosts of [
        `${standbyHost},${primaryHost}`,
        `127.0.0.1:1,${primaryHost}`,
        `${primaryHost},127.0.0.1:1`,
      ]) {
        const location = `postgres://whence@${hosts}${database}?target_session_attrs=read-write`;
        const storage = await openStorage(location, { mustExist: true });
        await storage.maintenance.probe();
        await storage.close();
      }
      await until('the standby has the tables', async () => {
        const client = new pg.Client({
          connectionString: `postgres://whence@${standbyHost}${database}`,
        });
        await client.connect();
        const { rows } = await client.query("select to_regclass('key_changes') as found");
        await client.end();
        return rows[0].found !== null;
      }).catch((error) => assert.fail(error));
      // Without the parameter a standby is accepted, found to be one, and given up for the next
      // host.
      const engine = await openEngine(`postgres://whence@${standbyHost},${primaryHost}${database}`);
      await until('it answers from the primary', () =>
        engine.keyChanges('').then(
          () => true,
          () => false,
        ),
      );
      await engine.db.destroy();
      await assert.rejects(
        openStorage(
          `postgres://whence@${standbyHost}${database}?target_session_attrs=primary&connect_timeout=1`,
        ),
        {
          message:
            /cannot be used: the server is read-only, for 1 s\. It is read-only: name the primary server, not a standby/,
        },
      );
    });
  } finally {
    await standby.stop();
  }
});
