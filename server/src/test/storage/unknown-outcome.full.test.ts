/**
 * Changes that PostgreSQL does not confirm, and starts while it cannot be used yet, on real
 * servers: what a person and the dashboard are told, and that a change which is made again is made
 * once.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  executeOn,
  NO_OWN_POSTGRES,
  PostgresServer,
} from '@whence/testing/servers/postgres-server';
import { until } from '@whence/testing/until';
import pg from 'pg';
import { Command } from '../command.ts';
import { signedInAs } from '../dashboard/dashboard-client.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { NetworkProxy } from './network-proxy.ts';

const skip = NO_OWN_POSTGRES;

let postgres: PostgresServer;
let url: string;
let direct: TestFolder;

before(async () => {
  if (skip !== false) return;
  postgres = await PostgresServer.startOwn([
    'max_connections=40',
    'superuser_reserved_connections=0',
  ]);
  ({ url } = await postgres.createDatabase());
  direct = new TestFolder(url);
});

after(async () => {
  direct?.remove();
  await postgres?.stop();
});

async function setStandbys(names: string): Promise<void> {
  await executeOn(
    url,
    `alter system set synchronous_standby_names = '${names}'`,
    'select pg_reload_conf()',
  );
  await until(
    'it is set',
    async () =>
      (await executeOn(url, 'show synchronous_standby_names'))[0]?.synchronous_standby_names ===
      names,
  );
}

const run = (environment: Record<string, string>, ...argv: string[]) =>
  new Command(argv, environment).ended;

test('a synchronous standby is away: every change is reported as not known, and can be made again', {
  skip,
}, async () => {
  const { key } = await direct.createKey({ name: 'revoked' });
  const { key: onPage } = await direct.createKey({ name: 'on the page' });
  direct.publish();
  const server = await ServerProcess.start(direct);
  const wh = (...argv: string[]) => run(direct.environment, ...argv);
  try {
    const admin = await signedInAs(direct, server.url, 'Ada', 'admin');
    assert.equal((await wh('user', 'create', 'Bob', '--role', 'viewer')).code, 0);
    await setStandbys('away');
    const changes: readonly (readonly [string[], RegExp])[] = [
      [
        ['key', 'revoke', key.id],
        new RegExp(`not known whether the key ${key.id} is revoked: .*; run it again`),
      ],
      [
        ['key', 'set', onPage.id, '--state', 'paused'],
        /not known whether the key \w+ is changed: .*; run it again/,
      ],
      [
        ['key', 'create', '--name', 'lost'],
        /not known whether the key \w+ was created: .*; wh key show \w+ tells/,
      ],
      [
        ['key', 'rotate', onPage.id],
        /not known whether the key \w+ was created: .*revoke it, because its secret was/,
      ],
      [
        ['user', 'create', 'Carol', '--role', 'viewer'],
        /not known whether the account Carol was created: .*user list/,
      ],
      [
        ['user', 'disable', 'Bob'],
        /not known whether the account Bob is changed: .*; run it again/,
      ],
      [
        ['user', 'reset-password', 'Ada'],
        /not known whether the link was made: .*; run it again for another one/,
      ],
      [['user', 'setup-link'], /not known whether the link was made/],
    ];
    const [page, ...ended] = await Promise.all([
      admin.try('revokeKey', { params: { id: onPage.id }, body: { name: 'on the page' } }),
      ...changes.map(([argv]) => wh(...argv)),
    ]);
    assert.deepEqual([page.status, page.data.code], [503, 'OUTCOME_UNKNOWN'], JSON.stringify(page));
    assert.match(page.data.error, /not known whether the change was made/);
    for (const [i, { code, stdout, stderr }] of ended.entries()) {
      const [argv, want] = changes[i] ?? [[], /none/];
      assert.deepEqual([code, stdout], [3, ''], `${argv.join(' ')}: ${stderr}`);
      assert.match(stderr.replaceAll(/\s+/g, ' '), want);
    }
    const again = await wh('key', 'revoke', key.id);
    assert.equal(again.code, 3, again.stderr);
    assert.match(
      again.stderr.replaceAll(/\s+/g, ' '),
      /an earlier change waits for a synchronous standby/,
    );
    // Reads do not wait, and a server starts.
    assert.equal((await wh('key', 'list')).code, 0);
    const other = new TestFolder(url);
    other.publish();
    await (await ServerProcess.start(other, { WHENCE_FIRST_KEY: 'off' })).stop('SIGKILL');
    other.remove();
  } finally {
    await setStandbys('');
    await server.stop('SIGKILL');
  }
  const { code, stdout } = await wh('key', 'revoke', key.id);
  assert.equal(code, 0);
  assert.match(stdout, / is (already )?revoked/);
  assert.equal((await wh('user', 'disable', 'Bob')).code, 0);
  const [{ count }] = await executeOn(
    url,
    "select count(*)::int as count from keys where name = 'lost'",
  );
  assert.ok(count <= 1, `${count} keys`);
});

test('the answer to a commit is lost: a command finds what it has done, and does it once', {
  skip,
}, async () => {
  const network = await NetworkProxy.start(url);
  const environment = { ...direct.environment, WHENCE_DATABASE_URL: network.url(url) };
  /** The answer to its first commit does not arrive. */
  const wh = async (...argv: string[]) => {
    const before = network.lostCommits;
    await network.set('loses commits');
    const command = new Command(argv, environment);
    await until('it is lost', () => network.lostCommits > before, {
      state: () => command.stdout + command.stderr,
    });
    await network.set('works');
    return command.ended;
  };
  try {
    const created = await wh('key', 'create', '--name', 'once');
    assert.equal(created.code, 0, created.stderr);
    const secret = created.stdout.trim();
    const keys = JSON.parse((await run(environment, 'key', 'list', '--json')).stdout) as {
      name: string;
    }[];
    assert.equal(keys.filter(({ name }) => name === 'once').length, 1);
    assert.match((await wh('key', 'rotate', secret)).stdout, /^whence_/);
    for (const [argv, want] of [
      [['set', secret, '--state', 'paused'], /state: active -> paused/],
      [['set', secret, '--tier', 'pro'], /tier: free -> pro/],
      [['revoke', secret], / is revoked/],
    ] as const) {
      const { code, stdout, stderr } = await wh('key', ...argv);
      assert.equal(code, 0, stderr);
      assert.match(stdout, want);
    }
  } finally {
    await network.stop();
  }
});

