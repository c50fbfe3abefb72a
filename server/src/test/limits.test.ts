import assert from 'node:assert/strict';
import test, { after, afterEach, before } from 'node:test';
import { Quota } from '../quota/quota.ts';
import { sqliteLeases } from '../quota/sqlite-leases.ts';
import { sqlitePath } from '../server.ts';
import { openSqlite, sqliteStorage } from '../storage/sqlite.ts';
import { startInProcess, TestFolder } from './test-server.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-16T00:00:00Z');

const folder = new TestFolder();
const clock = { nowMs: NOON };
let server: Awaited<ReturnType<typeof startInProcess>>;

before(async () => {
  folder.publish();
  server = await startInProcess(folder, clock);
});
afterEach(() => {
  clock.nowMs = NOON;
});
after(async () => {
  await server.close();
  folder.remove();
});

const ask = (key: string, path = '/v1/ip/8.8.8.8') => fetch(server.url + path, { headers: { 'X-API-Key': key } });

async function askMany(key: string, count: number, path?: string): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await ask(key, path);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }),
  );
  return statuses;
}

test('limits: a Free key gets exactly 1,000 of 1,300 concurrent requests', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  const statuses = await askMany(secret, 1300);
  assert.equal(statuses.get(200), 1000);
  // Client and server share this process: on a busy machine it may shed a few, which do not count.
  assert.equal((statuses.get(429) ?? 0) + (statuses.get(503) ?? 0), 300);
});

test('limits: the headers count down, and 429 says when to come back', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  for (const remaining of [999, 998, 997]) {
    const { headers } = await ask(secret);
    assert.equal(headers.get('x-ratelimit-limit'), '1000');
    assert.equal(headers.get('x-ratelimit-remaining'), String(remaining));
    assert.equal(headers.get('x-ratelimit-reset'), String(MIDNIGHT / 1000));
  }
  await askMany(secret, 997);
  const refused = await ask(secret);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  assert.equal(refused.headers.get('retry-after'), String((MIDNIGHT - NOON) / 1000));
  assert.deepEqual(await refused.json(), {
    data: { error: 'rate limit exceeded', code: 'RATE_LIMIT_EXCEEDED' },
    meta: { processing_time_ms: 0 },
  });
});

test('limits: a new day in UTC is a new window', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  await askMany(secret, 1000);
  clock.nowMs = MIDNIGHT - 1;
  assert.equal((await ask(secret)).status, 429);
  clock.nowMs = MIDNIGHT;
  const { status, headers } = await ask(secret);
  assert.deepEqual([status, headers.get('x-ratelimit-remaining')], [200, '999']);
  assert.equal(headers.get('x-ratelimit-reset'), String(MIDNIGHT / 1000 + 86_400));
});

