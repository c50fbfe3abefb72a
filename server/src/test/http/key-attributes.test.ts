/**
 * What the attributes of a key do to requests, on both paths, with each engine and over two servers
 * that share it: once a change has returned, no server uses the key as it was.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { until } from '@whence/testing/until';
import { AuditLog } from '../../audit/audit-log.ts';
import { type CreatedKey, Keys } from '../../keys/keys.ts';
import { KnownKeys } from '../../keys/known-keys.ts';
import type { Storage } from '../../storage/storage.ts';
import type { KeyChange } from '../../storage/stores/key-store.ts';
import { PERMISSIONS, type Tier } from '../../vocabulary.ts';
import { openTestStorage, testEngines } from '../storage/engines.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';

type Server = Awaited<ReturnType<typeof startInProcess>>;

const TEST = { name: 'test' };
const CLIENT = '203.0.113.7';
const UNAUTHORIZED =
  '{"data":{"error":"unauthorized","code":"UNAUTHORIZED"},"meta":{"processing_time_ms":0}}';
/** The clock of a server in this process stands still. */
const past = () => new Date(Date.now() - 3_600_000);
const later = () => new Date(Date.now() + 3_600_000);

const lookup = (secret: string, client: string, target = '8.8.8.8') =>
  `GET /v1/ip/${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nX-Forwarded-For: ${client}\r\n\r\n`;

async function once(server: Server, request: string) {
  const connection = await RawConnection.open(server.url);
  const [answer] = parseAnswers(await connection.ask(request));
  connection.close();
  assert.ok(answer);
  return answer;
}

type Path = {
  readonly name: string;
  /** One of two servers that share storage. */
  readonly server: number;
  readonly target: string;
  readonly fastAnswers: number;
};

/** One server answers on the fast path, the other on Node's, which a parameter leads to. */
const PATHS: readonly Path[] = [
  { name: 'fast path', server: 0, target: '8.8.8.8', fastAnswers: 1 },
  { name: 'Node’s path', server: 1, target: '8.8.8.8?explain=false', fastAnswers: 0 },
];

/** The first answer of the path: after a change, requests search for the key on Node's path. */
async function answerOf(servers: readonly Server[], path: Path, secret: string, client: string) {
  const server = servers[path.server];
  assert.ok(server);
  const plain = () => server.metrics().counters['whence_fast_path_lookups_total'] ?? 0;
  const first = await once(server, lookup(secret, client, path.target));
  let answer = first;
  await until('the path has answered', async () => {
    const before = plain();
    answer = await once(server, lookup(secret, client, path.target));
    assert.equal(answer.status, first.status, path.name);
    return plain() - before === path.fastAnswers;
  });
  return answer;
}

