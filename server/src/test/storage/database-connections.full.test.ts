/**
 * Connections to PostgreSQL that break, wait, are slow or are shared through a pooler, and workers
 * that are replaced meanwhile, on real servers.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import { NO_PGBOUNCER, PgBouncerServer } from '@whence/testing/servers/pgbouncer-server';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { periodPasses, until } from '@whence/testing/until';
import pg from 'pg';
import { REVOCATION_WAIT_MS } from '../../keys/vouching.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { CONNECTIONS_PER_PROCESS } from '../../storage/postgres/pool.ts';
import { ask, workersOf } from '../http/requests.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { NetworkProxy } from './network-proxy.ts';
import { Replica } from './replicas.ts';

const skip = NO_OWN_POSTGRES;
const environment = { WHENCE_STORAGE_GRACE: '20' };

let postgres: PostgresServer;
let url: string;
let direct: TestFolder;

before(async () => {
  if (skip !== false) return;
  postgres = await PostgresServer.startOwn();
  ({ url } = await postgres.createDatabase());
  direct = new TestFolder(url);
  await direct.createKey();
});

after(async () => {
  direct?.remove();
  await postgres?.stop();
});

async function connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function withReplica(
  delayMs: number,
  work: (replica: Replica) => Promise<void>,
): Promise<void> {
  const replica = await Replica.start(url, environment, delayMs);
  try {
    await work(replica);
  } finally {
    await replica.stop();
  }
}

test('connections: PostgreSQL ends each one in the packet that says that it is ready; the server goes on', {
  skip,
}, async () => {
  const { secret } = await direct.createKey();
  await withReplica(0, async (replica) => {
    assert.equal(await replica.status(secret), 200);
    await replica.network.set('shuts down');
    await replica.until('degraded');
    await until('some were ended', () => replica.network.shutdowns > 10);
    assert.equal(await replica.status(secret), 200);
    assert.equal(replica.server.child.exitCode, null);
    await replica.network.set('works');
    await replica.until('ok');
  });
});

test('grace: a known key is served when keys have changed while no request came, and PostgreSQL then stops', {
  skip,
}, async () => {
  const { secret } = await direct.createKey();
  const { secret: unseen } = await direct.createKey();
  await withReplica(0, async (replica) => {
    await periodPasses(REVOCATION_WAIT_MS);
    assert.equal(await replica.status(secret), 200);
    await direct.createKey();
    // Longer than two of the questions that an idle process asks.
    await periodPasses(2_500);
    await postgres.halt('SIGINT');
    try {
      assert.equal(await replica.status(secret), 200);
      await replica.until('degraded');
      assert.deepEqual(
        await replica.refusal(unseen),
        [503, 'STORAGE_UNAVAILABLE'],
        'a key that was never seen',
      );
    } finally {
      await postgres.resume();
    }
    await replica.until('ok');
    assert.equal(await replica.status(unseen), 200);
  });
});

test('leases: what a key has not used is returned while statistics cannot be written', {
  skip,
}, async () => {
  const { key, secret } = await direct.createKey({ tier: 'pro' });
  await withReplica(0, async (replica) => {
    await connected(async (blocker) => {
      await blocker.query('begin; lock table usage, traffic in access exclusive mode');
      assert.equal(await replica.status(secret), 200);
      const isReturned = () =>
        connected(async (client) => {
          const { rows } = await client.query('select granted::int from quota where key_id = $1', [
            key.id,
          ]);
          return rows[0]?.granted === 1;
        });
      await until('the lease is returned', isReturned);
      await blocker.query('rollback');
    });
  });
});

for (const [behaviour, delayMs, state] of [
  ['of 30 ms, lookups do not wait for the database', 30, 'ok'],
  ['of 200 ms, /readyz says that it is too long, and known keys are served', 200, 'slow'],
] as const)
  test(`round trip: ${behaviour}`, { skip }, async () => {
    const { key, secret } = await direct.createKey();
    await withReplica(delayMs, async (replica) => {
      const roundTrip = async () => {
        const { text } = await ask(`${replica.server.url}/readyz`, '');
        return JSON.parse(text).data.checks.storage_round_trip;
      };
      assert.equal(await replica.status(secret), 200);
      await until('it is short', async () => (await roundTrip()) === 'ok');
      await replica.network.set('delays');
      // The first questions at this distance are answered too late, and the average of round trips
      // follows.
      for (let i = 0; i < 60; i++) assert.equal(await replica.status(secret), 200);
      if (state === 'ok') {
        const before = replica.network.questions;
        assert.deepEqual(await replica.statuses(secret, 400), { 200: 400 });
        const asked = replica.network.questions - before;
        assert.ok(asked < 200, `${asked} questions for 400 lookups`);
      } else {
        await until('it is too long', async () => (await roundTrip()) === 'slow');
        await replica.network.set('works');
        await until('it is short again', async () => (await roundTrip()) === 'ok');
      }
      await direct.revokeKey(key.id);
      assert.equal(await replica.status(secret), 401, 'revocation is immediate');
    });
  });

test('workers: one that dies while PostgreSQL is away leaves requests to the others; without others it is not ready', {
  skip,
}, async () => {
  const { secret } = await direct.createKey();
  const folder = new TestFolder(url);
  folder.publish();
  // A fixed port: with 0, workers choose another one once none of them listens.
  const WHENCE_PORT = String(await freePort());
  const settings = { WHENCE_FIRST_KEY: 'off', WHENCE_WORKERS: '2', WHENCE_PORT };
  const server = await ServerProcess.start(folder, { ...settings, ...environment });
  const statuses = async () => {
    const found = new Set<number>();
    for (let i = 0; i < 30; i++)
      found.add((await ask(`${server.url}/v1/ip/8.8.8.8`, secret)).status);
    return [...found];
  };
  const ready = async () => {
    const { status, text } = await ask(`${server.url}/readyz`, '');
    return status === 0 ? 'refused' : `${status} ${JSON.parse(text).data.checks.storage}`;
  };
  const replace = async (worker: number) => {
    process.kill(worker, 'SIGKILL');
    await until('it is replaced', () => {
      const workers = workersOf(server);
      return workers.length === 2 && !workers.includes(worker);
    });
  };
  try {
    const [first, second] = workersOf(server) as [number, number];
    // A connection may be accepted by either worker; one that is stopped accepts none.
    for (const other of [first, second]) {
      process.kill(other, 'SIGSTOP');
      assert.deepEqual(await statuses(), [200]);
      process.kill(other, 'SIGCONT');
    }
    await postgres.halt('SIGINT');
    await replace(first);
    assert.deepEqual(await statuses(), [200], 'the worker that knows the key answers');
    await replace(second);
    await until('the replacement listens', async () => (await ready()) === '503 unavailable');
    await postgres.resume();
    await until('it is ready', async () => (await ready()) === '200 ok');
    await until('all workers are', async () => (await statuses()).join() === '200');
  } finally {
    if (postgres.pid === undefined) await postgres.resume();
    await server.stop('SIGKILL');
    folder.remove();
  }
});

test('pooler: behind PgBouncer in transaction mode limits are exact, revocation is immediate and sessions are set', {
  skip: skip === false ? NO_PGBOUNCER : skip,
}, async () => {
  const { url: pooled } = await postgres.createDatabase();
  const name = new URL(pooled).pathname.slice(1);
  await connected((client) =>
    client.query(`alter database ${name} set default_transaction_isolation = serializable`),
  );
  const pooler = await PgBouncerServer.start(postgres.url, [
    'pool_mode = transaction',
    'default_pool_size = 4',
  ]);
  const throughPooler = new TestFolder(pooler.url(pooled));
  const replicas: Replica[] = [];
  try {
    // Also the schema is made through the pooler.
    const { secret: free } = await throughPooler.createKey({ tier: 'free' });
    for (let i = 0; i < 2; i++) replicas.push(await Replica.start(pooler.url(pooled), environment));
    const counts = await Promise.all(replicas.map((replica) => replica.statuses(free, 700)));
    assert.equal((counts[0]?.[200] ?? 0) + (counts[1]?.[200] ?? 0), 1_000, JSON.stringify(counts));
    for (let i = 0; i < 3; i++) {
      const { key, secret } = await throughPooler.createKey();
      for (const replica of replicas) assert.equal(await replica.status(secret), 200);
      await throughPooler.revokeKey(key.id);
      for (const replica of replicas) assert.equal(await replica.status(secret), 401);
    }
    // All connections of the server at the same time: those on which a replica has begun are set.
    const clients = Array.from(
      { length: 4 },
      () => new pg.Client({ connectionString: pooler.url(pooled) }),
    );
    const settings: string[] = [];
    for (const client of clients) {
      await client.connect();
      await client.query('begin');
      const { rows } = await client.query(
        "select current_setting('statement_timeout') || ' ' || current_setting('default_transaction_isolation') as found",
      );
      settings.push(rows[0]?.found);
    }
    for (const client of clients) await client.end();
    assert.ok(settings.includes('2s read committed'), settings.join());
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    throughPooler.remove();
    await pooler.stop();
  }
});

test('a database that answers only some connections in time is called slow, without a pooler, and is waited for', {
  skip,
}, async () => {
  const network = await NetworkProxy.start(url);
  await network.set('answers one');
  try {
    const opened = openStorage(`${network.url(url)}?connect_timeout=1`);
    await assert.rejects(opened, {
      name: 'StorageUnavailable',
      message:
        /cannot be used: it answers some connections in time and others not, for 1 s\. It is overloaded/,
    });
    const waiting = openStorage(`${network.url(url)}?connect_timeout=60`);
    await until('a connection is not answered', () => network.unanswered > 0);
    await network.set('works');
    await (await waiting).close();
  } finally {
    await network.stop();
  }
});

test('pooler: PgBouncer in session mode with too few connections is recognised, at the start and later', {
  skip: skip === false ? NO_PGBOUNCER : skip,
}, async () => {
  const wanted = new RegExp(
    `too few server connections: a process opens up to ${CONNECTIONS_PER_PROCESS}\\. Raise default`,
  );
  const none = await PgBouncerServer.start(postgres.url, [
    'pool_mode = session',
    'default_pool_size = 1',
  ]);
  try {
    await assert.rejects(openStorage(none.url(url)), {
      name: 'StorageUnavailable',
      message: wanted,
    });
  } finally {
    await none.stop();
  }
  const few = await PgBouncerServer.start(postgres.url, [
    'pool_mode = session',
    'default_pool_size = 2',
  ]);
  try {
    const storage = await openStorage(few.url(url));
    // Others are answered meanwhile.
    const asking = setInterval(() => void storage.keys.changes('').catch(() => {}), 100);
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => storage.keys.list()));
    clearInterval(asking);
    await storage.close();
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [String(outcome.reason)] : [],
    );
    assert.ok(refused.length > 0);
    for (const message of refused) assert.match(message, wanted);
  } finally {
    await few.stop();
  }
});

test('pooler: replicas that start at once behind PgBouncer in transaction mode migrate an empty database once', {
  skip: skip === false ? NO_PGBOUNCER : skip,
}, async () => {
  const { url: empty } = await postgres.createDatabase();
  const pooler = await PgBouncerServer.start(postgres.url, [
    'pool_mode = transaction',
    'default_pool_size = 5',
  ]);
  try {
    const storages = await Promise.all(
      Array.from({ length: 5 }, () => openStorage(pooler.url(empty))),
    );
    for (const storage of storages) assert.deepEqual(await storage.keys.list(), []);
    await Promise.all(storages.map((storage) => storage.close()));
    const held = await connected((client) =>
      client.query("select 1 from pg_locks where locktype = 'advisory'"),
    );
    assert.equal(held.rows.length, 0, 'no lock is left behind');
  } finally {
    await pooler.stop();
  }
});
