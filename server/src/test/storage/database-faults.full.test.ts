/**
 * What docs/failures.md promises while PostgreSQL, the network to it or a replica fails, on real
 * servers: two replicas, each with a proxy between it and the database.
 */

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { freePort } from '@whence/testing/programs';
import {
  executeOn,
  NO_OWN_POSTGRES,
  PostgresServer,
} from '@whence/testing/servers/postgres-server';
import { periodPasses, until } from '@whence/testing/until';
import pg from 'pg';
import { REVOCATION_WAIT_MS } from '../../keys/vouching.ts';
import type { Tier } from '../../vocabulary.ts';
import { ask } from '../http/requests.ts';
import { SAMPLE, ServerProcess, TestFolder } from '../test-server.ts';
import { Replica } from './replicas.ts';

const skip = NO_OWN_POSTGRES;
/**
 * More than two statements of SLOW_MS: between two answers, what is known is that old. And more
 * than a slow machine needs for the requests that a test makes in the grace.
 */
const GRACE_SECONDS = 12;
const SLOW_MS = 2_000;
const UNKNOWN = `whence_${'a'.repeat(40)}`;

let postgres: PostgresServer;
let databaseUrl: string;
let here: Replica;
let there: Replica;
let direct: TestFolder;
let metricsPort: number;

before(async () => {
  if (skip !== false) return;
  postgres = await PostgresServer.startOwn([
    'max_connections=30',
    'superuser_reserved_connections=3',
  ]);
  databaseUrl = (await postgres.createDatabase()).url;
  // Not the owner of the server, who may use the connections that are reserved.
  await execute('CREATE ROLE app LOGIN');
  await execute('GRANT ALL ON SCHEMA public TO app');
  const appUrl = databaseUrl.replace('whence@', 'app@');
  direct = new TestFolder(appUrl);
  metricsPort = await freePort();
  const environment = { WHENCE_STORAGE_GRACE: String(GRACE_SECONDS) };
  [here, there] = await Promise.all([
    Replica.start(appUrl, { ...environment, WHENCE_METRICS_PORT: String(metricsPort) }, SLOW_MS),
    Replica.start(appUrl, environment, SLOW_MS),
  ]);
});

after(async () => {
  await Promise.all([here?.stop(), there?.stop()]);
  direct?.remove();
  await postgres?.stop();
});

const execute = (...statements: string[]) => executeOn(databaseUrl, ...statements);

/** The secret of a new key that both replicas have answered. */
async function seenKey(tier: Tier): Promise<string> {
  const { secret } = await direct.createKey({ tier });
  // Until then replicas may know the key without knowing that keys have changed, and would look for
  // it again.
  await periodPasses(REVOCATION_WAIT_MS);
  for (const replica of [here, there]) assert.equal(await replica.status(secret), 200);
  return secret;
}

const withinGrace = async (replica: Replica) => {
  await replica.until('degraded');
  assert.deepEqual(await replica.ready(), [200, 'degraded']);
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  if (replica === here) assert.match(metrics, /^whence_storage_degraded 1$/m);
};

const bothWork = () => Promise.all([here.until('ok'), there.until('ok')]);

/**
 * Known keys go on in the grace, limited ones as far as their lease goes; then all are refused;
 * then all is as before.
 */
async function goesOnThenRefuses(
  replica: Replica,
  fail: () => Promise<unknown>,
  repair: () => Promise<unknown>,
  { isQuick = true } = {},
) {
  const { secret: unseen } = await direct.createKey();
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  await fail();
  // One of the lease of five is spent. A lease of an idle key is returned before a fault that takes
  // seconds to cause.
  let spent = 0;
  while (spent < 4 && (await replica.status(free)) === 200) spent++;
  assert.ok(spent === 4 || !isQuick, `${spent} requests of the lease`);
  await withinGrace(replica);
  assert.equal(await replica.status(enterprise), 200);
  assert.deepEqual(await replica.refusal(free), [503, 'STORAGE_UNAVAILABLE'], 'the lease is spent');
  assert.deepEqual(
    await replica.refusal(unseen),
    [503, 'STORAGE_UNAVAILABLE'],
    'a key that was not seen',
  );
  assert.deepEqual(
    await replica.refusal(UNKNOWN),
    [401, 'UNAUTHORIZED'],
    'not even the form of a key',
  );
  await replica.until('unavailable');
  assert.equal((await replica.ready())[0], 503);
  assert.deepEqual(
    await replica.refusal(enterprise),
    [503, 'STORAGE_UNAVAILABLE'],
    'the grace is over',
  );
  await repair();
  await replica.until('ok');
  assert.deepEqual([await replica.status(enterprise), await replica.status(free)], [200, 200]);
}