test('limits: every authenticated answer counts, whatever its status, and a batch counts once', async () => {
  const { secret } = await folder.createKey({ tier: 'free', permissions: ['ip:read', 'ip:batch'] });
  const remaining = async (response: Promise<Response>) =>
    Number((await response).headers.get('x-ratelimit-remaining'));
  assert.equal(await remaining(ask(secret, '/v1/ip/nonsense')), 999);
  assert.equal(await remaining(ask(secret, '/v1/ip/10.0.0.1')), 998);
  assert.equal(await remaining(ask(secret, '/v1/asn/15169')), 997, 'a missing permission');
  const batch = fetch(`${server.url}/v1/ip/batch`, {
    method: 'POST',
    headers: { 'X-API-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ips: ['8.8.8.8', '1.0.0.1', '3.0.0.1'] }),
  });
  assert.equal(await remaining(batch), 996);
  await ask(secret, '/v1/nothing');
  assert.equal(await remaining(ask(secret)), 995, 'a path that does not exist asks for no key');
});

test('limits: a missing permission is told before a used-up quota', async () => {
  const { secret } = await folder.createKey({ tier: 'free', permissions: ['ip:read'] });
  await askMany(secret, 1000);
  assert.equal((await ask(secret)).status, 429);
  assert.equal((await ask(secret, '/v1/asn/15169')).status, 403);
});

test('limits: leases of one process are not the other’s, and come back when the key goes quiet', async () => {
  const database = openSqlite(sqlitePath(folder.dataDir));
  try {
    const [first, second] = [new Quota(sqliteLeases(database), false), new Quota(sqliteLeases(database), false)];
    const allowance = { limit: 100, lease: 5 };
    const spend = (quota: Quota) => quota.spend('lease-test', allowance, NOON);
    assert.deepEqual(spend(first), { isAllowed: true, remaining: 99, resetSeconds: MIDNIGHT / 1000 });
    assert.equal(first.unspent, 4);
    assert.deepEqual(spend(second), { isAllowed: true, remaining: 94, resetSeconds: MIDNIGHT / 1000 });
    await first.giveBackIdle(NOON + 1_000);
    assert.equal(first.unspent, 4, 'not yet quiet');
    await first.giveBackIdle(NOON + 3_000);
    assert.equal(first.unspent, 0);
    let allowed = 2;
    while ((await spend(second)).isAllowed) allowed++;
    assert.equal(allowed, 100);
    assert.equal((await spend(first)).isAllowed, false);
  } finally {
    database.close();
  }
});

test('limits: a key is refused only when no process holds a part of its day that it does not use', async () => {
  const databases = [1, 2].map(() => openSqlite(sqlitePath(folder.dataDir)));
  try {
    const [first, second] = databases.map((database) => new Quota(sqliteLeases(database), true));
    assert.ok(first && second);
    const spend = (quota: Quota) => quota.spend('recall-test', { limit: 100, lease: 5 }, NOON);
    await spend(first);
    assert.equal(first.unspent, 4);
    const answering = setInterval(() => void first.giveBackRecalled(), 50);
    let allowed = 1;
    while ((await spend(second)).isAllowed) allowed++;
    clearInterval(answering);
    assert.deepEqual([allowed, first.unspent], [100, 0]);
    const started = performance.now();
    assert.equal((await spend(second)).isAllowed, false);
    assert.ok(performance.now() - started < 100, 'known to be used up, and refused at once');
  } finally {
    for (const database of databases) database.close();
  }
});

test('limits: two processes that take turns never admit one more, and lose none that was given back', async () => {
  const database = openSqlite(sqlitePath(folder.dataDir));
  try {
    const quotas = [1, 2, 3].map(() => new Quota(sqliteLeases(database), false));
    let allowed = 0;
    let nowMs = NOON;
    for (let i = 0; i < 3000; i++) {
      // Not a random schedule, but one in which the processes never keep step.
      const quota = quotas[(i * i + (i >> 3)) % 3] as Quota;
      nowMs += i % 7 === 0 ? 150 : 0;
      if ((await quota.spend('turns', { limit: 1000, lease: 50 }, nowMs)).isAllowed) allowed++;
    }
    assert.equal(allowed, 1000);
  } finally {
    database.close();
  }
});

test('limits: a request that fails through our fault does not count', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  assert.equal((await ask(secret)).headers.get('x-ratelimit-remaining'), '999');
  const empty = new TestFolder();
  const other = await startInProcess(empty, clock);
  try {
    const { secret: key } = await empty.createKey({ tier: 'free' });
    for (let i = 0; i < 3; i++) {
      const response = await fetch(`${other.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } });
      assert.equal(response.status, 503);
      assert.equal(response.headers.get('x-ratelimit-remaining'), '1000');
      const { data } = (await response.json()) as { data: object };
      assert.deepEqual(data, { error: 'dataset unavailable', code: 'DATASET_UNAVAILABLE' });
    }
    const { status, headers } = await fetch(`${other.url}/v1/ip/8.8.8.8`);
    assert.deepEqual([status, headers.get('retry-after')], [401, null]);
    const ready = await fetch(`${other.url}/readyz`);
    assert.equal(ready.status, 503);
    const body = (await ready.json()) as { data: object };
    assert.deepEqual(body.data, {
      error: 'not ready',
      code: 'NOT_READY',
      checks: { dataset: 'missing', storage: 'ok' },
    });
  } finally {
    await other.close();
    empty.remove();
  }
});

test('limits: while storage refuses, keys cannot be checked: 503, also for a key seen before, and readiness says so', async () => {
  const broken = new TestFolder();
  broken.publish();
  const other = await startInProcess(broken, clock);
  try {
    const { secret: key } = await broken.createKey({ tier: 'free' });
    const request = (path: string) => fetch(other.url + path, { headers: { 'X-API-Key': key } });
    assert.equal((await request('/v1/ip/8.8.8.8')).status, 200);
    const database = openSqlite(sqlitePath(broken.dataDir));
    database.exec('DROP TABLE keys_revision; DROP TABLE keys');
    database.close();
    const refused = await request('/v1/ip/8.8.8.8');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    const { data } = (await refused.json()) as { data: object };
    assert.deepEqual(data, { error: 'storage unavailable', code: 'STORAGE_UNAVAILABLE' });
    assert.equal((await request('/readyz')).status, 503);
    assert.equal((await request('/healthz')).status, 200);
  } finally {
    await other.close();
    broken.remove();
  }
});

test('limits: statistics tell day, endpoint and class of status, and the last use', async () => {
  const { key, secret } = await folder.createKey({ tier: 'pro' });
  await askMany(secret, 20);
  await askMany(secret, 3, '/v1/ip/nonsense');
  await askMany(secret, 2, '/v1/asn/15169');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const storage = sqliteStorage(openSqlite(sqlitePath(folder.dataDir)));
  try {
    const rows = await storage.usageOf(key.id);
    assert.deepEqual(
      rows.map(({ day, endpoint, statusClass, requests }) => [day, endpoint, statusClass, requests]),
      [
        ['2026-11-15', 'asn', 2, 2],
        ['2026-11-15', 'ip', 2, 20],
        ['2026-11-15', 'ip', 4, 3],
      ],
    );
    const stored = (await storage.listKeys()).find(({ id }) => id === key.id);
    assert.equal(stored?.lastUsedAt?.getTime(), NOON);
  } finally {
    await storage.close();
  }
});
