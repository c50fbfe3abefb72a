/** `npm run bench -- cluster`: replicas on PostgreSQL compared with one on SQLite, and what they cost the database. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish } from '@whence/dataset/publish';
import { sampleContent } from '@whence/dataset/sample-dataset';
import { Keys } from '../../server/dist/keys/keys.js';
import { PERMISSIONS, type Tier } from '../../server/dist/keys/tiers.js';
import { openStorage } from '../../server/dist/storage/open-storage.js';
import { SAMPLE } from '../../server/dist/test/test-server.js';
import { type BenchDatabase, startDatabase, sumOf } from './cluster/database.ts';
import { admittedOverRestarts } from './cluster/exact-limit.ts';
import { useAll } from './cluster/free-keys.ts';
import { compareLookups } from './cluster/lookup-rounds.ts';
import { type ReplicaProcess, startReplica } from './cluster/replica-process.ts';
import { LOAD_CORE, missingRequirement, PinnedProcesses, SERVER_CORE } from './http/pinned-processes.ts';
import { untilInterrupted } from './interruption.ts';
import { formatRows, limitRow, load, type Row, say } from './report.ts';

/** As many as their daily limits need for a run. */
const PRO_KEYS = 100;
const FREE_KEYS = 5_000;
/** How often each Free key is used, once a second, while statements are counted. */
const FREE_TIMES = 10;
const STARTER_LIMIT = 10_000;
const LOAD_CORE_NUMBER = 1;

export async function cluster(): Promise<void> {
  const missing = missingRequirement();
  if (missing !== undefined) {
    say(missing);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-cluster-'));
  const processes = new PinnedProcesses();
  const database = await startDatabase({ core: LOAD_CORE_NUMBER });
  try {
    say(`${load()} at the start`);
    const rows = await Promise.race([measureAll(processes, database, folder), untilInterrupted()]);
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(processes: PinnedProcesses, database: BenchDatabase, folder: string): Promise<Row[]> {
  const dataDir = (name: string) => {
    const path = join(folder, name);
    mkdirSync(path);
    publish(path, sampleContent(SAMPLE), new Date());
    return path;
  };
  const save = (name: string, lines: readonly string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };
  const [alone, one, two] = [dataDir('sqlite'), dataDir('one'), dataDir('two')];
  const settings = (path: string) => ({ WHENCE_DATA_DIR: path, WHENCE_TRUST_PROXY: '127.0.0.1' });
  const onPostgres = (path: string) => ({ ...settings(path), WHENCE_DATABASE_URL: database.url });

  say('lookups: servers on one core, load generator and PostgreSQL on the other; the second replica there too');
  const proSqlite = await createKeys(alone, 'pro', PRO_KEYS);
  const proPostgres = await createKeys(database.url, 'pro', PRO_KEYS);
  const sqlite = await startReplica(processes, SERVER_CORE, settings(alone));
  const first = await startReplica(processes, SERVER_CORE, onPostgres(one));
  const second = await startReplica(processes, LOAD_CORE, onPostgres(two));
  // From an address each: the load generator has one, and secrets that one address tries are throttled.
  await useAll([sqlite.url], proSqlite, 1);
  for (const { url } of [first, second]) await useAll([url], proPostgres, 1);
  const addresses = Array.from({ length: 10_000 }, (_, i) => `3.${i % 256}.${(i >> 8) % 256}.1`);
  const rows = await compareLookups(processes, database, {
    sqlite,
    replicas: [first, second],
    addresses: save('addresses', addresses),
    keys: { sqlite: save('pro-sqlite', proSqlite), postgres: save('pro-postgres', proPostgres) },
  });
  await sqlite.stop();

  rows.push(...(await countStatements(database, [first, second])));
  await Promise.all([first.stop(), second.stop()]);

  say('two replicas of two workers, each restarted under load, and the database');
  const [starter = ''] = await createKeys(database.url, 'starter', 1);
  const replicas = [onPostgres(one), onPostgres(two)];
  const admitted = await admittedOverRestarts(processes, database, replicas, starter, STARTER_LIMIT);
  rows.push({
    measure: 'admitted over restarts of every part',
    ours: String(admitted),
    goal: `= ${STARTER_LIMIT}`,
    isReached: admitted === STARTER_LIMIT,
  });
  return rows;
}

async function countStatements(database: BenchDatabase, replicas: readonly ReplicaProcess[]): Promise<Row[]> {
  say(`${FREE_KEYS} Free keys, each about once a second, over two replicas`);
  const urls = replicas.map(({ url }) => url);
  const keys = await createKeys(database.url, 'free', FREE_KEYS);
  await useAll(urls, keys, 1);
  await database.statements();
  const { seconds, statuses } = await useAll(urls, keys, FREE_TIMES);
  const statements = await database.statements();
  for (const { query, calls } of statements.slice(0, 8))
    say(`  ${(calls / seconds).toFixed(0)}/s  ${query.slice(0, 70)}`);
  for (const [status, count] of Object.entries(statuses))
    say(`  ${(count / seconds).toFixed(0)} answers/s with ${status}`);
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

async function createKeys(location: string, tier: Tier, count: number): Promise<string[]> {
  const storage = await openStorage(location);
  try {
    const keys = new Keys(storage.keys);
    const secrets: string[] = [];
    for (let i = 0; i < count; i++)
      secrets.push((await keys.create({ name: `${tier} ${i}`, tier, permissions: PERMISSIONS }, new Date())).secret);
    return secrets;
  } finally {
    await storage.close();
  }
}
