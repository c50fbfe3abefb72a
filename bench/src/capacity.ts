/**
 * `npm run bench -- capacity`: the code of keys, leases and statistics as 200 replicas with 100,000 keys on a real
 * PostgreSQL. Prints what that costs the database, next to what docs/capacity.md says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@whence/testing/seeded-random';
import { hashSecret } from '../../server/dist/keys/secret.js';
import { insertKeys, type Secrets } from './capacity/key-rows.ts';
import { measureCost } from './capacity/measured-cost.ts';
import { offer } from './capacity/offered-load.ts';
import { SimulatedReplica } from './capacity/simulated-replica.ts';
import type { Kind } from './capacity/statement-kinds.ts';
import { useUp } from './capacity/used-up-keys.ts';
import { type BenchDatabase, startDatabase } from './cluster/database.ts';
import { untilInterrupted } from './interruption.ts';
import { formatRows, limitRow, load, type Row, say } from './report.ts';
import { MAX_SEED, newSeed, readOptions, wholeNumber } from './soak/script-options.ts';
import { percentile } from './statistics.ts';

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
const STARTED_AT_ONCE = 8;
/** Of one process: see the pool. */
const MAX_CONNECTIONS = 9;

type Settings = {
  readonly replicaCount: number;
  readonly keyCount: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly seed: number;
};

type Simulation = Settings & {
  readonly database: BenchDatabase;
  readonly keys: Secrets;
  readonly send: (secret: string, replica: number) => boolean | Promise<boolean>;
};

export async function capacity(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['replicas', 'keys', 'seconds', 'per-second', 'seed']);
  const settings: Settings = {
    replicaCount: wholeNumber('replicas', options.replicas, 200, 1, 1_000),
    keyCount: wholeNumber('keys', options.keys, 100_000, 1_000, 1_000_000),
    seconds: wholeNumber('seconds', options.seconds, 20, 1, 3_600),
    perSecond: wholeNumber('per-second', options['per-second'], 400, 1, 1_000_000),
    seed: wholeNumber('seed', options.seed, newSeed(), 0, MAX_SEED),
  };
  say(`seed ${settings.seed}; ${load()}; ${settings.replicaCount} replicas, ${settings.keyCount} keys`);
  const database = await startDatabase({ connections: settings.replicaCount * MAX_CONNECTIONS + 20 });
  const replicas: SimulatedReplica[] = [];
  try {
    const rows = await Promise.race([simulate(database, replicas, settings), untilInterrupted()]);
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop().catch(() => {})));
    await database.stop();
  }
}

/** Replicas are added to `replicas` as they start. */
async function simulate(database: BenchDatabase, replicas: SimulatedReplica[], settings: Settings): Promise<Row[]> {
  const { replicaCount, keyCount } = settings;
  // The first one makes the tables.
  replicas.push(await SimulatedReplica.start(database.url));
  const keys = await insertKeys(database.query, keyCount);
  const limited = keys.free.splice(-LIMITED_KEYS);
  while (replicas.length < replicaCount) {
    const more = Math.min(STARTED_AT_ONCE, replicaCount - replicas.length);
    replicas.push(...(await Promise.all(Array.from({ length: more }, () => SimulatedReplica.start(database.url)))));
  }
  const send = (secret: string, at: number) => {
    const replica = replicas[at % replicaCount] as SimulatedReplica;
    return replica.request(secret, replica.nowMs());
  };
  const simulation: Simulation = { ...settings, database, keys, send };
  const rows = [
    ...(await withoutRequests(simulation)),
    ...(await withManyKeys(simulation)),
    ...(await withBusyKeys(simulation)),
  ];
  say(`${LIMITED_KEYS} Free keys on all replicas until they are used up`);
  const admitted = await useUp(limited, replicaCount, send);
  rows.push({
    measure: 'admitted of each Free key',
    ours: [...new Set(admitted)].join(', '),
    goal: `= ${FREE_LIMIT}`,
    isReached: admitted.every((count) => count === FREE_LIMIT),
  });
  rows.push(limitRow('requests that failed', sumFailures(replicas), 0, ''));
  return rows;
}

