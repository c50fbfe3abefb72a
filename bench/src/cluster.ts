/**
 * `npm run bench -- cluster`: replicas on PostgreSQL compared with one on SQLite, and what they
 * cost the database.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { loadAverage, print } from '@whence/testing/console-report';
import {
  ANY_CORE,
  LOAD_CORE,
  missingRequirement,
  PinnedProcesses,
  SERVER_CORE,
} from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { createKeys, type Server, startWhence } from '@whence/testing/whence-program';
import { type BenchDatabase, startDatabase, sumOf } from './cluster/database.ts';
import { admittedOverRestarts } from './cluster/exact-limit.ts';
import { useAll } from './cluster/free-keys.ts';
import { compareLookups } from './cluster/lookup-rounds.ts';
import { formatRows, limitRow, type Row } from './report.ts';

/** As many as their daily limits need for a run. */
const PRO_KEYS = 100;
const FREE_KEYS = 5_000;
/** How often each Free key is used, once a second, while statements are counted. */
const FREE_TIMES = 10;
const STARTER_LIMIT = 10_000;
const LOAD_CORE_NUMBER = 1;
const QUIET = {
  WHENCE_LOG_LEVEL: 'fatal',
  WHENCE_FIRST_KEY: 'off',
  WHENCE_TRUST_PROXY: '127.0.0.1',
};
/** The addresses that are looked up. */
const ROUTES = [
  ['3.0.0.0/8', 16509, 'Amazon.com, Inc.'],
  ['8.8.8.0/24', 15169, 'Google LLC'],
] as const;

export async function cluster(): Promise<void> {
  const missing = missingRequirement();
  if (missing !== undefined) {
    print(missing);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-cluster-'));
  const processes = new PinnedProcesses();
  const database = await startDatabase({ core: LOAD_CORE_NUMBER });
  try {
    print(`${loadAverage()} at the start`);
    const rows = await Promise.race([measureAll(processes, database, folder), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(
  processes: PinnedProcesses,
  database: BenchDatabase,
  folder: string,
): Promise<Row[]> {
  const dataDir = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    publish(path, sampleContent({ routes: ROUTES, countries: [] }), new Date());
    return path;
  };
  const save = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  const alone = dataDir('sqlite');
  const one = dataDir('one');
  const two = dataDir('two');
  const onPostgres = { ...QUIET, WHENCE_DATABASE_URL: database.url };

  print(
    'lookups: servers on one core, load generator and PostgreSQL on the other; the second replica there too',
  );
  const proSqlite = await createKeys(processes, alone, 'pro', PRO_KEYS);
  const proPostgres = await createKeys(processes, database.url, 'pro', PRO_KEYS);
  const sqlite = await startWhence(processes, alone, SERVER_CORE, QUIET);
  const first = await startWhence(processes, one, SERVER_CORE, onPostgres);
  const second = await startWhence(processes, two, LOAD_CORE, onPostgres);
  // From an address each: the load generator has one, and secrets that one address tries are
  // throttled.
  await useAll([sqlite.url], proSqlite, 1);
  for (const { url } of [first, second]) await useAll([url], proPostgres, 1);
  const targets = Array.from(
    { length: 10_000 },
    (_, i) => `/v1/ip/3.${i % 256}.${(i >> 8) % 256}.1`,
  );
  const rows = await compareLookups(processes, database, {
    sqlite,
    replicas: [first, second],
    targets: save('targets', targets),
    keys: { sqlite: save('pro-sqlite', proSqlite), postgres: save('pro-postgres', proPostgres) },
  });
  await sqlite.stop();

  rows.push(...(await countStatements(processes, database, [first, second])));
  await Promise.all([first.stop(), second.stop()]);

  print('two replicas of two workers, each restarted under load, and the database');
  const [starter = ''] = await createKeys(processes, database.url, 'starter', 1);
  const startReplica = (dataDir: string) =>
    startWhence(processes, dataDir, ANY_CORE, { ...onPostgres, WHENCE_WORKERS: '2' });
  const starts = [one, two].map((dataDir) => () => startReplica(dataDir));
  const admitted = await admittedOverRestarts(starts, database, starter, STARTER_LIMIT);
  rows.push({
    measure: 'admitted over restarts of every part',
    ours: String(admitted),
    goal: `= ${STARTER_LIMIT}`,
    isReached: admitted === STARTER_LIMIT,
  });
  return rows;
}

async function countStatements(
  processes: PinnedProcesses,
  database: BenchDatabase,
  replicas: readonly Server[],
): Promise<Row[]> {
  print(`${FREE_KEYS} Free keys, each about once a second, over two replicas`);
  const urls = replicas.map(({ url }) => url);
  const keys = await createKeys(processes, database.url, 'free', FREE_KEYS);
  await useAll(urls, keys, 1);
  await database.statements();
  const { seconds, statuses } = await useAll(urls, keys, FREE_TIMES);
  const statements = await database.statements();
  for (const { query, calls } of statements.slice(0, 8))
    print(`  ${(calls / seconds).toFixed(0)}/s  ${query.slice(0, 70)}`);
  for (const [status, count] of Object.entries(statuses))
    print(`  ${(count / seconds).toFixed(0)} answers/s with ${status}`);
  const rate = (FREE_KEYS * FREE_TIMES) / seconds;
  const failed = FREE_KEYS * FREE_TIMES - (statuses[200] ?? 0);
  return [
    // On a machine that is slower, keys go idle between two requests, and statements say little.
    {
      measure: '5,000 Free keys: requests',
      ours: `${rate.toFixed(0)} /s`,
      goal: `≥ ${FREE_KEYS * 0.9} /s`,
      isReached: rate >= FREE_KEYS * 0.9,
    },
    limitRow('5,000 Free keys: statements', sumOf(statements) / seconds, 2_000, '/s'),
    limitRow('5,000 Free keys: not answered with 200', failed, 0, ''),
  ];
}
