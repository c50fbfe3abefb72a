/**
 * `npm run bench -- capacity`: the code of keys, leases and statistics as 200 replicas with 100,000
 * keys on a real PostgreSQL. Prints what that costs the database, next to what docs/decisions/0054
 * says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadAverage, print } from '@whence/testing/console-report';
import { cpuSeconds } from '@whence/testing/pinned-processes';
import {
  MAX_SEED,
  newSeed,
  readOptions,
  untilInterrupted,
  wholeNumber,
} from '@whence/testing/script';
import { percentile } from '@whence/testing/statistics';
import { type Kind, measureCost } from './capacity/measured-cost.ts';
import { Simulation } from './capacity/simulation.ts';
import { type BenchDatabase, startDatabase } from './cluster/database.ts';
import { formatRows, limitRow, type Row } from './report.ts';

/** Clients keep connections: a key is used on some replicas, not on all. */
const REPLICAS_PER_KEY = 4;
const BUSY_KEYS = 100;
/** Busy keys are answered from memory most of the time. */
const BUSY_FACTOR = 20;
const PRO_LEASE = 250;
const LIMITED_KEYS = 5;
const FREE_LIMIT = 1_000;
const IDLE_SECONDS = 10;
const WARM_UP_SECONDS = 10;
/** Connections of one process: see the pool. */
const MAX_CONNECTIONS = 9;

type Settings = {
  readonly replicaCount: number;
  readonly keyCount: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly seed: number;
};

type Run = Settings & { readonly database: BenchDatabase; readonly simulation: Simulation };

