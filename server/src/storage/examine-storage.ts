/** The state of a database for `wh storage check`: content, response time and problems. */

import { sql } from 'kysely';
import { processesUsing } from './copy-storage.ts';
import type { Engine } from './engine.ts';
import { schemaState } from './migrations/migrate.ts';
import { readReplication } from './postgres/replication.ts';
import { maintenanceStore } from './stores/maintenance-store.ts';
import { TABLE_NAMES } from './tables.ts';

const CLOCK_QUERIES = 9;
/** Larger tables are estimated: a count of ten million rows takes longer than a statement may. */
const COUNTED_ROWS = 100_000;
/** For an estimate. Tables that are counted to the end have fewer. */
const SAMPLED_PAGES = 100;
/** Sessions and one-time links expire by the clock of the server, not of the database. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;

/** As `--json` prints it. */
export type Examination = Awaited<ReturnType<typeof examineStorage>>;

export async function examineStorage(engine: Engine, machineMs: () => number) {
  const { db, now, name, place } = engine;
  const problems: string[] = [];
  const { newer } = await schemaState(db, place);
  const rows: Record<string, number> = {};
  const estimated: string[] = [];
  for (const table of TABLE_NAMES) {
    const { count, isEstimated } = await countRows(engine, table);
    if (isEstimated) estimated.push(table);
    rows[table] = count;
  }
  const { answerMs, clockDifferenceMs } = await measureClock(engine, machineMs);
  if (Math.abs(clockDifferenceMs) > MAX_CLOCK_DIFFERENCE_MS)
    problems.push(
      `the clocks of this machine and of the database differ by ${Math.round(clockDifferenceMs)} ms`,
    );
  const expired = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('expires_at', '<', now)
    .executeTakeFirstOrThrow();
  if (name === 'SQLite') problems.push(...(await integrityErrors(engine)));
  const replication = name === 'PostgreSQL' ? await readReplication(db) : undefined;
  if (replication?.synchronous_commit === 'off')
    problems.push(
      'synchronous_commit is off: after a crash of PostgreSQL, limits can be exceeded and revocations be lost',
    );
  await maintenanceStore(db)
    .probe()
    .catch((error: Error) => problems.push(`storage is not writable: ${error.message}`));
  return {
    engine: name,
    place,
    rows,
    /**
     * Tables whose rows are an estimate of the database, because counting them would take too long.
     */
    estimated,
    processes: await processesUsing(engine),
    problems,
    newer_steps: newer,
    /** Median over CLOCK_QUERIES queries. */
    answer_ms: Math.round(answerMs * 1000) / 1000,
    clock_difference_ms: Math.round(clockDifferenceMs),
    expired_leases: expired.count,
    ...(replication && { replication }),
  };
}

export async function countRows(
  engine: Engine,
  table: string,
): Promise<{ count: number; isEstimated: boolean }> {
  const counted = await countUpTo(engine, table, COUNTED_ROWS + 1);
  const isEstimated = counted > COUNTED_ROWS;
  return {
    count: isEstimated ? Math.max(counted, await estimateRows(engine, table)) : counted,
    isEstimated,
  };
}

async function countUpTo({ db }: Engine, table: string, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select 1 from ${sql.table(table)} limit ${sql.lit(limit)}) as counted`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/**
 * PostgreSQL: the rows of some pages, times the pages of the table or its partitions. SQLite has
 * the largest row id.
 */
async function estimateRows({ db, name }: Engine, table: string): Promise<number> {
  const estimate =
    name === 'PostgreSQL'
      ? sql<{ count: number }>`
        with parts as (select to_regclass(${table}) as part
            union all select inhrelid from pg_inherits where inhparent = to_regclass(${table})),
          size as (select sum(pg_relation_size(part)) / cast(current_setting('block_size') as integer) as pages from parts)
        select cast(max(pages) * count(*) / count(distinct (tableoid, (ctid::text::point)[0])) as bigint) as count
        from size, ${sql.table(table)} tablesample system (${sql.lit(100 * SAMPLED_PAGES)} / (select pages from size))`
      : sql<{ count: number }>`select max(rowid) as count from ${sql.table(table)}`;
  // A compatible service may have no pages: what was counted is the least that there are.
  const { rows } = await estimate.execute(db).catch(() => ({ rows: [] }));
  return rows[0]?.count ?? 0;
}

async function measureClock({ db, now }: Engine, machineMs: () => number) {
  const answers: { ms: number; difference: number }[] = [];
  for (let i = 0; i < CLOCK_QUERIES; i++) {
    const startedMs = performance.now();
    const sentAt = machineMs();
    const { rows } = await sql<{ now: number }>`select ${now} as now`.execute(db);
    const ms = performance.now() - startedMs;
    answers.push({ ms, difference: (rows[0]?.now ?? 0) - (sentAt + ms / 2) });
  }
  answers.sort((a, b) => a.ms - b.ms);
  const median = answers[(CLOCK_QUERIES - 1) / 2] as (typeof answers)[number];
  // The fastest query has the smallest error.
  return { answerMs: median.ms, clockDifferenceMs: answers[0]?.difference ?? 0 };
}

async function integrityErrors({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db);
  return rows.map(({ quick_check }) => quick_check).filter((line) => line !== 'ok');
}
