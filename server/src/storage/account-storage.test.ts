/**
 * Accounts, sessions, links, audit log and traffic in storage: what other files rely on in either
 * engine.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { openTestStorage } from '../test/storage/engines.ts';
import { newBatch } from '../test/storage/new-batch.ts';
import type { Storage } from './storage.ts';
import type { StoredAccount } from './stores/account-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-accounts-'));
let storage: Storage;
before(async () => {
  storage = await openTestStorage(folder, { isSequential: true });
});
after(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = new Date('2026-11-15T01:02:03.004Z');
const later = (ms: number) => new Date(at.getTime() + ms);
const account = (id: string, role = 'admin'): StoredAccount => ({
  id,
  name: `Name of ${id}`,
  nameKey: `name of ${id}`,
  role,
  createdAt: at,
});

test('account storage: an account comes back as it was put in, by id and by name', async () => {
  assert.equal(await storage.accounts.isEmpty(), true);
  const ada = {
    ...account('ada'),
    passwordHash: '$argon2id$',
    providerSubject: 'https://issuer.example 1',
  };
  assert.equal(await storage.accounts.insert(ada), true);
  assert.equal(await storage.accounts.isEmpty(), false);
  assert.deepEqual(await storage.accounts.find('ada'), ada);
  assert.deepEqual(await storage.accounts.findByName('name of ada'), ada);
  assert.deepEqual(await storage.accounts.findBySubject('https://issuer.example 1'), ada);
  assert.equal(await storage.accounts.find('eve'), undefined);
});

test('account storage: a name belongs to one account', async () => {
  assert.equal(await storage.accounts.insert({ ...account('eve'), nameKey: 'name of ada' }), false);
  assert.equal((await storage.accounts.list()).length, 1);
});

test('account storage: of two administrators who demote each other at once, one remains', async () => {
  await storage.accounts.insert(account('bob'));
  const outcomes = await Promise.all([
    storage.accounts.change('ada', { role: 'viewer' }, 'admin'),
    storage.accounts.change('bob', { disabledAt: at }, 'admin'),
  ]);
  assert.deepEqual(outcomes.sort(), ['changed', 'last of its role']);
  const active = (await storage.accounts.list()).filter(
    ({ role, disabledAt }) => role === 'admin' && !disabledAt,
  );
  assert.equal(active.length, 1);
  assert.equal(await storage.accounts.change('nobody', { role: 'viewer' }, 'admin'), 'unknown');
});

test('account storage: a session is found by its hash until it is ended, and its address is remembered', async () => {
  const session = {
    id: 's1',
    tokenHash: 'hash',
    accountId: 'ada',
    createdAt: at,
    lastSeenAt: at,
    expiresAt: later(1_000),
    address: '192.0.2.1',
    userAgent: 'a browser',
  };
  await storage.sessions.insert(session);
  assert.deepEqual(await storage.sessions.findByTokenHash('hash'), session);
  await storage.sessions.seen('s1', later(5));
  await storage.sessions.seen('s1', later(1));
  assert.deepEqual((await storage.sessions.ofAccount('ada'))[0]?.lastSeenAt, later(5));
  assert.equal(await storage.sessions.end('bob', 's1', at), false);
  assert.equal(await storage.sessions.end('ada', 's1', at), true);
  assert.equal(await storage.sessions.findByTokenHash('hash'), undefined);
  assert.deepEqual(await storage.sessions.addressesOf('ada', 10), ['192.0.2.1']);
  assert.deepEqual(await storage.sessions.addressesOf('bob', 10), []);
  await storage.sessions.prune(later(2_000));
  assert.deepEqual(await storage.sessions.addressesOf('ada', 10), []);
});

test('account storage: a link is taken once, and not after it has expired', async () => {
  const link = {
    id: 'l1',
    tokenHash: 'link hash',
    kind: 'invitation',
    role: 'member',
    note: 'for Grace',
    createdAt: at,
    createdBy: 'Ada',
    expiresAt: later(10),
  };
  await storage.links.insert(link);
  assert.deepEqual(await storage.links.find('link hash', at), link);
  assert.equal(await storage.links.take('link hash', later(10)), undefined);
  const taken = await Promise.all([
    storage.links.take('link hash', at),
    storage.links.take('link hash', at),
  ]);
  assert.equal(taken.filter((one) => one !== undefined).length, 1);
});

test('audit storage: newest first, filtered, in pages', async () => {
  for (let i = 0; i < 4; i++) {
    const entry = {
      id: `00${i}`,
      at: later(i),
      actor: 'Ada',
      targetKind: 'key',
      targetId: `k${i % 2}`,
    };
    await storage.audit.add({ ...entry, action: 'key.created', details: { tier: 'free' } });
  }
  const ids = async (filter: object, limit = 10) =>
    (await storage.audit.list(filter, limit)).map(({ id }) => id);
  assert.deepEqual(await ids({}), ['003', '002', '001', '000']);
  assert.deepEqual(await ids({ targetId: 'k1' }), ['003', '001']);
  assert.deepEqual(await ids({ before: '002' }, 1), ['001']);
  assert.deepEqual(await ids({ action: 'key.revoked' }), []);
  assert.deepEqual((await storage.audit.list({}, 1))[0]?.details, { tier: 'free' });
});

test('traffic storage: what processes add to an hour is summed', async () => {
  const row = { hour: 3_600_000, counter: 'requests ip 200', count: 2 };
  await Promise.all([
    storage.traffic.add(newBatch(), [row]),
    storage.traffic.add(newBatch(), [row, { ...row, counter: 'cache hit' }]),
  ]);
  assert.deepEqual(
    (await storage.traffic.since(0)).map(({ counter, count }) => [counter, count]).sort(),
    [
      ['cache hit', 2],
      ['requests ip 200', 4],
    ],
  );
  await storage.traffic.prune(7_200_000);
  assert.deepEqual(await storage.traffic.since(0), []);
});

test('usage storage: sums by key, endpoint and status, of all keys or of some', async () => {
  const row = { keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 3 };
  const rows = [
    row,
    { ...row, keyId: 'two', requests: 4 },
    { ...row, endpoint: 'asn', statusClass: 4, requests: 5 },
  ];
  await storage.usage.add(newBatch(), rows, new Map());
  const range = { from: '2026-11-14', to: '2026-11-15' };
  const sums = async (by: 'key' | 'endpoint' | 'status', keyIds?: string[]) =>
    (await storage.usage.sums({ ...range, ...(keyIds && { keyIds }) }, by))
      .map(({ group, requests }) => [group, requests])
      .sort();
  assert.deepEqual(await sums('key'), [
    ['one', 8],
    ['two', 4],
  ]);
  assert.deepEqual(await sums('endpoint', ['one']), [
    ['asn', 5],
    ['ip', 3],
  ]);
  assert.deepEqual(await sums('status'), [
    ['2', 7],
    ['4', 5],
  ]);
  assert.deepEqual(await sums('status', []), []);
});
