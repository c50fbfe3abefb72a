/**
 * API keys in the dashboard, from creation to revocation, with the API as their other end;
 * statistics and audit log.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { until } from '@whence/testing/until';
import type { KeyPage } from '../../dashboard/wire/keys.ts';
import { makeSecret } from '../../keys/secret.ts';
import { nameKeyOf } from '../../storage/stores/key-names.ts';
import { runCommand } from '../run-command.ts';
import { openTestStorage } from '../storage/engines.ts';
import { startInProcess, TestFolder } from '../test-server.ts';
import { DashboardClient, type Refused, signedInAs } from './dashboard-client.ts';

const folder = new TestFolder();
let server: Awaited<ReturnType<typeof startInProcess>>;
let admin: DashboardClient;
let member: DashboardClient;

before(async () => {
  folder.publish();
  server = await startInProcess(folder);
  admin = await signedInAs(folder, server.url, 'Ada', 'admin');
  member = await signedInAs(folder, server.url, 'Grace', 'member');
});
after(async () => {
  await server.close();
  folder.remove();
});

const newKey = { name: 'billing', tier: 'free', permissions: ['ip:read'] } as const;
const use = async (secret: string, path = '/v1/ip/8.8.8.8') =>
  (await fetch(`${server.url}${path}`, { headers: { 'X-API-Key': secret } })).status;
/** Statistics are written every second. */
async function untilCounted(reader: DashboardClient, id: string, requests: number): Promise<void> {
  const total = async () =>
    (await reader.get('getUsage', { query: { key: id, by: 'status' } })).total;
  await until('the requests are counted', async () => (await total()) >= requests, { everyMs: 50 });
}

test('keys: a new key works at once, and its secret is shown only once', async () => {
  const { key, secret } = await member.get('createKey', { body: newKey });
  assert.equal(await use(secret), 200);
  assert.equal(await use(secret, '/v1/asn/15169'), 403);
  assert.deepEqual([key.owner?.name, key.status, key.quota.limit], ['Grace', 'active', 1000]);
  const texts = await Promise.all([
    member.ask('listKeys'),
    member.ask('getKey', { params: { id: key.id } }),
  ]);
  for (const response of texts) assert.ok(!(await response.text()).includes(secret));
});