test('database: two replicas admit exactly the limit', { skip }, async () => {
  const secret = await seenKey('free');
  const [ours, theirs] = await Promise.all([
    here.statuses(secret, 700),
    there.statuses(secret, 700),
  ]);
  assert.equal((ours[200] ?? 0) + (theirs[200] ?? 0), 998, JSON.stringify([ours, theirs]));
});

test('database: a key that is revoked on one replica is refused by all when the revocation returns', {
  skip,
}, async () => {
  for (let i = 0; i < 5; i++) {
    const { key, secret } = await direct.createKey();
    for (const replica of [here, there]) assert.equal(await replica.status(secret), 200);
    await direct.revokeKey(key.id);
    for (const replica of [here, there]) assert.equal(await replica.status(secret), 401);
  }
});

test('database: stopped, and started again', { skip }, async () => {
  await goesOnThenRefuses(
    here,
    () => postgres.halt('SIGINT'),
    () => postgres.resume(),
  );
  await bothWork();
});

test('database: killed and started again under load, nothing is lost and no limit exceeded', {
  skip,
}, async () => {
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  let isOver = false;
  const admitted: Record<number, number>[] = [];
  const load = [here, there].map(async (replica) => {
    while (!isOver) admitted.push(await replica.statuses(free, 40));
  });
  let knownAnswers = 0;
  let isDown = false;
  const known = (async () => {
    for (; !isOver; knownAnswers++) {
      const wasDown = isDown;
      const status = await here.status(enterprise);
      // A slow machine may need longer to start PostgreSQL again than the grace is.
      assert.ok(status === 200 || (status === 503 && wasDown), `${status}`);
    }
  })();
  const moreLoad = async () => {
    const rounds = admitted.length;
    const answers = knownAnswers;
    await until(
      'the load goes on',
      () => admitted.length >= rounds + 2 && knownAnswers >= answers + 50,
    );
  };
  try {
    await moreLoad();
    isDown = true;
    await postgres.halt('SIGKILL');
    await moreLoad();
    await postgres.resume();
    await here.until('ok');
    isDown = false;
    await moreLoad();
  } finally {
    isOver = true;
  }
  await Promise.all([...load, known]);
  await bothWork();
  const sum = () => 2 + admitted.reduce((count, statuses) => count + (statuses[200] ?? 0), 0);
  // What was given up unanswered is returned when the key has gone idle; until then the other
  // replica is refused it.
  await until('the limit is reached', async () => {
    admitted.push(await here.statuses(free, 20), await there.statuses(free, 20));
    assert.ok(sum() <= 1_000, `${sum()} admitted`);
    return sum() === 1_000;
  });
});

test('database: while connections are refused, known keys are answered', { skip }, async () => {
  const enterprise = await seenKey('enterprise');
  await here.network.set('refuses');
  await here.until('degraded');
  for (let i = 0; i < 50; i++) assert.equal(await here.status(enterprise), 200);
  assert.deepEqual(await here.ready(), [200, 'degraded']);
  await here.network.set('works');
  await here.until('ok');
});

test('database: each statement takes two seconds', { skip }, async () => {
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  await here.network.set('delays');
  await withinGrace(here);
  for (let i = 0; i < 50; i++)
    assert.equal(await here.status(enterprise), 200, 'nothing waits for it');
  const statuses = await here.statuses(free, 20);
  assert.deepEqual(statuses, { 200: 4, 503: 16 });
  await here.network.set('works');
  await here.until('ok');
  assert.equal(await here.status(free), 200);
});

test('database: a commit whose answer is lost is counted once, in statistics too', {
  skip,
}, async () => {
  const { key, secret } = await direct.createKey();
  await here.network.set('loses commits');
  const lostBefore = here.network.lostCommits;
  let sent = 0;
  await until('some are lost', async () => {
    assert.deepEqual(await here.statuses(secret, 20), { 200: 20 });
    sent += 20;
    return here.network.lostCommits >= lostBefore + 3;
  });
  await here.network.set('works');
  await here.until('ok');
  const counted = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      'SELECT sum(requests)::int AS sum FROM usage WHERE key_id = $1',
      [key.id],
    );
    await client.end();
    return (rows[0]?.sum ?? 0) as number;
  };
  await until('all are written', async () => (await counted()) >= sent);
  assert.equal(await counted(), sent);
});

test('database: out of connections', { skip }, async () => {
  const others: pg.Client[] = [];
  const takeAll = async () => {
    await execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
    for (;;) {
      const client = new pg.Client({ connectionString: databaseUrl.replace('whence@', 'app@') });
      client.on('error', () => {});
      try {
        await client.connect();
        others.push(client);
      } catch {
        // Replicas may have been quicker with some.
        await execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app' AND application_name = 'whence'",
        );
        if (others.length >= 27) return;
      }
    }
  };
  const releaseAll = () => Promise.all(others.splice(0).map((client) => client.end()));
  try {
    await goesOnThenRefuses(here, takeAll, releaseAll, { isQuick: false });
  } finally {
    await releaseAll();
  }
  await bothWork();
});

