import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, afterEach, before } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { periodPasses, until } from '@whence/testing/until';
import { VOUCHING_WINDOW_MS } from '../../keys/vouching.ts';
import { openTestStorage } from '../storage/engines.ts';
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

/** What nothing ever notifies: waiting for it keeps the event loop from turning. */
const WORD = new Int32Array(new SharedArrayBuffer(4));

const ask = (key: string, path = '/v1/ip/8.8.8.8') =>
  fetch(server.url + path, { headers: { 'X-API-Key': key } });

/**
 * Client and server share this process, so only the first test sends more than some at once: it
 * would shed load.
 */
async function askMany(
  key: string,
  count: number,
  path?: string,
  atOnce = 50,
): Promise<Map<number, number>> {
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
  const { secret } = await folder.createKey({ dailyLimit: 3 });
  for (const remaining of [2, 1, 0]) {
    const { headers } = await ask(secret);
    assert.equal(headers.get('x-ratelimit-limit'), '3');
    assert.equal(headers.get('x-ratelimit-remaining'), String(remaining));
    assert.equal(headers.get('x-ratelimit-reset'), String(MIDNIGHT / 1000));
  }
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
  const { secret } = await folder.createKey({ dailyLimit: 2 });
  for (const status of [200, 200, 429]) assert.equal((await ask(secret)).status, status);
  clock.nowMs = MIDNIGHT - 1;
  assert.equal((await ask(secret)).status, 429);
  clock.nowMs = MIDNIGHT;
  const { status, headers } = await ask(secret);
  assert.deepEqual([status, headers.get('x-ratelimit-remaining')], [200, '1']);
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
  const { secret } = await folder.createKey({ dailyLimit: 1, permissions: ['ip:read'] });
  for (const status of [200, 429]) assert.equal((await ask(secret)).status, status);
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
    // A write that missed its deadline on a busy machine is tried again.
    await until('only the dataset is missing', async () => {
      const ready = await fetch(`${other.url}/readyz`);
      const { data } = (await ready.json()) as { data: { code: string; checks: object } };
      assert.deepEqual([ready.status, data.code], [503, 'NOT_READY']);
      return isDeepStrictEqual(data.checks, { dataset: 'missing', storage: 'ok' });
    });
  } finally {
    await other.close();
    empty.remove();
  }
});

test('limits: while new connections wait too long, large batches are refused and not counted, and lookups are answered', async () => {
  const { secret } = await folder.createKey({ tier: 'starter' });
  const slow = await startInProcess(folder, clock, {}, { measuresWait: true });
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ ips: Array.from({ length: 51 }, (_, i) => `8.8.8.${i}`) });
  const batch = () => fetch(`${slow.url}/v1/ip/batch`, { method: 'POST', headers, body });
  try {
    assert.equal((await batch()).headers.get('x-ratelimit-remaining'), '9999');
    // A connection takes several turns of the event loop.
    const blocking = setInterval(() => Atomics.wait(WORD, 0, 0, 300), 1);
    try {
      await until('a batch is refused', async () => {
        const response = await batch();
        if (response.status === 200) return false;
        const { data } = (await response.json()) as { data: { code: string } };
        assert.deepEqual([response.status, data.code], [503, 'OVERLOADED']);
        assert.ok(Number(response.headers.get('retry-after')) > 0);
        return true;
      });
    } finally {
      clearInterval(blocking);
    }
    const before = (await fetch(`${slow.url}/v1/ip/8.8.8.8`, { headers })).headers;
    await until('batches are answered again', async () => (await batch()).status === 200);
    const after = (await fetch(`${slow.url}/v1/ip/8.8.8.8`, { headers })).headers;
    const counted =
      Number(before.get('x-ratelimit-remaining')) - Number(after.get('x-ratelimit-remaining'));
    assert.equal(counted, 2, 'one batch and one lookup');
  } finally {
    await slow.close();
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
    const database = new DatabaseSync(join(broken.dataDir, 'whence.sqlite'), { timeout: 0 });
    // The server's transactions need this thread to end, so it must not wait for their lock.
    await until('the tables are dropped', () => {
      try {
        database.exec('BEGIN IMMEDIATE; DROP TABLE revisions; DROP TABLE keys; COMMIT');
        return true;
      } catch {
        return false;
      }
    });
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
  const storage = await openTestStorage(folder.dataDir);
  try {
    const requests = async () =>
      (await storage.usage.ofKey(key.id)).reduce((sum, { requests }) => sum + requests, 0);
    await until('all requests are in the statistics', async () => (await requests()) >= 25);
    const rows = await storage.usage.ofKey(key.id);
    assert.deepEqual(
      rows.map(({ day, endpoint, statusClass, requests }) => [
        day,
        endpoint,
        statusClass,
        requests,
      ]),
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
