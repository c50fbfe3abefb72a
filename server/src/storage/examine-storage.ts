/** How a database is doing, for `whence storage check`: what is in it, how fast it answers, what is wrong with it. */

import { processesUsing } from './copy-storage.ts';
import type { Engine } from './engine.ts';
import { sql } from './kysely.ts';
import { maintenanceStore } from './maintenance-store.ts';
import { schemaState } from './migrations/migrate.ts';
import { TABLE_NAMES } from './tables.ts';

const QUESTIONS = 9;
/** Sessions and one-time links end by the clock of the machine that asks. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;

export type Examination = {
  readonly engine: string;
  readonly place: string;
  /** Steps of newer versions, with which this one can work. */
  readonly newerSteps: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  /** The median of some. */
  readonly answerMs: number;
  /** Its clock less the clock of this machine. */
  readonly clockDifferenceMs: number;
  readonly processes: readonly string[];
  readonly expiredLeases: number;
  /** Sentences; none if all is well. */
  readonly problems: readonly string[];
};

export async function examineStorage(engine: Engine, machineMs: () => number): Promise<Examination> {
  const { db, now, name, place } = engine;
  const problems: string[] = [];
  const { newer } = await schemaState(db, place);
  const rows: Record<string, number> = {};
  for (const table of TABLE_NAMES) {
    const result = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
    rows[table] = result.rows[0]?.count ?? 0;
  }
  const { answerMs, clockDifferenceMs } = await askTheTime(engine, machineMs);
  if (Math.abs(clockDifferenceMs) > MAX_CLOCK_DIFFERENCE_MS)
    problems.push(`the clocks of this machine and of the database differ by ${Math.round(clockDifferenceMs)} ms`);
  const expired = await db
    .selectFrom('leases')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('expires_at', '<', now)
    .executeTakeFirstOrThrow();
  if (name === 'SQLite') problems.push(...(await damages(engine)));
  await maintenanceStore(db)
    .probe()
    .catch((error: Error) => problems.push(`it cannot be written: ${error.message}`));
  return {
    engine: name,
    place,
    newerSteps: newer,
    rows,
    answerMs,
    clockDifferenceMs,
    processes: await processesUsing(engine),
    expiredLeases: expired.count,
    problems,
  };
}

async function askTheTime({ db, now }: Engine, machineMs: () => number) {
  const answers: { ms: number; difference: number }[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    const [startedMs, askedAt] = [performance.now(), machineMs()];
    const { rows } = await sql<{ now: number }>`select ${now} as now`.execute(db);
    const ms = performance.now() - startedMs;
    answers.push({ ms, difference: (rows[0]?.now ?? 0) - (askedAt + ms / 2) });
  }
  answers.sort((a, b) => a.ms - b.ms);
  const median = answers[(QUESTIONS - 1) / 2] as (typeof answers)[number];
  // The quickest answer tells the time best.
  return { answerMs: median.ms, clockDifferenceMs: answers[0]?.difference ?? 0 };
}

async function damages({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check`.execute(db);
  return rows.map(({ quick_check }) => quick_check).filter((line) => line !== 'ok');
}