export async function capacity(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['replicas', 'keys', 'seconds', 'per-second', 'seed']);
  const settings: Settings = {
    replicaCount: wholeNumber('replicas', options.replicas, 200, 1, 1_000),
    keyCount: wholeNumber('keys', options.keys, 100_000, 1_000, 1_000_000),
    seconds: wholeNumber('seconds', options.seconds, 20, 1, 3_600),
    perSecond: wholeNumber('per-second', options['per-second'], 400, 1, 1_000_000),
    seed: wholeNumber('seed', options.seed, newSeed(), 0, MAX_SEED),
  };
  print(
    `seed ${settings.seed}; ${loadAverage()}; ${settings.replicaCount} replicas, ${settings.keyCount} keys`,
  );
  const database = await startDatabase({
    connections: settings.replicaCount * MAX_CONNECTIONS + 20,
  });
  const simulation = new Simulation();
  try {
    const run = { ...settings, database, simulation };
    const rows = await Promise.race([measureAll(run), simulation.failed, untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await simulation.stop();
    await database.stop();
  }
}

async function measureAll(run: Run): Promise<Row[]> {
  const { replicaCount, keyCount, database, simulation } = run;
  await simulation.perform({ kind: 'start', databaseUrl: database.url, replicas: 1 });
  await simulation.perform({ kind: 'insert keys', count: keyCount });
  await simulation.perform({
    kind: 'start',
    databaseUrl: database.url,
    replicas: replicaCount - 1,
  });
  const rows = [
    ...(await withoutRequests(run)),
    ...(await withManyKeys(run)),
    ...(await withBusyKeys(run)),
  ];
  print(`${LIMITED_KEYS} Free keys on all replicas until they are used up`);
  const admitted = await simulation.perform({ kind: 'use up', keys: LIMITED_KEYS });
  rows.push({
    measure: 'admitted of each Free key',
    ours: [...new Set(admitted)].join(', '),
    goal: `= ${FREE_LIMIT}`,
    isReached: admitted.every((count) => count === FREE_LIMIT),
  });
  const failures = await simulation.perform({ kind: 'failures' });
  for (const [message, count] of failures) print(`  failed ${count} times: ${message}`);
  rows.push(
    limitRow(
      'requests that failed',
      failures.reduce((sum, [, count]) => sum + count, 0),
      0,
      '',
    ),
  );
  return rows;
}

async function withoutRequests({ database, replicaCount }: Run): Promise<Row[]> {
  print(`no requests, ${IDLE_SECONDS} s`);
  const { cost } = await measureCost(database, () => sleep(IDLE_SECONDS * 1000));
  return [
    limitRow(
      'idle: statements per replica',
      cost.statements / cost.seconds / replicaCount,
      2,
      '/s',
    ),
  ];
}

async function withManyKeys(run: Run): Promise<Row[]> {
  const { database, simulation, replicaCount, perSecond, seconds, seed } = run;
  print(
    `many keys: ${perSecond} requests/s, popular keys get most, each on ${REPLICAS_PER_KEY} replicas`,
  );
  const task = { kind: 'many keys', replicasPerKey: REPLICAS_PER_KEY, perSecond } as const;
  await simulation.perform({ ...task, seed: seed + 1, seconds: WARM_UP_SECONDS });
  const cpuBefore = cpuSeconds(simulation.pid);
  const { result: offered, cost } = await measureCost(database, () =>
    simulation.perform({ ...task, seed, seconds }),
  );
  const usedCores = (cpuSeconds(simulation.pid) - cpuBefore) / cost.seconds;
  const { kinds } = cost;
  const { sent, waitsMs } = offered;
  const perReplica = (name: Kind) => kinds[name] / cost.seconds / replicaCount;
  const leases = kinds['taking leases'] + kinds['returning leases'];
  const [state] = await database.query<{ leases: string; connections: string }>(
    `SELECT (SELECT count(*) FROM leases) AS leases,
      (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'whence') AS connections`,
  );
  return [
    limitRow('many: requests', sent / cost.seconds, undefined, '/s'),
    limitRow('many: statements', cost.statements / cost.seconds, undefined, '/s'),
    limitRow('many: revision of keys, per replica', perReplica('revision of keys'), 20, '/s'),
    limitRow('many: recalls, per replica', perReplica('recalls'), 10.5, '/s'),
    limitRow('many: statistics, per replica', perReplica('statistics'), 6, '/s'),
    limitRow(
      'many: clock, renewal, reports, per replica',
      perReplica('clock, renewal, reports'),
      1,
      '/s',
    ),
    limitRow('many: lease statements per request', leases / sent, 2, ''),
    limitRow('many: 50th percentile of those that asked', percentile(waitsMs, 50), undefined, 'ms'),
    limitRow('many: 99th percentile of those that asked', percentile(waitsMs, 99), undefined, 'ms'),
    limitRow(
      'many: connections per replica',
      Number(state?.connections) / replicaCount,
      MAX_CONNECTIONS,
      '',
    ),
    limitRow('many: rows of leases', Number(state?.leases), undefined, ''),
    // Near 1 the process is busy all the time, and asks less than 200 processes would.
    limitRow('many: cores in use by all replicas', usedCores, 0.9, ''),
    limitRow(
      'PostgreSQL: processor time per statement',
      (cost.cpuSeconds / cost.statements) * 1e6,
      undefined,
      'µs',
    ),
    limitRow('PostgreSQL: WAL per lease statement', cost.walBytes / leases, undefined, 'bytes'),
  ];
}

async function withBusyKeys({ database, simulation, perSecond, seconds }: Run): Promise<Row[]> {
  const rate = perSecond * BUSY_FACTOR;
  print(`busy keys: ${rate} requests/s with ${BUSY_KEYS} Pro keys, each on one replica`);
  const task = { kind: 'busy keys', keys: BUSY_KEYS, perSecond: rate } as const;
  await simulation.perform({ ...task, seconds: WARM_UP_SECONDS / 2 });
  const { result: offered, cost } = await measureCost(database, () =>
    simulation.perform({ ...task, seconds }),
  );
  const leases = cost.kinds['taking leases'];
  return [
    limitRow('busy: requests', offered.sent / cost.seconds, undefined, '/s'),
    // A quarter more than what is spent: leases that were begun before and go on after.
    limitRow(
      'busy: leases per 1,000 requests',
      (leases / offered.sent) * 1000,
      1250 / PRO_LEASE,
      '',
    ),
  ];
}
