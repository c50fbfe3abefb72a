import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, afterEach, before } from 'node:test';
import { periodPasses, until } from '@whence/testing/until';
import Database from 'better-sqlite3';
import { VOUCHING_WINDOW_MS } from '../../keys/vouching.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

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

/** Client and server share this process, so only the first test sends more than some at once: it would shed load. */
async function askMany(key: string, count: number, path?: string, atOnce = 50): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let left = count;
  const clients = Array.from({ length: atOnce }, async () => {
    while (left-- > 0) {
      const response = await ask(key, path);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  });
  await Promise.all(clients);
  return statuses;
}

test('limits: a Free key gets exactly 1,000 of 1,300 concurrent requests', async () => {
  const { secret } = await folder.createKey({ tier: 'free' });
  const statuses = await askMany(secret, 1300, undefined, 1300);
  assert.equal(statuses.get(200), 1000);
  // Client and server share this process: on a busy machine it may shed a few, which do not count.
  assert.equal((statuses.get(429) ?? 0) + (statuses.get(503) ?? 0), 300);
});

test('limits: the headers count down, and 429 has Retry-After', async () => {
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

test('limits: a missing permission is reported before an exhausted quota', async () => {
  const { secret } = await folder.createKey({ tier: 'free', permissions: ['ip:read'] });
  await askMany(secret, 1000);
  assert.equal((await ask(secret)).status, 429);
  assert.equal((await ask(secret, '/v1/asn/15169')).status, 403);
});

test('limits: a request that fails with a server error does not count', async () => {
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
    const { checksums: _, ...data } = ((await ready.json()) as { data: { checksums: object } }).data;
    assert.deepEqual(data, {
      error: 'not ready',
      code: 'NOT_READY',
      checks: { dataset: 'missing', storage: 'ok' },
    });
  } finally {
    await other.close();
    empty.remove();
  }
});

test('limits: without a grace, while storage refuses, keys cannot be checked: 503, also for a key seen before, and readiness says so', async () => {
  const broken = new TestFolder();
  broken.publish();
  const other = await startInProcess(broken, clock, { WHENCE_STORAGE_GRACE: '0' });
  try {
    const { secret: key } = await broken.createKey({ tier: 'free' });
    const request = (path: string) => fetch(other.url + path, { headers: { 'X-API-Key': key } });
    assert.equal((await request('/v1/ip/8.8.8.8')).status, 200);
    const database = new Database(join(broken.dataDir, 'whence.sqlite'));
    database.exec('DROP TABLE revisions; DROP TABLE keys');
    database.close();
    await periodPasses(VOUCHING_WINDOW_MS);
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

test('limits: statistics have day, endpoint, status class and last use', async () => {
  const { key, secret } = await folder.createKey({ tier: 'pro' });
  await askMany(secret, 20);
  await askMany(secret, 3, '/v1/ip/nonsense');
  await askMany(secret, 2, '/v1/asn/15169');
  const storage = await openStorage(folder.dataDir);
  try {
    const requests = async () => (await storage.usage.ofKey(key.id)).reduce((sum, { requests }) => sum + requests, 0);
    await until('all requests are in the statistics', async () => (await requests()) >= 25);
    const rows = await storage.usage.ofKey(key.id);
    assert.deepEqual(
      rows.map(({ day, endpoint, statusClass, requests }) => [day, endpoint, statusClass, requests]),
      [
        ['2026-11-15', 'asn', 2, 2],
        ['2026-11-15', 'ip', 2, 20],
        ['2026-11-15', 'ip', 4, 3],
      ],
    );
    const stored = (await storage.keys.list()).find(({ id }) => id === key.id);
    assert.equal(stored?.lastUsedAt?.getTime(), NOON);
  } finally {
    await storage.close();
  }
});
