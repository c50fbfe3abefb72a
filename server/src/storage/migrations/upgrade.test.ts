/**
 * An upgrade in which replicas of two versions share a database: expand first, contract in a later
 * release.
 */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { type Kysely, type Migration, sql } from 'kysely';
import { testEngines } from '../../test/storage/engines.ts';
import { openEngine, openStorage } from '../open-storage.ts';
import { migrate, migrations, schemaState } from './migrate.ts';

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
    await sql`update compatibility set oldest_program = '9001-expand'`.execute(db);
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
      (await restarted.leases.take(lease, { wanted: 5, limit: 9, spent: 0, opened: 0, open: 5 }))
        .granted,
      5,
    );
    const { rows } = await sql<{
      id: string;
      colour: string;
    }>`select id, colour from keys order by id`.execute(next.db);
    assert.deepEqual(rows, [
      { id: 'one', colour: 'grey' },
      { id: 'two', colour: 'grey' },
    ]);
    assert.deepEqual((await schemaState(next.db, name)).newer, ['9001-expand']);
    await Promise.all([running.close(), restarted.close(), next.db.destroy()]);
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
      message:
        /was written by a newer version of whence \(its schema has 9001-expand, 9002-contract\)/,
    });
    await next.db.destroy();
  });

  test(`upgrade on ${name}: ten processes of the new version that start at once migrate once`, {
    skip,
  }, async () => {
    const location = await engine.newLocation();
    await (await openStorage(location)).close();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => openEngine(location, { waitMs: 60_000 })),
    );
    await Promise.all(all.map(({ db }) => migrate(db, NEXT)));
    for (const { db } of all) assert.deepEqual((await schemaState(db, name, NEXT)).pending, []);
    await Promise.all(all.map(({ db }) => db.destroy()));
  });
}
