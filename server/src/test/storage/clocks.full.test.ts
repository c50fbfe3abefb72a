/**
 * What docs/failures.md promises while the clock of PostgreSQL or of a replica is wrong: replicas
 * start and run with a wrong clock beside others, or alone, and the clock is corrected.
 */

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import {
  executeOn,
  NO_OWN_POSTGRES,
  PostgresServer,
} from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import pg from 'pg';
import { HOUR_MS } from '../../day.ts';
import type { ServerOptions } from '../../process/server.ts';
import { ask, askMany } from '../http/requests.ts';
import { ServerProcess, startInProcess, TestFolder } from '../test-server.ts';

const skip = NO_OWN_POSTGRES;
const SHIFTS = [-400 * 24, -2, 2, 5, 20, 500 * 24];
const LIMIT = 60;

/** What the replicas of a test see: this function instead of the one of PostgreSQL. */
const CLOCK = [
  'CREATE SCHEMA clock',
  "CREATE TABLE clock.ahead AS SELECT interval '0' AS by",
  `CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
     'SELECT pg_catalog.clock_timestamp() + by FROM clock.ahead'`,
];

let postgres: PostgresServer;
before(async () => {
  if (skip === false)
    postgres = await PostgresServer.startOwn(['search_path=public, clock, pg_catalog']);
});
after(() => postgres?.stop());

const today = () => new Date().toISOString().slice(0, 10);

/** A deployment on a database of its own, whose clock can be set. */
class Deployment {
  readonly #url: string;
  readonly #folder: TestFolder;
  readonly #stops: (() => Promise<unknown>)[] = [];
  readonly #firstDay = today();

  private constructor(url: string) {
    this.#url = url;
    this.#folder = new TestFolder(url);
    this.#folder.publish();
  }

  static async create(): Promise<Deployment> {
    const { url } = await postgres.createDatabase();
    await executeOn(url, ...CLOCK);
    return new Deployment(url);
  }

  async execute(...statements: string[]): Promise<void> {
    await executeOn(this.#url, ...statements);
  }

  async query(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows;
  }

  /** In this process, whose clock is right. */
  async start(options: ServerOptions = {}) {
    const clock = {
      get nowMs() {
        return Date.now();
      },
    };
    const server = await startInProcess(this.#folder, clock, { WHENCE_FIRST_KEY: 'off' }, options);
    this.#stops.push(() => server.close());
    return server;
  }

  async startOnMachine(hours: number): Promise<ServerProcess> {
    const server = await ServerProcess.start(this.#folder, {
      WHENCE_FIRST_KEY: 'off',
      NODE_OPTIONS: `--import=${new URL('./wrong-clock.js', import.meta.url)}`,
      TEST_CLOCK_AHEAD_MS: String(hours * HOUR_MS),
    });
    this.#stops.push(() => server.stop('SIGTERM'));
    return server;
  }

  setDatabase(hours: number): Promise<void> {
    return this.execute(`UPDATE clock.ahead SET by = interval '${hours} hours'`);
  }

  createKey(given: { dailyLimit?: number } = { dailyLimit: LIMIT }) {
    return this.#folder.createKey({ tier: 'free', ...given });
  }

  async schedule(atMs: number) {
    const created = await this.createKey();
    const scheduledRevocation = { at: new Date(atMs), by: 'test' };
    await this.#folder.withKeys((keys) =>
      keys.change(created.key.id, { scheduledRevocation }, { name: 'test' }, new Date()),
    );
    return { id: created.key.id, secret: created.secret };
  }

  async isFinal({ id }: { id: string }): Promise<boolean> {
    const [row] = await this.query(`SELECT revoked_at FROM keys WHERE id = '${id}'`);
    return row?.['revoked_at'] !== null;
  }

