/**
 * A PostgreSQL for a benchmark, on a core of choice, that counts its statements and its processor
 * time.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { PostgresServer } from '@whence/testing/servers/postgres-server';
import pg from 'pg';

export type Statement = { readonly query: string; readonly calls: number };

export type BenchDatabase = {
  readonly url: string;
  /** Since the last call, the most frequent first, transaction control included. */
  statements(): Promise<Statement[]>;
  /** Processor time of the server and its backends so far, those that have ended included. */
  cpuSeconds(): number;
  query<Row>(sql: string): Promise<Row[]>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startDatabase({
  core,
  connections = 200,
}: {
  core?: number;
  connections?: number;
} = {}): Promise<BenchDatabase> {
  const server = await PostgresServer.startOwn([
    `max_connections=${connections}`,
    'shared_preload_libraries=pg_stat_statements',
    // A batch of statistics is another statement for every number of rows.
    'pg_stat_statements.max=20000',
    'shared_buffers=256MB',
  ]);
  const pin = () => {
    if (core !== undefined)
      spawnSync('taskset', ['-a', '-p', '-c', String(core), String(server.pid)]);
  };
  pin();
  const { url } = await server.createDatabase();
  const query = async <Row>(sql: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  await query('CREATE EXTENSION pg_stat_statements');
  return {
    url,
    query,
    async statements() {
      const rows = await query<{ query: string; calls: string }>(
        `SELECT query, sum(calls) AS calls FROM pg_stat_statements
         WHERE query NOT LIKE '%pg_stat_statements%' GROUP BY query ORDER BY sum(calls) DESC`,
      );
      await query('SELECT pg_stat_statements_reset()');
      return rows.map((row) => ({
        query: row.query.replace(/\s+/g, ' ').trim(),
        calls: Number(row.calls),
      }));
    },
    cpuSeconds: () => cpuSecondsOfTree(server.pid as number),
    async restart() {
      await server.halt('SIGINT');
      await server.resume();
      pin();
    },
    stop: () => server.stop(),
  };
}

export const sumOf = (statements: readonly Statement[]) =>
  statements.reduce((sum, { calls }) => sum + calls, 0);

const TICKS_PER_SECOND = 100;

/** A process, its children, and those of them that have ended. */
function cpuSecondsOfTree(pid: number): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      // proc(5): fields 4, 14 to 17 are parent, utime, stime, and both of children that were waited
      // for.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (entry !== String(pid) && fields[1] !== String(pid)) continue;
      ticks += Number(fields[11]) + Number(fields[12]);
      if (entry === String(pid)) ticks += Number(fields[13]) + Number(fields[14]);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks / TICKS_PER_SECOND;
}
