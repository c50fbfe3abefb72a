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
import { startDatabase, sumOf } from './cluster/database.ts';
import { admittedOverRestarts } from './cluster/exact-limit.ts';
import { useAll } from './cluster/free-keys.ts';
import { startReplica } from './cluster/replica-process.ts';
import { cpuSeconds, LOAD_CORE, missingRequirement, PinnedProcesses, SERVER_CORE } from './http/pinned-processes.ts';
import { runWrk } from './http/wrk.ts';
import { formatRows, limitRow, load, type Row, ratioRow, say } from './report.ts';
import { median } from './statistics.ts';

const ROUNDS = 7;
const WARM_UP_SECONDS = 4;
const SECONDS = 2;
const PRO_KEYS = 400;
const FREE_KEYS = 5_000;
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
    const onPostgres = (path: string) => ({
      WHENCE_DATA_DIR: path,
      WHENCE_DATABASE_URL: database.url,
      WHENCE_TRUST_PROXY: '127.0.0.1',
    });
    const addresses = save(
      'addresses',
      Array.from({ length: 10_000 }, (_, i) => `3.${i % 256}.${(i >> 8) % 256}.1`),
    );
    const proKeys = {
      sqlite: save('pro-sqlite', await createKeys(alone, 'pro', PRO_KEYS)),
      postgres: save('pro-postgres', await createKeys(database.url, 'pro', PRO_KEYS)),
    };
    const rows: Row[] = [];

    say(`${load()}; ${ROUNDS} rounds of ${SECONDS} s, servers on one core, load and PostgreSQL on the other`);
    const sqlite = await startReplica(processes, SERVER_CORE, { WHENCE_DATA_DIR: alone });
    const first = await startReplica(processes, SERVER_CORE, onPostgres(one));
    const run = (url: string, keys: string, seed: number, seconds = SECONDS) =>
      runWrk(
        processes,
        url,
        { script: 'ip-requests.lua', scriptArguments: [addresses, keys], connections: 32 },
        seconds,
        seed,
      );
    /** Requests per second of the server's own CPU time: what it would do with a core to itself. */
    const perCpuSecond = async (pid: number, work: () => Promise<{ requests: number }>) => {
      const before = cpuSeconds(pid);
      const { requests } = await work();
      return requests / (cpuSeconds(pid) - before);
    };
    const warmUp = (url: string, keys: string) => run(url, keys, 0, WARM_UP_SECONDS);
    await warmUp(sqlite.url, proKeys.sqlite);
    await warmUp(first.url, proKeys.postgres);
    const rates = { sqlite: [] as number[], postgres: [] as number[], cpu: [] as number[], sqliteCpu: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      rates.sqliteCpu.push(
        await perCpuSecond(sqlite.pid, async () => {
          const measured = await run(sqlite.url, proKeys.sqlite, round);
          rates.sqlite.push(measured.perSecond);
          return measured;
        }),
      );
      rates.cpu.push(
        await perCpuSecond(first.pid, async () => {
          const measured = await run(first.url, proKeys.postgres, round);
          rates.postgres.push(measured.perSecond);
          return measured;
        }),
      );
    }
    const ratios = rates.sqlite.map((rate, i) => (rates.postgres[i] as number) / rate);
    rows.push(
      ratioRow(
        'GET /v1/ip, Pro keys, PostgreSQL / SQLite',
        median(rates.postgres),
        median(rates.sqlite),
        0.95,
        median(ratios),
      ),
    );
    rows.push(ratioRow('the same, per second of their CPU time', median(rates.cpu), median(rates.sqliteCpu)));
    await sqlite.stop();

    const second = await startReplica(processes, LOAD_CORE, onPostgres(two));
    await warmUp(second.url, proKeys.postgres);
    const both: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b] = await Promise.all([
        perCpuSecond(first.pid, () => run(first.url, proKeys.postgres, round)),
        perCpuSecond(second.pid, () => run(second.url, proKeys.postgres, round + ROUNDS)),
      ]);
      both.push(a + b);
    }
    rows.push(ratioRow('two replicas / one, per second of their CPU time', median(both), median(rates.cpu), 1.7));

    say(`${FREE_KEYS} Free keys, each about once a second, over two replicas`);
    const freeKeys = await createKeys(database.url, 'free', FREE_KEYS);
    await useAll([first.url, second.url], freeKeys, 2);
    await database.statements();
    const startedMs = performance.now();
    const statuses = await useAll([first.url, second.url], freeKeys, 8);
    const seconds = (performance.now() - startedMs) / 1000;
    const statements = await database.statements();
    for (const { query, calls } of statements.slice(0, 8))
      say(`  ${(calls / seconds).toFixed(0)}/s  ${query.slice(0, 70)}`);
    for (const [status, count] of Object.entries(statuses))
      say(`  ${(count / seconds).toFixed(0)} answers/s with ${status}`);
    rows.push(limitRow('statements, 5,000 Free keys at once', sumOf(statements) / seconds, 2_000, '/s'));
    await Promise.all([first.stop(), second.stop()]);

    say('two replicas of two workers, each restarted under load, and the database');
    const [starter = ''] = await createKeys(database.url, 'starter', 1);
    const admitted = await admittedOverRestarts(
      processes,
      database,
      [onPostgres(one), onPostgres(two)],
      starter,
      STARTER_LIMIT,
    );
    rows.push({
      measure: 'admitted over restarts of every part',
      ours: String(admitted),
      goal: `= ${STARTER_LIMIT}`,
      isReached: admitted === STARTER_LIMIT,
    });
    say(formatRows(rows));
  } finally {
    await processes.close();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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