test('database: out of disk, keys without a limit are answered and what is leased is spent', {
  skip,
}, async () => {
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  const tables = ['quota', 'leases', 'usage', 'traffic', 'maintenance', 'processes'];
  await execute(
    `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
    ...tables.map(
      (table) =>
        `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION full_disk()`,
    ),
  );
  await here.until('read-only');
  assert.equal((await here.ready())[0], 200);
  assert.deepEqual(await here.statuses(enterprise, 50), { 200: 50 });
  assert.deepEqual(await there.refusal(await exhausted(there, free)), [503, 'STORAGE_UNAVAILABLE']);
  await execute(
    ...tables.map((table) => `DROP TRIGGER full_disk ON ${table}`),
    'DROP FUNCTION full_disk',
  );
  await bothWork();
  assert.deepEqual([await here.status(free), await there.status(free)], [200, 200]);
});

/** Its lease is spent. */
async function exhausted(replica: Replica, secret: string): Promise<string> {
  for (let i = 0; (await replica.status(secret)) === 200; i++)
    assert.ok(i < 10, 'more than a lease');
  return secret;
}

test('database: a network that drops packets cuts off one replica; the other one goes on', {
  skip,
}, async () => {
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  const { key, secret: revoked } = await direct.createKey();
  assert.equal(await here.status(revoked), 200);
  await goesOnThenRefuses(
    here,
    async () => {
      await here.network.set('drops');
      await direct.revokeKey(key.id);
      assert.equal(
        await there.status(revoked),
        401,
        'a replica that is not cut off refuses it at once',
      );
    },
    async () => {
      assert.deepEqual(
        await here.refusal(revoked),
        [503, 'STORAGE_UNAVAILABLE'],
        'not accepted beyond the grace',
      );
      assert.deepEqual(await there.statuses(enterprise, 20), { 200: 20 });
      const { 200: admitted = 0 } = await there.statuses(free, 1_100);
      assert.ok(admitted <= 1_000 - 2, `${admitted} admitted beside the lease of the other one`);
      await here.network.set('works');
    },
  );
  assert.equal(await here.status(revoked), 401);
});

/** On the database of the server's owner: the one of the replicas may be closed. */
const onServer = (...statements: string[]) => executeOn(postgres.url, ...statements);

const name = () => new URL(databaseUrl).pathname.slice(1);
const endConnections = () =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`;
let goOn = () => {};

for (const [fault, fail, repair] of [
  [
    'frozen: its processes are stopped',
    async () => {
      goOn = postgres.freeze();
    },
    async () => goOn(),
  ],
  [
    'one way: answers of the database are lost',
    () => Promise.all([here, there].map((replica) => replica.network.set('drops answers'))),
    () => Promise.all([here, there].map((replica) => replica.network.set('works'))),
  ],
  [
    'renamed',
    async () => {
      await onServer(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`, endConnections());
      await until('no connection is left', () =>
        onServer(`ALTER DATABASE ${name()} RENAME TO elsewhere`).then(
          () => true,
          () => false,
        ),
      );
    },
    () =>
      onServer(
        `ALTER DATABASE elsewhere RENAME TO ${name()}`,
        `ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`,
      ),
  ],
  [
    'credentials: they are no longer accepted',
    () => onServer('ALTER ROLE app NOLOGIN', endConnections()),
    () => onServer('ALTER ROLE app LOGIN'),
  ],
] as const)
  test(`database: ${fault}; known keys are answered, and all is as before afterwards`, {
    skip,
  }, async () => {
    const enterprise = await seenKey('enterprise');
    const free = await seenKey('free');
    await fail();
    try {
      for (const replica of [here, there]) assert.equal(await replica.status(enterprise), 200);
      await here.until('degraded');
    } finally {
      await repair();
    }
    await bothWork();
    for (const secret of [enterprise, free]) assert.equal(await here.status(secret), 200);
  });

test('database: another session locks leases: keys without a limit are answered, others as far as their lease goes', {
  skip,
}, async () => {
  const enterprise = await seenKey('enterprise');
  const free = await seenKey('free');
  const blocker = new pg.Client({ connectionString: databaseUrl });
  await blocker.connect();
  try {
    await blocker.query('begin; lock table quota, leases in access exclusive mode');
    assert.deepEqual(await here.statuses(enterprise, 20), { 200: 20 });
    const { 200: admitted = 0, ...others } = await here.statuses(free, 10);
    assert.ok(admitted >= 1 && admitted <= 6, `${admitted} of the lease`);
    assert.deepEqual(Object.keys(others), ['503']);
  } finally {
    await blocker.end();
  }
  await until('the key is answered again', async () => (await here.status(free)) === 200);
});

test('database: a replica that is stopped for minutes and goes on exceeds no limit and accepts no revoked key', {
  skip,
}, async () => {
  const free = await seenKey('free');
  const { key, secret: revoked } = await direct.createKey();
  assert.equal(await here.status(revoked), 200);
  assert.equal(await here.status(free), 200);
  let admitted = 3;
  const { pid } = here.server.child;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  try {
    await direct.revokeKey(key.id);
    // Instead of waiting for two minutes.
    await execute('UPDATE leases SET expires_at = 0');
    admitted += (await there.statuses(free, 1_100))[200] ?? 0;
    assert.ok(admitted >= 980, `${admitted}: what it had not opened is back`);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  assert.equal(await here.status(revoked), 401);
  await bothWork();
  admitted += (await here.statuses(free, 50))[200] ?? 0;
  assert.ok(admitted <= 1_000, `${admitted} admitted`);
});

test('database: a rolling restart with other settings loses no request and keeps the limit', {
  skip,
}, async () => {
  const { secret: free } = await direct.createKey({ tier: 'free' });
  const { secret: enterprise } = await direct.createKey();
  const folders = [new TestFolder(databaseUrl), new TestFolder(databaseUrl)] as const;
  const former = { WHENCE_FIRST_KEY: 'off', WHENCE_SHUTDOWN_DELAY: '2' };
  const now = {
    WHENCE_FIRST_KEY: 'off',
    WHENCE_SHUTDOWN_DELAY: '2',
    WHENCE_WORKERS: '2',
    WHENCE_STORAGE_GRACE: '5',
  };
  for (const folder of folders) folder.publish();
  const servers = await Promise.all(folders.map((folder) => ServerProcess.start(folder, former)));
  const isReady: boolean[] = [true, true];
  let isOver = false;
  let admitted = 0;
  let answered = 0;
  // As a load balancer that asks /readyz: requests go to a replica until it says that it stops.
  const client = async () => {
    for (let turn = 0; !isOver; turn++) {
      const at = isReady[turn % 2] ? turn % 2 : (turn + 1) % 2;
      const url = `${servers[at]?.url}/v1/ip/8.8.8.8`;
      assert.equal((await ask(url, enterprise)).status, 200);
      answered++;
      if ((await ask(url, free)).status === 200) admitted++;
    }
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  clients.catch(() => {});
  const more = async () => {
    const enough = answered + 100;
    await Promise.race([clients, until('requests are answered', () => answered >= enough)]);
  };
  try {
    await more();
    for (const [i, folder] of folders.entries()) {
      const stopping = servers[i]?.stop();
      await until(
        'it says that it stops',
        async () => (await ask(`${servers[i]?.url}/readyz`, '')).status === 503,
      );
      isReady[i] = false;
      assert.equal(await stopping, 0);
      servers[i] = await ServerProcess.start(folder, now);
      isReady[i] = true;
      await more();
    }
  } finally {
    isOver = true;
    await clients.finally(() => Promise.all(servers.map((server) => server.stop())));
    for (const folder of folders) folder.remove();
  }
  admitted += (await there.statuses(free, 1_100))[200] ?? 0;
  assert.equal(admitted, 1_000);
});

test('database: metrics say which replicas serve an older dataset', { skip }, async () => {
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  there.folder.publish({ ...SAMPLE, tor: [] });
  await until('it shows', async () =>
    /^whence_deployment_processes_behind 1$/m.test(await metrics()),
  );
  assert.match(await metrics(), /^whence_deployment_processes 2$/m);
  assert.match(await metrics(), /^whence_deployment_dataset_version 2$/m);
});

test('database: the unopened part of the leases of a killed replica is returned; requests go on', {
  skip,
}, async () => {
  const { key, secret } = await direct.createKey({ tier: 'pro' });
  assert.equal(await here.status(secret), 200);
  await here.server.stop('SIGKILL');
  assert.equal(await there.status(secret), 200);
  const taken = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query('SELECT granted::int FROM quota WHERE key_id = $1', [
      key.id,
    ]);
    await client.end();
    return rows[0]?.granted as number;
  };
  assert.equal(await taken(), 500, 'two leases');
  // Instead of waiting for two minutes.
  await execute(
    `UPDATE leases SET expires_at = 0 WHERE key_id = '${key.id}' AND opened = 5 AND spent = 0`,
  );
  // Five of the dead one's are open; of the living one's, one is spent, and the rest returned.
  await until('what was not opened is back', async () => (await taken()) === 6);
  await periodPasses(REVOCATION_WAIT_MS);
  assert.equal(await there.status(secret), 200);
});