for (const [behaviour, body, path] of [
  ['no name', { ...newKey, name: ' ' }, '/name'],
  ['an unknown tier', { ...newKey, tier: 'gold' }, '/tier'],
  ['no permission', { ...newKey, permissions: [] }, '/permissions'],
  ['an unknown permission', { ...newKey, permissions: ['all'] }, '/permissions/0'],
  ['an owner of its own choice', { ...newKey, owner_id: 'x' }, ''],
  ['a key in the note', { ...newKey, note: `whence_${'a'.repeat(40)}` }, '/note'],
  ['an expiry that has passed', { ...newKey, expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
  ['a network that is none', { ...newKey, allowed_networks: ['office'] }, '/allowed_networks/0'],
  ['half a request per second', { ...newKey, requests_per_second: 0.5 }, '/requests_per_second'],
  ['no request a day', { ...newKey, daily_limit: 0 }, '/daily_limit'],
  ['a limit above the tiers of the account', { ...newKey, daily_limit: 100_001 }, '/daily_limit'],
] as const) {
  test(`keys: ${behaviour} is refused`, async () => {
    const { status, data } = await member.try('createKey', { body });
    assert.deepEqual([status, data.code, data.details?.['path']], [400, 'INVALID_REQUEST', path]);
  });
}

test('keys: a new key has its attributes from the first request on', async () => {
  const attributes = {
    note: 'of the mail team',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    requests_per_second: 20,
    daily_limit: 50_000,
  };
  const body = { ...newKey, name: 'restricted', ...attributes };
  const elsewhere = await member.get('createKey', {
    body: { ...body, allowed_networks: ['192.0.2.0/24'] },
  });
  const { note, expires_at, requests_per_second, daily_limit, allowed_networks, quota } =
    elsewhere.key;
  assert.deepEqual({ note, expires_at, requests_per_second, daily_limit }, attributes);
  assert.equal(quota.limit, 50_000);
  assert.deepEqual(allowed_networks, ['192.0.2.0/24']);
  assert.equal(await use(elsewhere.secret), 401);
  const here = await member.get('createKey', {
    body: { ...body, allowed_networks: ['127.0.0.0/8'] },
  });
  assert.equal(await use(here.secret), 200);
});

test('keys: usage appears in the table, the details and the statistics', async () => {
  const { key, secret } = await member.get('createKey', { body: { ...newKey, name: 'moving' } });
  for (let i = 0; i < 3; i++) await use(secret);
  await use(secret, '/v1/ip/not-an-address');
  await untilCounted(member, key.id, 4);
  const params = { id: key.id };
  const { key: detail } = await member.get('getKey', { params });
  assert.ok(detail.last_used_at);
  assert.equal(detail.quota.used, 4, 'not what is leased');
  assert.equal(detail.requests_by_hour.length, 24);
  assert.equal(
    detail.requests_by_hour.reduce((sum, requests) => sum + requests, 0),
    4,
  );
  const byStatus = await member.get('getUsage', { query: { key: key.id, by: 'status' } });
  assert.deepEqual([byStatus.total, byStatus.client_errors], [4, 1]);
  assert.deepEqual(
    byStatus.series.map(({ label, total }) => [label, total]),
    [
      ['2xx', 3],
      ['4xx', 1],
    ],
  );
  const byKey = await admin.get('getUsage', { query: { by: 'key' } });
  assert.ok(
    byKey.series.some(({ id, label, total }) => id === key.id && label === 'moving' && total === 4),
  );
  const overview = await member.get('getOverview');
  assert.ok(overview.top_keys.some(({ label }) => label === 'moving'));
  assert.equal(overview.refused, undefined);
  assert.ok(overview.today.with_key >= 4);
  assert.equal(overview.today.without_key, 0, 'an administrator sees those');
  const csv = await (await member.ask('exportUsage', { query: { key: key.id } })).text();
  assert.match(
    csv,
    new RegExp(`^day,key_id,key,endpoint,status_class,requests\r\n.*,${key.id},moving,ip,2,3\r\n`),
  );
});

test('keys: revoking requires the name, and is in effect when it returns', async () => {
  const { key, secret } = await member.get('createKey', { body: { ...newKey, name: 'to go' } });
  const params = { id: key.id };
  assert.equal(await use(secret), 200);
  const mistyped = await member.try('revokeKey', { params, body: { name: 'to stay' } });
  assert.deepEqual([mistyped.status, mistyped.data.code], [409, 'NAME_MISMATCH']);
  const { key: revoked } = await member.get('revokeKey', { params, body: { name: 'to go' } });
  assert.equal(await use(secret), 401);
  assert.deepEqual([revoked.status, revoked.revoked_by], ['revoked', 'Grace']);
  const again = await member.try('revokeKey', { params, body: { name: 'to go' } });
  assert.equal(again.data.code, 'ALREADY_REVOKED');
  const { entries } = await member.get('getKeyAudit', { params });
  assert.deepEqual(
    entries.map(({ action, actor, target }) => [action, actor, target]),
    [
      ['key.revoked', 'Grace', 'to go'],
      ['key.created', 'Grace', 'to go'],
    ],
  );
});

test('keys: the first use is reported with its address and status', async () => {
  const { key, secret } = await member.get('createKey', { body: { ...newKey, name: 'first' } });
  assert.equal(key.first_use, undefined);
  assert.equal(await use(secret, '/v1/asn/15169'), 403);
  // The clock of a server in this process stands still: a slower request would seem to have begun
  // earlier.
  server.clock.nowMs += 60_000;
  for (let i = 0; i < 3; i++) assert.equal(await use(secret), 200);
  await untilCounted(member, key.id, 4);
  const { key: used } = await member.get('getKey', { params: { id: key.id } });
  assert.deepEqual([used.first_use?.from, used.first_use?.status], ['127.0.0.1', 403]);
  assert.ok(Date.parse(used.first_use?.at ?? '') <= Date.parse(used.last_used_at ?? ''));
});

test('keys: requests with a revoked key are counted for it, on both paths, and no others', async () => {
  const { key, secret } = await member.get('createKey', { body: { ...newKey, name: 'retired' } });
  const params = { id: key.id };
  assert.equal(await use(secret), 200);
  const { key: revoked } = await member.get('revokeKey', { params, body: { name: 'retired' } });
  assert.equal(revoked.refused, undefined);
  const unknown = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
  assert.equal(await use(unknown), 401);
  for (let i = 0; i < 5; i++) assert.equal(await use(secret), 401);
  assert.equal(await use(secret, '/v1/asn/15169'), 401);
  const get = async () => (await member.get('getKey', { params })).key;
  await until('the refusals are counted', async () => ((await get()).refused?.requests ?? 0) >= 6, {
    everyMs: 50,
  });
  const refused = await get();
  assert.equal(refused.refused?.requests, 6);
  assert.ok(Date.parse(refused.refused?.last_at ?? '') >= Date.parse(refused.revoked_at ?? ''));
  assert.ok(
    Date.parse(refused.last_used_at ?? '') <= Date.parse(refused.revoked_at ?? ''),
    'a refusal is no use',
  );
});

test('keys: why a key was refused, by reason and hour, in the dashboard and on the command line', async () => {
  const body = {
    ...newKey,
    name: 'refused',
    requests_per_second: 1,
    allowed_networks: ['127.0.0.0/8'],
  };
  const { key, secret } = await admin.get('createKey', { body });
  const params = { id: key.id };
  const refusals = async () => (await admin.get('getKey', { params })).refusals;
  assert.deepEqual(await refusals(), []);
  assert.equal(await use(secret, '/v1/asn/15169'), 403);
  await until('the requests of the second are used up', async () => (await use(secret)) === 429);
  await admin.get('changeKey', { params, body: { allowed_networks: ['192.0.2.0/24'] } });
  assert.equal(await use(secret), 401);
  // The clock of a server in this process stands still.
  server.clock.nowMs++;
  await admin.get('pauseKey', { params });
  for (let i = 0; i < 3; i++) assert.equal(await use(secret), 401);
  await until(
    'the refusals are counted',
    async () =>
      (await refusals()).some(({ reason, requests }) => reason === 'paused' && requests === 3),
    { everyMs: 50 },
  );
  const found = await refusals();
  const of = (reason: string) => found.find((one) => one.reason === reason);
  assert.equal(found[0]?.reason, 'paused');
  assert.equal(of('paused')?.requests, 3);
  assert.deepEqual([of('network')?.requests, of('network')?.last_detail], [1, '127.0.0.1']);
  assert.deepEqual([of('permission')?.requests, of('permission')?.last_detail], [1, 'asn:read']);
  assert.ok((of('rate')?.requests ?? 0) >= 1);
  const shown = await runCommand(['key', 'show', key.id], folder.environment);
  assert.match(shown.stdout, /^refused in 24 h +paused: 3, last \S+ from 127\.0\.0\.1$/m);
  assert.match(shown.stdout, /^ +permission missing: 1, last \S+, lacked asn:read$/m);
  assert.match(shown.stdout, /^state +paused \d{4}-/m);
});

test('keys: a request over the daily limit is counted, and shares of the limit are in the audit log', async () => {
  const { key, secret } = await admin.get('createKey', { body: { ...newKey, name: 'busy' } });
  const day = new Date(server.clock.nowMs).toISOString().slice(0, 10);
  const storage = await openTestStorage(folder.location);
  /** As another process that spends it. */
  const spend = (amount: number, owner: string) =>
    storage.leases.take(
      { keyId: key.id, day, owner },
      { wanted: amount, limit: 1_000, spent: amount, opened: 0, open: amount },
    );
  const actions = async () =>
    (await admin.get('getKeyAudit', { params: { id: key.id } })).entries.map(
      ({ action }) => action,
    );
  try {
    await spend(799, 'other.1');
    assert.equal(await use(secret), 200);
    await until('80 % are reported', async () => (await actions())[0] === 'key.limit_near', {
      everyMs: 50,
    });
    await spend(190, 'other.2');
    await until('the limit is reached', async () => (await use(secret)) === 429);
    await until('100 % are reported', async () => (await actions())[0] === 'key.limit_reached', {
      everyMs: 50,
    });
    assert.deepEqual(await actions(), ['key.limit_reached', 'key.limit_near', 'key.created']);
    const reasons = async () => (await admin.get('getKey', { params: { id: key.id } })).refusals;
    await until(
      'the refusal is counted',
      async () => (await reasons())[0]?.reason === 'daily_limit',
      { everyMs: 50 },
    );
  } finally {
    await storage.close();
  }
});

test('keys: a leaked key is found by its owner and by administrators, and by no one else', async () => {
  const owner = await signedInAs(folder, server.url, 'Olga', 'member');
  const { key, secret } = await owner.get('createKey', { body: { ...newKey, name: 'leaked' } });
  const find = (client: DashboardClient, text: string) =>
    client.try('findKey', { body: { secret: text } });
  for (const client of [owner, admin]) {
    assert.equal((await client.get('findKey', { body: { secret } })).key.id, key.id);
    const { status, data } = await find(client, makeSecret());
    assert.deepEqual([status, data.code], [404, 'NOT_FOUND']);
  }
  const other = await signedInAs(folder, server.url, 'Mallory', 'member');
  assert.deepEqual((await find(other, secret)).data, (await find(other, makeSecret())).data);
  const long = await find(owner, secret.repeat(3));
  assert.deepEqual([long.status, JSON.stringify(long.data).includes(secret)], [400, false]);
});

test('keys: rotation creates a successor with the same owner; both work until the old one is revoked', async () => {
  const { key, secret } = await member.get('createKey', { body: { ...newKey, name: 'rotating' } });
  const params = { id: key.id };
  const next = await admin.get('rotateKey', { params, body: {} });
  assert.deepEqual(
    [next.key.name, next.key.owner?.name, next.key.predecessor_id],
    ['rotating', 'Grace', key.id],
  );
  assert.deepEqual([await use(secret), await use(next.secret)], [200, 200]);
  const twice = await member.try('rotateKey', { params, body: {} });
  assert.equal(twice.data.code, 'ALREADY_ROTATING');
  const detail = await member.get('getKey', { params });
  assert.equal(detail.successor?.id, next.key.id);
  await member.get('revokeKey', { params, body: { name: 'rotating' } });
  assert.deepEqual([await use(secret), await use(next.secret)], [401, 200]);
});

test('keys: search, filters, sorting and pages', async () => {
  const names = ['Zulu 10 north', 'zulu 2', 'Yankee'];
  for (const name of names)
    await admin.get('createKey', { body: { ...newKey, name, tier: 'pro' } });
  const list = async (query: Record<string, string | number>) =>
    (await admin.get('listKeys', { query })).keys;
  const named = async (query: Record<string, string | number>) =>
    (await list(query)).map(({ name }) => name);
  assert.deepEqual(await named({ tier: 'pro', sort: 'name', order: 'asc' }), [
    'Yankee',
    'zulu 2',
    'Zulu 10 north',
  ]);
  assert.deepEqual(await named({ q: 'ZULU', sort: 'name', order: 'asc' }), [
    'zulu 2',
    'Zulu 10 north',
  ]);
  assert.deepEqual(await named({ q: 'zulu 1' }), ['Zulu 10 north']);
  assert.deepEqual(await named({ q: 'north' }), [], 'only the beginning of a name');
  const [key] = await list({ q: 'yankee' });
  const [head = ''] = (key?.masked ?? '').split('…');
  assert.deepEqual(await named({ q: key?.masked ?? '' }), ['Yankee']);
  assert.deepEqual(await named({ q: head }), ['Yankee']);
  assert.deepEqual(await named({ q: head.replace('whence_', '') }), ['Yankee']);
  assert.deepEqual(await named({ q: key?.id ?? '' }), ['Yankee']);
  assert.ok((await list({ q: 'grace' })).every(({ owner }) => owner?.name === 'Grace'));
  assert.ok((await list({ status: 'revoked' })).every(({ status }) => status === 'revoked'));
  const first = await admin.get('listKeys', {
    query: { tier: 'pro', sort: 'name', order: 'asc', limit: 1 },
  });
  assert.deepEqual([first.total, first.keys.map(({ name }) => name)], [3, ['Yankee']]);
  const after = first.next_after ?? '';
  const rest = await admin.get('listKeys', {
    query: { tier: 'pro', sort: 'name', order: 'asc', limit: 2, after },
  });
  assert.deepEqual(
    [rest.keys.map(({ name }) => name), rest.next_after],
    [['zulu 2', 'Zulu 10 north'], undefined],
  );
  for (const wrong of ['x', after]) {
    const { data } = await admin.try('listKeys', { query: { sort: 'created_at', after: wrong } });
    assert.equal(data.details?.['path'], '/after');
  }
  assert.equal(
    (await admin.try('listKeys', { query: { sort: 'colour' } })).data.details?.['parameter'],
    'sort',
  );
  assert.deepEqual(await named({ q: '100 % _' }), []);
});

test('keys: keys from the command line have no owner, and only administrators see them', async () => {
  const { key } = await folder.createKey({ name: 'from the shell' });
  const { keys } = await admin.get('listKeys', { query: { q: 'from the shell' } });
  assert.deepEqual([keys[0]?.id, keys[0]?.owner, keys[0]?.quota.limit], [key.id, undefined, null]);
  assert.equal((await member.get('listKeys', { query: { q: 'from the shell' } })).total, 0);
});

test('keys: a table of five thousand is filtered', async () => {
  const database = new DatabaseSync(join(folder.dataDir, 'whence.sqlite'), { timeout: 5_000 });
  const insert = database.prepare(
    `insert into keys (id, name, name_key, name_folded, hash, masked, permissions, tier, created_at)
     values (?, ?, ?, ?, ?, ?, 'ip:read', 'free', ?)`,
  );
  database.exec('begin');
  for (let i = 0; i < 5_000; i++) {
    const name = `many ${i}`;
    insert.run(`many${i}`, name, nameKeyOf(name), name, `hash ${i}`, `whence_aaaa…${i}`, i);
  }
  database.exec('commit');
  database.close();
  const query = { q: 'many', sort: 'requests_today', limit: 100 };
  const { total, keys } = await admin.get('listKeys', { query });
  assert.deepEqual([total, keys.length], [5_000, 100]);
  // Every key is on one page.
  const seen: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: KeyPage = await admin.get('listKeys', {
      query: { ...query, limit: 1_000, ...(after && { after }) },
    });
    seen.push(...page.keys.map(({ id }) => id));
    after = page.next_after;
  }
  assert.deepEqual([seen.length, new Set(seen).size], [5_000, 5_000]);
});

test('audit: newest first, by action, in pages, and as files', async () => {
  const first = await admin.get('listAudit', { query: { limit: 2 } });
  assert.equal(first.entries.length, 2);
  const second = await admin.get('listAudit', {
    query: { limit: 2, before: first.next_before ?? '' },
  });
  assert.ok((first.entries[1]?.id ?? '') > (second.entries[0]?.id ?? ''));
  const revoked = await admin.get('listAudit', { query: { action: 'key.revoked' } });
  assert.deepEqual([...new Set(revoked.entries.map(({ action }) => action))], ['key.revoked']);
  assert.equal(revoked.entries[0]?.address, '127.0.0.1');
  const response = await admin.ask('exportAudit', {
    query: { format: 'ndjson', action: 'key.revoked' },
  });
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /attachment; filename="whence-audit.ndjson"/,
  );
  const lines = (await response.text()).trim().split('\n');
  assert.equal(lines.length, revoked.entries.length);
  assert.equal(JSON.parse(lines[0] ?? '').action, 'key.revoked');
});