async function withoutRequests({ database, replicaCount }: Simulation): Promise<Row[]> {
  say(`no requests, ${IDLE_SECONDS} s`);
  const { cost } = await measureCost(database, () => sleep(IDLE_SECONDS * 1000));
  return [limitRow('idle: statements per replica', cost.statements / cost.seconds / replicaCount, 2, '/s')];
}

async function withManyKeys(simulation: Simulation): Promise<Row[]> {
  const { database, keys, replicaCount, perSecond, seconds, seed, send } = simulation;
  say(`many keys: ${perSecond} requests/s, popular keys get most, each on ${REPLICAS_PER_KEY} replicas`);
  const random = seededRandom(seed);
  const request = () => {
    const from = random() < 0.3 ? keys.free : keys.pro;
    // The fourth power of a uniform number.
    const secret = from[Math.floor(random() ** 4 * from.length)] as string;
    return send(secret, firstReplica(secret) + Math.floor(random() * REPLICAS_PER_KEY));
  };
  await offer(perSecond, WARM_UP_SECONDS, request);
  const cpuBefore = process.cpuUsage();
  const { result: offered, cost } = await measureCost(database, () => offer(perSecond, seconds, request));
  const cpu = process.cpuUsage(cpuBefore);
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
    limitRow('many: clock, renewal, reports, per replica', perReplica('clock, renewal, reports'), 1, '/s'),
    limitRow('many: lease statements per request', leases / sent, 2, ''),
    limitRow('many: 50th percentile of those that asked', percentile(waitsMs, 50), undefined, 'ms'),
    limitRow('many: 99th percentile of those that asked', percentile(waitsMs, 99), undefined, 'ms'),
    limitRow('many: connections per replica', Number(state?.connections) / replicaCount, MAX_CONNECTIONS, ''),
    limitRow('many: rows of leases', Number(state?.leases), undefined, ''),
    // Near 1 the process is busy all the time, and asks less than 200 processes would.
    limitRow('many: cores in use by all replicas', (cpu.user + cpu.system) / 1e6 / cost.seconds, 0.9, ''),
    limitRow('PostgreSQL: processor time per statement', (cost.cpuSeconds / cost.statements) * 1e6, undefined, 'µs'),
    limitRow('PostgreSQL: WAL per lease statement', cost.walBytes / leases, undefined, 'bytes'),
  ];
}

async function withBusyKeys({ database, keys, perSecond, seconds, send }: Simulation): Promise<Row[]> {
  const rate = perSecond * BUSY_FACTOR;
  say(`busy keys: ${rate} requests/s with ${BUSY_KEYS} Pro keys, each on one replica`);
  let next = 0;
  const request = () => {
    const secret = keys.pro[next++ % BUSY_KEYS] as string;
    return send(secret, firstReplica(secret));
  };
  await offer(rate, WARM_UP_SECONDS / 2, request);
  const { result: offered, cost } = await measureCost(database, () => offer(rate, seconds, request));
  const leases = cost.kinds['taking leases'];
  return [
    limitRow('busy: requests', offered.sent / cost.seconds, undefined, '/s'),
    // A quarter more than what is spent: leases that were begun before and go on after.
    limitRow('busy: leases per 1,000 requests', (leases / offered.sent) * 1000, 1250 / PRO_LEASE, ''),
  ];
}

/** Prints the reasons. */
function sumFailures(replicas: readonly SimulatedReplica[]): number {
  const failures = new Map<string, number>();
  for (const replica of replicas)
    for (const [message, count] of replica.failures) failures.set(message, (failures.get(message) ?? 0) + count);
  for (const [message, count] of failures) say(`  failed ${count} times: ${message}`);
  return [...failures.values()].reduce((sum, count) => sum + count, 0);
}

const firstReplica = (secret: string) => Number.parseInt(hashSecret(secret).slice(0, 8), 16);
