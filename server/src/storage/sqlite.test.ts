import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { openSqlite, sqliteStorage } from './sqlite.ts';
import type { StoredKey } from './storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-sqlite-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const key = (id: string): StoredKey => ({
  id,
  name: 'a "name"; DROP TABLE keys',
  hash: `hash of ${id}`,
  masked: 'whence_ab12…wxyz',
  permissions: ['ip:read', 'asn:read'],
  tier: 'pro',
  createdAt: new Date('2026-11-15T01:02:03.004Z'),
});

test('sqlite: a key comes back as it was put in', async () => {
  const storage = sqliteStorage(openSqlite(join(folder, 'a.sqlite')));
  await storage.insertKey(key('one'));
  assert.deepEqual(await storage.findKeyByHash('hash of one'), key('one'));
  assert.equal(await storage.findKeyByHash('hash of another'), undefined);
  await storage.close();
});

test('sqlite: revoking is permanent and tells by whom', async () => {
  const storage = sqliteStorage(openSqlite(join(folder, 'b.sqlite')));
  await storage.insertKey(key('one'));
  const at = new Date('2026-11-16T00:00:00Z');
  assert.equal(await storage.revokeKey('one', at, 'somebody'), 'revoked');
  assert.equal(await storage.revokeKey('one', new Date(), 'somebody else'), 'already revoked');
  assert.equal(await storage.revokeKey('two', at, 'somebody'), 'unknown');
  const [stored] = await storage.listKeys();
  assert.deepEqual([stored?.revokedAt, stored?.revokedBy], [at, 'somebody']);
  await storage.close();
});

test('sqlite: every connection sees that another has changed a key, and is not bothered by other writes', async () => {
  const path = join(folder, 'c.sqlite');
  const [ours, theirs] = [sqliteStorage(openSqlite(path)), sqliteStorage(openSqlite(path))];
  const first = await ours.keysRevision();
  await theirs.addUsage([{ keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 1 }], new Map());
  assert.equal(await ours.keysRevision(), first);
  await theirs.insertKey(key('one'));
  const second = await ours.keysRevision();
  assert.notEqual(second, first);
  await ours.revokeKey('one', new Date(), 'us');
  assert.notEqual(await ours.keysRevision(), second, 'our own change counts too');
  assert.equal(await ours.keysRevision(), await theirs.keysRevision());
  await ours.close();
  await theirs.close();
});

test('sqlite: usage adds up, and the last use never moves back', async () => {
  const storage = sqliteStorage(openSqlite(join(folder, 'd.sqlite')));
  await storage.insertKey(key('one'));
  const row = { keyId: 'one', day: '2026-11-15', endpoint: 'ip', statusClass: 2, requests: 3 };
  const late = new Date('2026-11-15T12:00:00Z');
  await storage.addUsage([row], new Map([['one', late]]));
  await storage.addUsage([row], new Map([['one', new Date('2026-11-15T11:00:00Z')]]));
  assert.deepEqual(await storage.usageOf('one'), [{ ...row, requests: 6 }]);
  assert.deepEqual((await storage.listKeys())[0]?.lastUsedAt, late);
  await storage.close();
});

test('sqlite: a file of a newer version is refused with a sentence, and left alone', () => {
  const path = join(folder, 'newer.sqlite');
  const database = openSqlite(path);
  database.pragma('user_version = 99');
  database.close();
  assert.throws(() => openSqlite(path), {
    name: 'StorageUnavailable',
    message: /newer\.sqlite was written by a newer version of whence \(schema 99, this version knows 2\)/,
  });
});

test('sqlite: opening twice migrates once', async () => {
  const path = join(folder, 'e.sqlite');
  const storage = sqliteStorage(openSqlite(path));
  await storage.insertKey(key('one'));
  await storage.close();
  const again = sqliteStorage(openSqlite(path));
  assert.equal((await again.listKeys()).length, 1);
  await again.close();
});