for (const [behaviour, query, refused] of [
  ['a day that is none', { from: '2026-02-30' }, '/from'],
  ['a range that runs backwards', { from: '2026-02-02', to: '2026-02-01' }, '/from'],
  ['a range of years', { from: '2020-01-01', to: '2026-01-01' }, '/from'],
  ['an unknown group', { by: 'colour' }, 'by'],
] as const) {
  test(`usage: ${behaviour} is refused`, async () => {
    const { status, data } = await admin.try('getUsage', { query });
    const { path, parameter } = data.details ?? {};
    assert.deepEqual([status, path ?? parameter], [400, refused]);
  });
}

test('keys: a member has at most 100 active keys, and can rotate them all', async () => {
  const few = await startInProcess(folder, undefined, { WHENCE_MEMBER_KEYS_PER_DAY: '1000' });
  try {
    const member = await signedInAs(folder, few.url, 'Grete', 'member');
    const create = (name: string) => ({ body: { name, tier: 'free', permissions: ['ip:read'] } });
    const { key } = await member.get('createKey', create('one'));
    for (let i = 2; i < 100; i++) await member.get('createKey', create(`number ${i}`));
    const atOnce = await Promise.all(
      Array.from({ length: 6 }, () => member.try('createKey', create('two'))),
    );
    assert.deepEqual(
      atOnce.map(({ status }) => status).sort(),
      [200, 409, 409, 409, 409, 409],
      'all at once',
    );
    const { status, data } = await member.try('createKey', create('three'));
    assert.deepEqual([status, data.code, data.details?.['limit']], [409, 'TOO_MANY_KEYS', 100]);
    assert.match(String(data.details?.['rule']), /revoke keys that are no longer used/);
    const rotations = await Promise.all(
      Array.from({ length: 3 }, () =>
        member.try('rotateKey', { params: { id: key.id }, body: {} }),
      ),
    );
    assert.deepEqual(
      rotations.map(({ status }) => status).sort(),
      [200, 409, 409],
      'one successor',
    );
    await member.get('revokeKey', { params: { id: key.id }, body: { name: 'one' } });
    assert.equal(
      (await member.try('createKey', create('three'))).status,
      409,
      'the successor took its place',
    );
    const head = await signedInAs(folder, few.url, 'Head', 'admin');
    for (const name of ['a', 'b', 'c']) await head.get('createKey', create(name));
  } finally {
    await few.close();
  }
});