for (const engine of testEngines()) {
  const { name, skip } = engine;
  const servers: Server[] = [];
  let folder: TestFolder;
  let storage: Storage;
  let keys: Keys;
  before(async () => {
    if (skip !== false) return;
    const databaseUrl = name === 'SQLite' ? undefined : await engine.newLocation();
    folder = new TestFolder(databaseUrl);
    folder.publish();
    storage = await openTestStorage(databaseUrl ?? folder.dataDir);
    keys = new Keys(storage.keys, new AuditLog(storage.audit));
    const settings = { WHENCE_TRUST_PROXY: '127.0.0.1' };
    for (const _ of PATHS) servers.push(await startInProcess(folder, undefined, settings));
  });
  after(async () => {
    for (const server of servers) await server.close();
    await storage?.close();
    await engine.close();
    folder?.remove();
  });
  const create = (tier: Tier = 'pro') =>
    keys.create({ name: 'test', tier, permissions: PERMISSIONS }, TEST, new Date());
  const change = async ({ key: { id } }: CreatedKey, what: KeyChange) => {
    const outcome = await keys.change(id, what, TEST, new Date());
    assert.ok(typeof outcome === 'object');
  };
  const onEngine = (behaviour: string, work: () => Promise<void>) =>
    test(`key attributes on ${name}: ${behaviour}`, { skip }, work);

  for (const [behaviour, changeOf, client, status] of [
    ['none', () => ({ note: 'nothing' }), CLIENT, 200],
    ['paused', () => ({ pausedAt: new Date() }), CLIENT, 401],
    ['expired', () => ({ expiresAt: past() }), CLIENT, 401],
    ['an expiry to come', () => ({ expiresAt: later() }), CLIENT, 200],
    [
      'a scheduled revocation that is due',
      () => ({ scheduledRevocation: { at: past(), by: 'test' } }),
      CLIENT,
      401,
    ],
    [
      'a scheduled revocation to come',
      () => ({ scheduledRevocation: { at: later(), by: 'test' } }),
      CLIENT,
      200,
    ],
    [
      'a network of the client',
      () => ({ allowedNetworks: ['192.0.2.0/24', '203.0.113.0/24'] }),
      CLIENT,
      200,
    ],
    [
      'another network',
      () => ({ allowedNetworks: ['203.0.112.0/24', '2001:db8::/32'] }),
      CLIENT,
      401,
    ],
    [
      'an IPv6 network of the client',
      () => ({ allowedNetworks: ['2001:db8::/33'] }),
      '2001:db8::7',
      200,
    ],
    [
      'another IPv6 network',
      () => ({ allowedNetworks: ['2001:db8:8000::/33'] }),
      '2001:db8::7',
      401,
    ],
    [
      'a mapped address of a network',
      () => ({ allowedNetworks: ['203.0.113.7/32'] }),
      `::ffff:${CLIENT}`,
      200,
    ],
    [
      'a client without an address',
      () => ({ allowedNetworks: ['0.0.0.0/0', '::/0'] }),
      'unknown',
      401,
    ],
    ['a permission less', () => ({ permissions: ['asn:read'] }), CLIENT, 403],
  ] as const satisfies readonly (readonly [string, () => KeyChange, string, number])[]) {
    onEngine(`${behaviour}: ${status} on both paths when the change returns`, async () => {
      const created = await create();
      for (const path of PATHS)
        assert.equal((await answerOf(servers, path, created.secret, CLIENT)).status, 200);
      await change(created, changeOf());
      for (const path of PATHS) {
        const answer = await answerOf(servers, path, created.secret, client);
        assert.equal(answer.status, status, path.name);
        if (status === 401) assert.equal(answer.body, UNAUTHORIZED);
      }
    });
  }

  onEngine(
    'what is taken back is answered again, and refusals are counted with their address',
    async () => {
      const created = await create();
      for (const [refusing, admitting] of [
        [{ pausedAt: new Date() }, { pausedAt: null }],
        [{ expiresAt: past() }, { expiresAt: null }],
        [{ allowedNetworks: ['192.0.2.0/24'] }, { allowedNetworks: null }],
      ] as const) {
        await change(created, refusing);
        for (const path of PATHS)
          assert.equal((await answerOf(servers, path, created.secret, CLIENT)).status, 401);
        await change(created, admitting);
        for (const path of PATHS)
          assert.equal((await answerOf(servers, path, created.secret, CLIENT)).status, 200);
      }
      const stored = async () => storage.keys.find(created.key.id);
      await until('both addresses are stored', async () => {
        const key = await stored();
        return key?.refused?.lastFrom === CLIENT && key.lastUsedFrom === CLIENT;
      });
    },
  );

  onEngine(
    'the address that a proxy has sent with the request before is not that of the next one',
    async () => {
      const created = await create();
      await change(created, { allowedNetworks: ['203.0.113.0/24'] });
      const [fastPath] = PATHS;
      assert.ok(fastPath);
      await answerOf(servers, fastPath, created.secret, CLIENT);
      const connection = await RawConnection.open((servers[0] as Server).url);
      const withoutProxy = `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${created.secret}\r\n\r\n`;
      const answers = [
        await connection.ask(lookup(created.secret, CLIENT)),
        await connection.ask(withoutProxy),
      ];
      connection.close();
      assert.deepEqual(
        answers.map((answer) => parseAnswers(answer)[0]?.status),
        [200, 401],
      );
    },
  );

  for (const path of PATHS) {
    onEngine(
      `more than its requests per second, ${path.name}: 429, which does not count for the day`,
      async () => {
        const created = await create();
        await change(created, { requestsPerSecond: 1 });
        const server = servers[path.server];
        assert.ok(server);
        const ask = () => once(server, lookup(created.secret, CLIENT, path.target));
        let last = await ask();
        assert.equal(last.status, 200);
        await until('a request is too fast', async () => {
          const before = last;
          last = await ask();
          if (last.status !== 429) return false;
          assert.equal(last.headers['retry-after'], '1');
          assert.equal(JSON.parse(last.body).data.code, 'RATE_LIMIT_EXCEEDED');
          for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
            assert.equal(last.headers[header], before.headers[header], header);
          return true;
        });
        await until('a second later it is answered', async () => (await ask()).status === 200);
      },
    );
  }

  onEngine(
    'another tier: its limit applies from then on, to what was used before too',
    async () => {
      const created = await create('pro');
      const ask = (path: Path) =>
        once(servers[path.server] as Server, lookup(created.secret, CLIENT, path.target));
      const statuses = async () => (await Promise.all(PATHS.map(ask))).map(({ status }) => status);
      const { url } = servers[0] as Server;
      let connection = await RawConnection.open(url);
      for (let used = 0; used < 1_010; ) {
        // One that came from Node's path is closed.
        if (connection.isClosed) connection = await RawConnection.open(url);
        if ((await connection.ask(lookup(created.secret, CLIENT))).startsWith('HTTP/1.1 200'))
          used++;
      }
      connection.close();
      await change(created, { tier: 'free' });
      assert.deepEqual(await statuses(), [429, 429]);
      await change(created, { tier: 'starter' });
      assert.deepEqual(await statuses(), [200, 200]);
      await change(created, { tier: 'enterprise' });
      for (const path of PATHS)
        assert.equal((await ask(path)).headers['x-ratelimit-limit'], '2147483647');
    },
  );

  onEngine(
    'a daily limit of its own replaces the limit of the tier, and is exact when it is changed',
    async () => {
      const created = await create('pro');
      const ask = async (i: number) => {
        const path = PATHS[i % PATHS.length] as Path;
        return once(servers[path.server] as Server, lookup(created.secret, CLIENT, path.target));
      };
      const answered = async (requests: number) => {
        const answers = await Promise.all(Array.from({ length: requests }, (_, i) => ask(i)));
        return answers.filter(({ status }) => status === 200).length;
      };
      assert.equal(await answered(30), 30);
      await change(created, { dailyLimit: 20 });
      assert.equal(await answered(4), 0);
      await change(created, { dailyLimit: 40 });
      assert.equal(await answered(25), 10);
      assert.equal((await ask(0)).headers['x-ratelimit-limit'], '40');
      await change(created, { dailyLimit: null, tier: 'free' });
      assert.deepEqual(
        [(await ask(0)).status, (await ask(1)).headers['x-ratelimit-limit']],
        [200, '1000'],
      );
    },
  );

  onEngine('scheduled revocations are recorded once, with who scheduled them', async () => {
    const due = [await create(), await create()];
    for (const created of due)
      await change(created, { scheduledRevocation: { at: past(), by: 'Ada' } });
    const now = new Date();
    // The server of this test may be faster: it looks for them every ten seconds.
    await Promise.all([keys.revokeDue(now), keys.revokeDue(now)]);
    for (const { key } of due) {
      const stored = await storage.keys.find(key.id);
      assert.deepEqual(
        [stored?.revokedBy, stored?.scheduledRevocation],
        ['schedule, Ada', undefined],
      );
      const entries = await storage.audit.list({ targetId: key.id, action: 'key.revoked' }, 10);
      assert.deepEqual(
        entries.map(({ actor }) => actor),
        ['schedule, Ada'],
      );
    }
  });

  onEngine(
    'each changed attribute is an entry of the audit log, with its value before and after',
    async () => {
      const created = await create();
      await change(created, {
        name: 'renamed',
        tier: 'free',
        requestsPerSecond: 5,
        allowedNetworks: ['192.0.2.0/24'],
      });
      await change(created, { tier: 'free', dailyLimit: 50_000 });
      const entries = await storage.audit.list({ targetId: created.key.id }, 10);
      assert.deepEqual(
        entries
          .map(({ action, details }) => [action, details?.['from'], details?.['to']])
          .reverse()
          .slice(1),
        [
          ['key.renamed', 'test', 'renamed'],
          ['key.tier_changed', 'pro', 'free'],
          ['key.networks_changed', 'any', '192.0.2.0/24'],
          ['key.rate_changed', 'unlimited', '5 a second'],
          ['key.limit_changed', 'tier', '50000 a day'],
        ],
      );
      const [found] = await storage.keys.findByMasked(created.key.masked);
      assert.equal(found?.name, 'renamed');
    },
  );
}