/** A command that begins while PostgreSQL cannot be used, and what it says meanwhile. */
async function waits(
  environment: Record<string, string>,
  reason: RegExp,
  end: () => Promise<unknown>,
): Promise<void> {
  const command = new Command(['key', 'list'], environment);
  await until('it waits', () => reason.test(command.stderr.replaceAll(/\s+/g, ' ')), {
    state: () => command.stderr,
  });
  await end();
  const { code, stderr } = await command.ended;
  assert.equal(code, 0, stderr);
}

const withTimeout = (databaseUrl: string) => ({
  WHENCE_DATABASE_URL: `${databaseUrl}?connect_timeout=1`,
});

test('start: a command and a server wait while PostgreSQL is out of connections', {
  skip,
}, async () => {
  await direct.createKey();
  const others: pg.Client[] = [];
  const taken = async () => {
    for (;;) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => {});
      try {
        await client.connect();
        others.push(client);
      } catch {
        return;
      }
    }
  };
  await taken();
  const refused = await run(withTimeout(url), 'key', 'list');
  assert.equal(refused.code, 3);
  assert.match(
    refused.stderr.replaceAll(/\s+/g, ' '),
    /too many clients already, for 1 s\. All connections of the server are in use: raise its max_connections/,
  );
  direct.publish();
  const server = new Command(['serve'], { ...direct.environment, WHENCE_PORT: '0' });
  await until('it waits', () => /waiting up to 30 s for .*too many clients/.test(server.stderr));
  await waits(direct.environment, /note: waiting up to 30 s for .*too many clients already/, () =>
    Promise.all(others.map((client) => client.end())),
  );
  await server.printed(/listens on/);
  await server.stop();
});

test('start: a command waits while connections are refused', { skip }, async () => {
  await postgres.halt('SIGINT');
  const refused = await run(withTimeout(url), 'key', 'list');
  assert.deepEqual([refused.code, refused.stdout], [3, '']);
  assert.match(
    refused.stderr.replaceAll(/\s+/g, ' '),
    /ECONNREFUSED .*, for 1 s\. Is PostgreSQL running/,
  );
  await waits(direct.environment, /note: waiting up to 30 s for .*ECONNREFUSED/, () =>
    postgres.resume(),
  );
});

test('start: a command waits while packets are dropped', { skip }, async () => {
  const network = await NetworkProxy.start(url);
  await network.set('drops');
  try {
    await waits(
      { WHENCE_DATABASE_URL: network.url(url) },
      /note: waiting up to 30 s for .*timeout/,
      () => network.set('works'),
    );
  } finally {
    await network.stop();
  }
});

test('start: a command waits while PostgreSQL is starting', { skip }, async () => {
  await direct.createKey();
  const starting = await postgres.startStandby();
  const standbyUrl = starting.urlOf(new URL(url).pathname.slice(1));
  try {
    const [{ data_directory: data }] = await executeOn(standbyUrl, 'show data_directory');
    // Until it is promoted, such a standby answers like any server that is starting.
    await executeOn(standbyUrl, 'alter system set hot_standby = off');
    await starting.halt('SIGINT');
    const resumed = starting.resume();
    const refused = async () =>
      (await run(withTimeout(standbyUrl), 'key', 'list')).stderr.replaceAll(/\s+/g, ' ');
    await until('it is starting', async () =>
      /(starting up|not (yet )?accepting connections), for 1 s\. It is starting/.test(
        await refused(),
      ),
    );
    await waits(
      { WHENCE_DATABASE_URL: standbyUrl },
      /note: waiting up to 30 s for .*connections/,
      async () => {
        writeFileSync(join(data, 'promote'), '');
        process.kill(starting.pid ?? 0, 'SIGUSR1');
        await resumed;
      },
    );
  } finally {
    await starting.stop();
  }
});
