/** What holds for the file of the embedded engine. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after } from 'node:test';
import { DatabaseSync } from '@photostructure/sqlite';
import { storedKey } from '../../test/storage/stored-key.ts';
import { openStorage } from '../open-storage.ts';
import type { Storage } from '../storage.ts';
import type { KeyStore } from '../stores/key-store.ts';

const root = mkdtempSync(join(tmpdir(), 'whence-storage-'));
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => join(root, String(++folders));
const file = (folder: string) => join(folder, 'whence.sqlite');

async function withStorage(
  folder: string,
  work: (storage: Storage) => Promise<unknown>,
): Promise<void> {
  const storage = await openStorage(folder);
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

const LEASE = { keyId: 'one', day: '2026-11-15', owner: 'us.1' };

test('sqlite: a file of a newer version is refused with a message and not changed', async () => {
  const folder = newFolder();
  await withStorage(folder, async () => {});
  const database = new DatabaseSync(file(folder));
  database.exec(`INSERT INTO whence_migration VALUES ('9999-from-the-future', '');
    UPDATE compatibility SET oldest_program = '9999-from-the-future'`);
  database.close();
  await assert.rejects(openStorage(folder), {
    name: 'StorageUnavailable',
    message:
      /whence\.sqlite was written by a newer version of whence \(its schema has 9999-from-the-future\)/,
  });
});

test('sqlite: opening a database that is up to date writes nothing', async () => {
  const folder = newFolder();
  await withStorage(folder, ({ keys }) => keys.insert(storedKey('one')));
  const before = statSync(file(folder), { bigint: true });
  const storage = await openStorage(folder, { mustExist: true });
  assert.equal((await storage.keys.list()).length, 1);
  await storage.close();
  const { mtimeNs, size } = statSync(file(folder), { bigint: true });
  assert.deepEqual([mtimeNs, size], [before.mtimeNs, before.size]);
});

test('sqlite: opening a missing database with mustExist creates nothing and reports it', async () => {
  const folder = newFolder();
  await assert.rejects(openStorage(folder, { mustExist: true }), {
    name: 'StorageUnavailable',
    message: `there is no database in ${dirname(file(folder))}`,
  });
  assert.deepEqual(readdirSync(root).includes(String(folders)), false);
});

test('sqlite: the data folder and the database are accessible to their owner only', async () => {
  const folder = newFolder();
  await withStorage(folder, async ({ keys }) => {
    await keys.insert(storedKey('one'));
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  });
});

test('sqlite: reads and other work of the process continue while another process holds the write lock', async () => {
  const folder = newFolder();
  await withStorage(folder, async ({ keys, leases }) => {
    await keys.insert(storedKey('one'));
    const other = new DatabaseSync(file(folder));
    other.exec('BEGIN IMMEDIATE');
    let isRefused = false;
    const refused = assert
      .rejects(leases.take(LEASE, { wanted: 1, limit: 10, spent: 0, opened: 0, open: 1 }), {
        name: 'StorageUnavailable',
        message: /locked by another process/,
      })
      .finally(() => {
        isRefused = true;
      });
    await keys.changes('');
    assert.equal(isRefused, false, 'the read did not wait for the write before it');
    await refused;
    other.exec('ROLLBACK');
    other.close();
    await leases.take(LEASE, { wanted: 1, limit: 10, spent: 0, opened: 0, open: 1 });
  });
});

test('sqlite: after a checkpoint the keys of the database are the same', async () => {
  const folder = newFolder();
  await withStorage(folder, async ({ keys }) => {
    await keys.insert(storedKey('one'));
    const revision = (await keys.changes('')).revision;
    const other = new DatabaseSync(file(folder));
    const before = statSync(file(folder)).mtimeMs;
    other.exec('pragma wal_checkpoint(truncate)');
    other.close();
    assert.notEqual(statSync(file(folder)).mtimeMs, before);
    assert.equal((await keys.changes('')).revision, revision);
    assert.deepEqual((await keys.changes(revision)).changed, []);
    await keys.insert(storedKey('two'));
    assert.deepEqual((await keys.changes(revision)).changed, ['hash of two']);
  });
});

for (const [behaviour, changeThere, changeHere] of [
  ['by none', async () => {}, (keys: KeyStore) => keys.insert(storedKey('three'))],
  [
    'by another key',
    (keys: KeyStore) => keys.insert(storedKey('two')),
    (keys: KeyStore) => keys.insert(storedKey('three')),
  ],
  [
    'by another change of the same key',
    (keys: KeyStore) => keys.change('one', () => ({ pausedAt: new Date() })),
    (keys: KeyStore) => keys.change('one', () => ({ tier: 'pro' })),
  ],
] as const) {
  test(`sqlite: a copy that was changed separately, ${behaviour}, is a different database, whatever its number of changes`, async () => {
    const folder = newFolder();
    const restored = newFolder();
    await withStorage(folder, ({ keys }) => keys.insert(storedKey('one')));
    cpSync(folder, restored, { recursive: true });
    await withStorage(restored, async ({ keys }) => void (await changeThere(keys)));
    await withStorage(folder, async ({ keys }) => {
      await changeHere(keys);
      const revision = (await keys.changes('')).revision;
      for (const suffix of ['-wal', '-shm']) rmSync(file(folder) + suffix, { force: true });
      copyFileSync(file(restored), file(folder));
      assert.notEqual((await keys.changes('')).revision, revision);
      const { changed, isReplaced } = await keys.changes(revision);
      assert.deepEqual([changed, isReplaced], [undefined, true]);
    });
  });
}

test('sqlite: a read that meets a damaged page says that the file is damaged', async () => {
  const folder = newFolder();
  await withStorage(folder, ({ keys }) => keys.insert(storedKey('one')));
  const database = new DatabaseSync(file(folder));
  const { page_size: pageSize } = database.prepare('pragma page_size').get();
  const pages = database
    .prepare("select rootpage from sqlite_schema where tbl_name = 'keys' and rootpage > 0")
    .all();
  database.close();
  const bytes = readFileSync(file(folder));
  for (const { rootpage } of pages)
    bytes.fill(0xff, (rootpage - 1) * pageSize, rootpage * pageSize);
  writeFileSync(file(folder), bytes);
  await withStorage(folder, ({ keys }) =>
    assert.rejects(keys.findByHash('hash of one'), {
      message: /damaged: restore a backup, .* \(SQLITE_CORRUPT\)$/,
    }),
  );
});

test('sqlite: a process that asks again after 10,001 changes forgets all keys, and takes the database for the same', async () => {
  const folder = newFolder();
  await withStorage(folder, async ({ keys }) => {
    await keys.insert(storedKey('one'));
    const { revision } = await keys.changes('');
    const other = new DatabaseSync(file(folder));
    other.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
      INSERT INTO key_changes SELECT 1 + i, 'token ' || i FROM n; UPDATE revisions SET keys = 10002`);
    other.close();
    const { changed, isReplaced } = await keys.changes(revision);
    assert.deepEqual([changed, isReplaced], [undefined, false]);
  });
});

test('sqlite: a deleted database that is made anew is another one', async () => {
  const folder = newFolder();
  await withStorage(folder, async ({ keys }) => {
    await keys.insert(storedKey('one'));
    const { revision } = await keys.changes('');
    for (const suffix of ['', '-wal', '-shm']) rmSync(file(folder) + suffix, { force: true });
    await assert.rejects(keys.changes(revision), { name: 'StorageUnavailable' });
    await withStorage(folder, (made) => made.keys.insert(storedKey('two')));
    assert.equal((await keys.changes(revision)).isReplaced, true);
  });
});

for (const [behaviour, replace] of [
  ['moved into its place', (backup: string, folder: string) => renameSync(backup, file(folder))],
  ['copied over it', (backup: string, folder: string) => copyFileSync(backup, file(folder))],
] as const) {
  test(`sqlite: a database that is ${behaviour} is noticed and opened`, async () => {
    const folder = newFolder();
    const restored = newFolder();
    await withStorage(restored, async ({ keys }) => {
      await keys.insert(storedKey('one'));
      await keys.revoke('one', new Date(), 'before the backup');
    });
    await withStorage(folder, async ({ keys }) => {
      await keys.insert(storedKey('one'));
      assert.equal((await keys.findByHash('hash of one'))?.revokedAt, undefined);
      const revision = (await keys.changes('')).revision;
      for (const suffix of ['-wal', '-shm']) rmSync(file(folder) + suffix, { force: true });
      replace(file(restored), folder);
      assert.equal((await keys.changes(revision)).isReplaced, true);
      assert.equal((await keys.findByHash('hash of one'))?.revokedBy, 'before the backup');
      assert.equal(
        await keys.revoke('one', new Date(), 'after it'),
        'already revoked',
        'writes see it too',
      );
    });
  });
}