test('keys: a member creates at most WHENCE_MEMBER_KEYS_PER_DAY keys a day, over all processes, revoked ones included', async () => {
  const environment = { WHENCE_MEMBER_KEYS_PER_DAY: '4' };
  const servers = [
    await startInProcess(folder, undefined, environment),
    await startInProcess(folder, undefined, environment),
  ] as const;
  try {
    const here = await signedInAs(folder, servers[0].url, 'Mary', 'member');
    const there = new DashboardClient(servers[1].url);
    await there.signIn('Mary');
    const create = (name: string) => ({ body: { name, tier: 'free', permissions: ['ip:read'] } });
    for (const name of ['one', 'two']) {
      const { key } = await here.get('createKey', create(name));
      await here.get('revokeKey', { params: { id: key.id }, body: { name } });
    }
    const { key } = await there.get('createKey', create('three'));
    const atOnce = await Promise.all([
      here.try('rotateKey', { params: { id: key.id }, body: {} }),
      ...Array.from({ length: 5 }, (_, i) =>
        (i % 2 === 0 ? here : there).try('createKey', create('four')),
      ),
    ]);
    assert.deepEqual(
      atOnce.map(({ status }) => status).sort(),
      [200, 429, 429, 429, 429, 429],
      'all at once',
    );
    const answer = await there.ask('createKey', create('five'));
    const { data } = (await answer.json()) as { data: Refused };
    assert.deepEqual(
      [answer.status, data.code, data.details?.['limit']],
      [429, 'TOO_MANY_NEW_KEYS', 4],
    );
    const resetsAt = String(data.details?.['resets_at']);
    assert.match(resetsAt, /T00:00:00\.000Z$/);
    assert.match(
      String(data.details?.['rule']),
      new RegExp(`from ${resetsAt.slice(0, 10)} 00:00 UTC`),
    );
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    const head = await signedInAs(folder, servers[0].url, 'Maud', 'admin');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await head.get('createKey', create(name));
  } finally {
    for (const one of servers) await one.close();
  }
});