test('key attributes: a key expires to the millisecond of the clock', async () => {
  const folder = new TestFolder();
  folder.publish();
  const clock = { nowMs: Date.now() };
  const expiresAt = new Date(clock.nowMs + 60_000);
  const { secret } = await folder.createKey({ expiresAt });
  const server = await startInProcess(folder, clock);
  try {
    for (const [nowMs, status] of [
      [clock.nowMs, 200],
      [expiresAt.getTime() - 1, 200],
      [expiresAt.getTime(), 401],
    ] as const) {
      clock.nowMs = nowMs;
      for (const path of PATHS)
        assert.equal(
          (await answerOf([server, server], path, secret, CLIENT)).status,
          status,
          path.name,
        );
    }
  } finally {
    await server.close();
    folder.remove();
  }
});

test('key attributes: a key expires while storage does not answer', async () => {
  const folder = new TestFolder();
  const expiresAt = new Date(Date.now() + 60_000);
  const { secret } = await folder.createKey({ expiresAt });
  const storage = await openTestStorage(folder.dataDir);
  let isDown = false;
  let nowMs = Date.now();
  const changes: typeof storage.keys.changes = async (since) => {
    if (isDown) throw new Error('storage is down');
    return storage.keys.changes(since);
  };
  const known = new KnownKeys(
    { ...storage.keys, changes },
    { graceMs: 3_600_000, nowMs: () => nowMs },
  );
  try {
    assert.ok(await known.find(secret, CLIENT));
    isDown = true;
    await until('storage counts as down', async () => (await known.checkStorage()) === 'degraded');
    assert.ok(await known.find(secret, CLIENT), 'known, and in grace');
    nowMs = expiresAt.getTime();
    assert.equal(await known.find(secret, CLIENT), undefined);
  } finally {
    known.close();
    await storage.close();
    folder.remove();
  }
});
