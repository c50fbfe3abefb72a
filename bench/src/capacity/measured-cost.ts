/** What a piece of work cost the database. */
import type { BenchDatabase } from '../cluster/database.ts';
import { sumOf } from '../cluster/database.ts';
import { say } from '../report.ts';
import { countKinds, type Kind } from './statement-kinds.ts';

export type Cost = {
  readonly seconds: number;
  readonly statements: number;
  readonly kinds: Record<Kind, number>;
  readonly walBytes: number;
  /** Of PostgreSQL. */
  readonly cpuSeconds: number;
};

/** Prints the statements by kind. */
export async function measureCost<T>(
  database: BenchDatabase,
  work: () => Promise<T>,
): Promise<{ result: T; cost: Cost }> {
  const wal = async () => {
    const [row] = await database.query<{ at: string }>("SELECT pg_current_wal_lsn() - '0/0' AS at");
    return Number(row?.at);
  };
  await database.statements();
  const walBefore = await wal();
  const cpuBefore = database.cpuSeconds();
  const startMs = performance.now();
  const result = await work();
  const seconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = database.cpuSeconds() - cpuBefore;
  const statements = await database.statements();
  const walBytes = (await wal()) - walBefore;
  const kinds = countKinds(statements);
  for (const [kind, count] of Object.entries(kinds)) say(`  ${(count / seconds).toFixed(1).padStart(8)}/s  ${kind}`);
  return { result, cost: { seconds, statements: sumOf(statements), kinds, walBytes, cpuSeconds } };
}
