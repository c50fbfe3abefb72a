/**
 * How PostgreSQL reads usage, and which settings its hot tables have. A deployment with 100,000
 * keys a day has 120 million rows of 400 days: a range of 30 days must be read by its index.
 */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { NO_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { openStorage } from '../open-storage.ts';
import type { Schema } from '../schema.ts';
import type { StatisticsChanges } from '../statistics-changes.ts';
import { usageStore } from '../stores/usage-store.ts';

const skip = NO_POSTGRES;
let postgres: PostgresServer;
let database: Awaited<ReturnType<PostgresServer['createDatabase']>>;
let pool: pg.Pool;

before(async () => {
  if (skip !== false) return;
  postgres = await PostgresServer.start();
  database = await postgres.createDatabase();
  await (await openStorage(database.url)).close();
  pool = new pg.Pool({ connectionString: database.url });
  await pool.query(`
    insert into usage (key_id, day, endpoint, status_class, requests)
    select 'key' || key, to_char(date '2026-11-15' - age, 'YYYY-MM-DD'), endpoint, 2, 1
    from generate_series(399, 0, -1) age, generate_series(1, 50) key, (values ('ip'), ('batch')) as e (endpoint)`);
  await pool.query('vacuum analyze usage');
});
after(async () => {
  await pool?.end();
  await database?.drop();
  await postgres?.stop();
});

const range = { from: '2026-10-17', to: '2026-11-15' };

for (const [behaviour, read] of [
  ['by endpoint', (usage: ReturnType<typeof usageStore>) => usage.sums(range, 'endpoint')],
  ['by status', (usage: ReturnType<typeof usageStore>) => usage.sums(range, 'status')],
  ['by key', (usage: ReturnType<typeof usageStore>) => usage.sums(range, 'key')],
  ['row by row', (usage: ReturnType<typeof usageStore>) => usage.rows(range)],
] as const)
  test(`usage: 30 of 400 days are read by an index, ${behaviour}`, { skip }, async () => {
    const statements: { sql: string; parameters: readonly unknown[] }[] = [];
    const db = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool }),
      log: (event) => {
        statements.push(event.query);
      },
    });
    await read(usageStore(db, {} as StatisticsChanges, db));
    assert.ok(statements.length > 0);
    for (const { sql, parameters } of statements) {
      const { rows } = await pool.query(`explain ${sql}`, [...parameters]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Cond: \(\(?day /, plan);
      assert.doesNotMatch(plan, /Seq Scan/, plan);
    }
  });

test('usage: a year is summed in statements of ten days, each day once', { skip }, async () => {
  let statements = 0;
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: () => {
      statements++;
    },
  });
  const sums = await usageStore(db, {} as StatisticsChanges, db).sums(
    { from: '2025-11-15', to: '2026-11-15' },
    'status',
  );
  assert.deepEqual([sums.length, statements], [366, 37]);
  assert.equal(new Set(sums.map(({ day }) => day)).size, 366);
});

test('autovacuum: tables that change continuously are cleaned before a fifth of them has changed', {
  skip,
}, async () => {
  const { rows } = await pool.query<{ relname: string; reloptions: string[] }>(
    `select relname, reloptions from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
     and reloptions is not null order by relname`,
  );
  assert.deepEqual(
    rows.map(({ relname }) => relname),
    ['key_hours', 'leases', 'processes', 'quota', 'usage', 'writers'],
  );
  for (const { relname, reloptions } of rows) {
    const share = reloptions
      .find((option) => option.startsWith('autovacuum_vacuum_scale_factor='))
      ?.split('=')[1];
    assert.ok(Number(share) <= 0.02, relname);
  }
});