  /**
   * A new key is accepted as often as its limit is, on all of them together, and days of no other
   * clock were begun.
   */
  async keepsLimits(...servers: readonly { readonly url: string }[]): Promise<void> {
    const { secret } = await this.createKey();
    const statuses = await Promise.all(servers.map(({ url }) => askMany(url, secret, LIMIT)));
    const more = await Promise.all(servers.map(({ url }) => askMany(url, secret, 5)));
    const admitted = [...statuses, ...more].reduce((sum, { 200: count = 0 }) => sum + count, 0);
    assert.equal(admitted, LIMIT, JSON.stringify(statuses));
    const days = (await this.query('SELECT DISTINCT day FROM quota')).map(({ day }) => day);
    assert.deepEqual(
      days.filter((day) => day !== this.#firstDay && day !== today()),
      [],
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
    this.#folder.remove();
  }
}

const lookup = (url: string) => `${url}/v1/ip/8.8.8.8`;

async function clockOf({ url }: { readonly url: string }): Promise<string> {
  const { status, text } = await ask(`${url}/readyz`, '');
  assert.equal(status, 200, 'it stays ready');
  return JSON.parse(text).data.checks.clock ?? 'ok';
}

const hoursOf = (server: Awaited<ReturnType<typeof startInProcess>>) =>
  Math.round((server.metrics().gauges['whence_clock_difference_seconds'] ?? Number.NaN) / 3600);

for (const hours of SHIFTS) {
  test(`clocks: the database is wrong by ${hours} h when replicas start beside one and two others`, {
    skip,
  }, async () => {
    const deployment = await Deployment.create();
    try {
      const running = await deployment.start();
      const spent = await deployment.createKey();
      assert.equal((await askMany(running.url, spent.secret, LIMIT + 5))[200], LIMIT);
      await deployment.setDatabase(hours);
      for (const others of [[running], [running, await deployment.start()]]) {
        const started = await deployment.start();
        assert.deepEqual([await clockOf(started), hoursOf(started)], ['wrong', hours]);
        assert.equal(
          (await ask(lookup(started.url), spent.secret)).status,
          429,
          'no limit is reset',
        );
        await deployment.keepsLimits(started, ...others);
      }
      // It looks every ten seconds.
      const isAwaited = hours === 20;
      if (isAwaited)
        await until('the running one says so', async () => (await clockOf(running)) === 'wrong');
      await deployment.setDatabase(0);
      const repaired = await deployment.start();
      assert.deepEqual([await clockOf(repaired), hoursOf(repaired)], ['ok', 0]);
      if (isAwaited)
        await until('the running one has recovered', async () => (await clockOf(running)) === 'ok');
      await deployment.keepsLimits(repaired, running);
    } finally {
      await deployment.end();
    }
  });

  test(`clocks: the database is wrong by ${hours} h when the only replica starts`, {
    skip,
  }, async () => {
    const deployment = await Deployment.create();
    try {
      await (await deployment.start()).close();
      await deployment.setDatabase(hours);
      const started = await deployment.start();
      assert.deepEqual([await clockOf(started), hoursOf(started)], ['wrong', hours]);
      await deployment.keepsLimits(started);
    } finally {
      await deployment.end();
    }
  });
}

/** As processes, which take longer to start. */
for (const hours of [-400 * 24, 2, 20])
  test(`clocks: a machine is wrong by ${hours} h when its replica starts beside another one`, {
    skip,
  }, async () => {
    const deployment = await Deployment.create();
    try {
      const running = await deployment.start();
      const started = await deployment.startOnMachine(hours);
      assert.deepEqual([await clockOf(started), await clockOf(running)], ['ok', 'ok']);
      await deployment.keepsLimits(started, running);
    } finally {
      await deployment.end();
    }
  });

test('clocks: after a night without a process, the last recorded day goes on until two clocks agree', {
  skip,
}, async () => {
  const deployment = await Deployment.create();
  try {
    await (await deployment.start()).close();
    await deployment.execute("UPDATE maintenance SET agreed_day = '2020-02-02'");
    await deployment.setDatabase(5);
    const started = await deployment.start();
    const { secret } = await deployment.createKey();
    assert.equal((await askMany(started.url, secret, LIMIT + 5))[200], LIMIT);
    assert.deepEqual(await deployment.query('SELECT DISTINCT day FROM quota'), [
      { day: '2020-02-02' },
    ]);
    await deployment.setDatabase(0);
    await until(
      'it is the day of both clocks',
      async () => (await ask(lookup(started.url), secret)).status === 200,
    );
  } finally {
    await deployment.end();
  }
});

test('clocks: no scheduled revocation is final while the clock is wrong, or soon after a start', {
  skip,
}, async () => {
  const deployment = await Deployment.create();
  const steady = new TestFolder();
  const soon = new TestFolder();
  const scheduled = async (folder: TestFolder) => {
    folder.publish();
    const { key, secret } = await folder.createKey();
    const scheduledRevocation = { at: new Date(Date.now() + HOUR_MS), by: 'test' };
    await folder.withKeys((keys) =>
      keys.change(key.id, { scheduledRevocation }, { name: 'test' }, new Date()),
    );
    return {
      secret,
      isFinal: () =>
        folder.withKeys(async (keys) => (await keys.findBySecret(secret))?.revokedAt !== undefined),
    };
  };
  const ahead = { nowMs: Date.now() + 20 * HOUR_MS };
  const certain = await scheduled(steady);
  const early = await scheduled(soon);
  const sqlite = [
    await startInProcess(steady, ahead, {}, { steadyMs: 0 }),
    await startInProcess(soon, ahead),
  ];
  try {
    await (await deployment.start()).close();
    const due = await deployment.schedule(Date.now() - 60_000);
    const later = await deployment.schedule(Date.now() + HOUR_MS);
    await deployment.setDatabase(20);
    const wrong = await deployment.start({ steadyMs: 0 });
    const status = async (secret: string) => (await ask(lookup(wrong.url), secret)).status;
    assert.deepEqual([await status(due.secret), await status(later.secret)], [401, 200]);
    assert.equal(
      (await ask(lookup(sqlite[1]?.url ?? ''), early.secret)).status,
      401,
      'it is refused in time',
    );
    await until('one that need not wait has made it final', certain.isFinal);
    // The same work has come round once more.
    await until('another one is final', (await scheduled(steady)).isFinal);
    assert.deepEqual(
      [await early.isFinal(), await deployment.isFinal(due), await deployment.isFinal(later)],
      [false, false, false],
    );
    await deployment.setDatabase(0);
    await until('the clock is right', async () => (await clockOf(wrong)) === 'ok');
    await until('what is due is final', () => deployment.isFinal(due));
    assert.equal(await deployment.isFinal(later), false);
  } finally {
    await deployment.end();
    for (const server of sqlite) await server.close();
    steady.remove();
    soon.remove();
  }
});
