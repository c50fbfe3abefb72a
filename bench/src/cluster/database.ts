/** A PostgreSQL for a benchmark: on the core of the load generator, counting statements. */
import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { PostgresServer } from '../../../server/dist/test/postgres-server.js';

export type BenchDatabase = {
  readonly url: string;
  /** Statements since the last call, transaction control included. */
  statements(): Promise<number>;
  /** The most frequent ones since the last call of `statements`. */
  frequent(): Promise<{ query: string; calls: number }[]>;
  query<Row>(sql: string): Promise<Row[]>;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

export async function startDatabase({ core, connections = 200 }: { core?: number; connections?: number } = {}) {
  const server = await PostgresServer.startOwn([
    `max_connections=${connections}`,
    'shared_preload_libraries=pg_stat_statements',
    'shared_buffers=256MB',
  ]);
  const pin = () => {
    if (core !== undefined) spawnSync('taskset', ['-a', '-p', '-c', String(core), String(server.pid)]);
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
  const database: BenchDatabase = {
    url,
    query,
    async statements() {
      const [row] = await query<{ calls: string }>('SELECT sum(calls) AS calls FROM pg_stat_statements');
      await query('SELECT pg_stat_statements_reset()');
      return Number(row?.calls ?? 0);
    },
    async frequent() {
      const rows = await query<{ query: string; calls: string }>(
        'SELECT query, calls FROM pg_stat_statements ORDER BY calls DESC LIMIT 8',
      );
      return rows.map((row) => ({
        query: row.query.replace(/\s+/g, ' ').trim().slice(0, 70),
        calls: Number(row.calls),
      }));
    },
    async restart() {
      await server.halt('SIGINT');
      await server.resume();
      pin();
    },
    stop: () => server.stop(),
  };
  return database;
}
