/** An upgrade in which replicas of two versions share a database: expand first, contract in a later release. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { Kysely, Migration } from 'kysely';
import { testEngines } from '../../test/storage/engines.ts';
import { sql } from '../kysely.ts';
import { openEngine, openStorage } from '../open-storage.ts';
import { migrate, schemaState } from './migrate.ts';
import { migrations } from './migrations.ts';
import { requireStep } from './require-step.ts';

/** A step of the next release: adds a column, with a default for programs that do not know it. */
const expand: Migration = {
  up: (db: Kysely<unknown>) =>
    db.schema
      .alterTable('keys')
      .addColumn('colour', 'text', (column) => column.notNull().defaultTo('grey'))
      .execute(),
};

/** A step of the release after it, when no replica of this one runs any more. */
const contract: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('keys').dropColumn('masked').execute();
    await requireStep(db, '9001-expand');
  },
};

const NEXT = { ...migrations, '9001-expand': expand };
const AFTER_NEXT = { ...NEXT, '9002-contract': contract };

const key = (id: string) => ({
  id,
  name: 'a key',
  hash: `hash of ${id}`,
  masked: 'whence_ab12…wxyz',
  permissions: ['ip:read'],
  tier: 'free',
  createdAt: new Date('2026-11-15T00:00:00Z'),
});

for (const engine of testEngines()) {
  const { name, skip } = engine;
  after(() => engine.close());

  test(`upgrade on ${name}: this version runs on while the next one expands the schema, and can be started again`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const running = await openStorage(location);
    const next = await openEngine(location);
    await migrate(next.db, NEXT);
    await running.keys.insert(key('one'));
    const restarted = await openStorage(location);
    await restarted.keys.insert(key('two'));
    const lease = { keyId: 'one', day: '2026-11-15', owner: 'us.1' };
    assert.equal(
      (await restarted.leases.take(lease, { wanted: 5, limit: 9, spent: 0, opened: 0, open: 5 })).granted,
      5,
    );
    const { rows } = await sql<{ id: string; colour: string }>`select id, colour from keys order by id`.execute(
      next.db,
    );
    assert.deepEqual(rows, [
      { id: 'one', colour: 'grey' },
      { id: 'two', colour: 'grey' },
    ]);
    assert.deepEqual((await schemaState(next.db, name)).newer, ['9001-expand']);
    await Promise.all([running.close(), restarted.close(), next.db.destroy()]);
  });

  test(`upgrade on ${name}: keys that an older version creates and revokes are counted, listed and found`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const before = await openEngine(location);
    // The statements of versions before step 0008, which know neither its columns nor its tables.
    const insert = (id: string, keyName: string, owner: string | null) =>
      sql`insert into keys (id, name, hash, masked, permissions, tier, created_at, owner_id) values
        (${id}, ${keyName}, ${`hash of ${id}`}, ${'whence_ab12…wxyz'}, 'ip:read asn:read', 'pro', 1, ${owner})`.execute(
        before.db,
      );
    await insert('one', 'Key 10', null);
    await insert('two', 'key 9', 'ada');
    await insert('three', 'other', 'ada');
    await sql`update keys set last_used_at = 5 where id = 'one'`.execute(before.db);
    await sql`update keys set revoked_at = 2, revoked_by = 'test' where id in ('two', 'three')`.execute(before.db);
    const storage = await openStorage(location);
    const counts = async (owner?: string) =>
      (await storage.keyList.facets(new Date(), owner)).map(({ facet, keys }) => [facet, keys]).sort();
    const [active, revoked] = ['active pro ip:read asn:read', 'revoked pro ip:read asn:read'];
    assert.deepEqual(await counts(), [
      [active, 1],
      [revoked, 2],
    ]);
    assert.deepEqual(await counts('ada'), [[revoked, 2]]);
    const byName = { sort: 'name', order: 'asc', limit: 10 } as const;
    const ids = (keys: readonly { key: { id: string } }[]) => keys.map(({ key: { id } }) => id);
    assert.deepEqual(ids(await storage.keyList.page(byName)), ['two', 'one', 'three']);
    const search = { text: 'KEY', owners: [] };
    assert.equal(await storage.keyList.countMatches(search, 10), 2);
    assert.deepEqual(ids((await storage.keyList.pageOfMatches(search, byName)).keys), ['two', 'one']);
    const byUse = { ...byName, sort: 'last_used_at', order: 'desc', facets: [active] } as const;
    assert.deepEqual(ids(await storage.keyList.page(byUse)), ['one']);
    await sql`delete from keys where id = 'three'`.execute(before.db);
    assert.deepEqual(await counts('ada'), [[revoked, 1]]);
    await Promise.all([storage.close(), before.db.destroy()]);
  });

  test(`upgrade on ${name}: once the schema is contracted, this version refuses it with a sentence`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    const next = await openEngine(location);
    await migrate(next.db, AFTER_NEXT);
    assert.deepEqual(await schemaState(next.db, name, NEXT), {
      isEmpty: false,
      pending: [],
      newer: ['9002-contract'],
    });
    await assert.rejects(openStorage(location), {
      name: 'StorageUnavailable',
      message: /was written by a newer version of whence \(its schema has 9001-expand, 9002-contract\)/,
    });
    await next.db.destroy();
  });

  test(`upgrade on ${name}: ten processes of the new version that start at once migrate once`, { skip }, async () => {
    const location = await engine.newLocation();
    await (await openStorage(location)).close();
    const all = await Promise.all(Array.from({ length: 10 }, () => openEngine(location)));
    await Promise.all(all.map(({ db }) => migrate(db, NEXT)));
    for (const { db } of all) assert.deepEqual((await schemaState(db, name, NEXT)).pending, []);
    await Promise.all(all.map(({ db }) => db.destroy()));
  });
}
