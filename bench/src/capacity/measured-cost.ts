/**
 * What a task cost the database, with its statements by the lines of the table in
 * docs/decisions/0054.
 */
import { print } from '@whence/testing/console-report';
import { type BenchDatabase, type Statement, sumOf } from '../cluster/database.ts';

const KINDS = {
  'revision of keys': /^select "keys", \(select/,
  recalls: /from "recalls"|^select "recalls" from "revisions"/,
  'taking leases': /^with input as materialized/,
  'returning leases': /^with given/,
  statistics: /^insert into "(usage|writers|traffic)"|^with seen|^begin|^commit/,
  'keys not known': /from "keys" where/,
} as const;

export type Kind = keyof typeof KINDS | 'clock, renewal, reports';

type Cost = {
  readonly seconds: number;
  readonly statements: number;
  readonly kinds: Record<Kind, number>;
  readonly walBytes: number;
  /** Processor time of PostgreSQL. */
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
  for (const [kind, count] of Object.entries(kinds))
    print(`  ${(count / seconds).toFixed(1).padStart(8)}/s  ${kind}`);
  return { result, cost: { seconds, statements: sumOf(statements), kinds, walBytes, cpuSeconds } };
}

function countKinds(statements: readonly Statement[]): Record<Kind, number> {
  const counts = { 'clock, renewal, reports': 0 } as Record<Kind, number>;
  for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) counts[kind] = 0;
  for (const { query, calls } of statements) {
    const kind = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((name) =>
      KINDS[name].test(query),
    );
    counts[kind ?? 'clock, renewal, reports'] += calls;
  }
  return counts;
}
