/**
 * `npm run bench -- capacity`: the lease and vouching code of the server as 200 replicas with 100,000 keys on a real
 * PostgreSQL. Prints how many statements that costs, next to what docs/capacity.md says.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@whence/testing/seeded-random';
import { hashSecret, makeSecret, maskSecret } from '../../server/dist/keys/secret.js';
import { openStorage } from '../../server/dist/storage/open-storage.js';
import type { Storage } from '../../server/dist/storage/storage.js';
import { SimulatedReplica } from './capacity/simulated-replica.ts';
import { startDatabase } from './cluster/database.ts';
import { formatRows, limitRow, load, type Row, say } from './report.ts';
import { MAX_SEED, newSeed, readOptions, wholeNumber } from './soak/script-options.ts';
import { percentile } from './statistics.ts';

/** Pools that the replicas share: a process of the benchmark cannot have 200 times 9 connections. */
const POOLS = 8;
const LIMITED_KEYS = 5;
const REPLICAS_PER_KEY = 4;
const FREE_LIMIT = 1_000;
const WARM_UP_MS = 15_000;

export async function capacity(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['replicas', 'keys', 'seconds', 'per-second', 'seed']);
  const replicaCount = wholeNumber('replicas', options.replicas, 200, 1, 1_000);
  const keyCount = wholeNumber('keys', options.keys, 100_000, 100, 1_000_000);
  const seconds = wholeNumber('seconds', options.seconds, 20, 1, 3_600);
  const perSecond = wholeNumber('per-second', options['per-second'], 2_000, 1, 1_000_000);
  const seed = wholeNumber('seed', options.seed, newSeed(), 0, MAX_SEED);
  const random = seededRandom(seed);
  const database = await startDatabase();
  const storages: Storage[] = [];
  const replicas: SimulatedReplica[] = [];
  try {
    say(`seed ${seed}; ${load()}; ${replicaCount} replicas, ${keyCount} keys, ${perSecond} requests/s`);
    for (let i = 0; i < POOLS; i++) storages.push(await openStorage(database.url));
    const keys = await insertKeys(database.query, keyCount);
    for (let i = 0; i < replicaCount; i++) replicas.push(new SimulatedReplica(storages[i % POOLS] as Storage));
    const limited = keys.free.slice(0, LIMITED_KEYS);
    const admitted = new Map<string, number>();
    // Popular keys get most of the traffic: the fourth power of a uniform number.
    const pick = (from: readonly string[]) => from[Math.floor(random() ** 4 * from.length)] as string;
    const latencies: number[] = [];

    const offer = async (durationMs: number) => {
      const startMs = performance.now();
      let sent = 0;
      const pending = new Set<Promise<void>>();
      while (performance.now() - startMs < durationMs) {
        const due = ((performance.now() - startMs) / 1000) * perSecond;
        const nowMs = Date.now();
        for (; sent < due; sent++) {
          const isHot = random() < 0.02;
          const secret = isHot ? pick(limited) : random() < 0.3 ? pick(keys.free) : pick(keys.pro);
          const at = isHot ? Math.floor(random() * replicaCount) : replicaOf(secret, random(), replicaCount);
          const replica = replicas[at] as SimulatedReplica;
          const askedMs = performance.now();
          const one = replica.request(secret, nowMs).then((isAllowed) => {
            latencies.push(performance.now() - askedMs);
            if (isAllowed) admitted.set(secret, (admitted.get(secret) ?? 0) + 1);
            pending.delete(one);
          });
          pending.add(one);
        }
        await sleep(5);
      }
      await Promise.all(pending);
      return sent / ((performance.now() - startMs) / 1000);
    };

    say('warming up: keys become known to replicas');
    await offer(WARM_UP_MS);
    await database.statements();
    latencies.length = 0;
    const cpuBefore = process.cpuUsage();
    const startedMs = performance.now();
    const rate = await offer(seconds * 1000);
    const elapsed = (performance.now() - startedMs) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    for (const { query, calls } of await database.frequent()) say(`  ${(calls / elapsed).toFixed(0)}/s  ${query}`);
    const statements = (await database.statements()) / elapsed;
    const [size] = await database.query<{ quota: string; leases: string; dead: string }>(
      `SELECT (SELECT count(*) FROM quota) AS quota, (SELECT count(*) FROM leases) AS leases,
        (SELECT pg_total_relation_size('leases')) AS dead`,
    );
    const worst = Math.max(...limited.map((secret) => admitted.get(secret) ?? 0));
    const failed = replicas.reduce((sum, { served }) => sum + served.failed, 0);
    const rows: Row[] = [
      limitRow('requests offered and answered', rate, undefined, '/s'),
      limitRow('statements', statements, undefined, '/s'),
      limitRow('statements per replica', statements / replicaCount, 40, '/s'),
      limitRow('statements per request', statements / rate, undefined, ''),
      limitRow('a request, 50th percentile', percentile(latencies, 50), undefined, 'ms'),
      limitRow('a request, 99th percentile', percentile(latencies, 99), undefined, 'ms'),
      limitRow('most that a Free key was admitted', worst, FREE_LIMIT, 'requests'),
      limitRow('requests that failed', failed, 0, ''),
      limitRow('rows of quota', Number(size?.quota), keyCount, ''),
      limitRow('rows of leases', Number(size?.leases), undefined, ''),
      limitRow('CPU of the replicas’ code', (cpu.user + cpu.system) / 1e6 / elapsed, undefined, 'cores'),
    ];
    say(formatRows(rows));
  } finally {
    for (const replica of replicas) await replica.stop();
    for (const storage of storages) await storage.close();
    await database.stop();
  }
}

/** Clients keep connections: a key is used on some replicas, not on all. The keys with a limit to be reached are. */
function replicaOf(secret: string, random: number, replicaCount: number): number {
  const first = Number.parseInt(hashSecret(secret).slice(0, 8), 16);
  return (first + Math.floor(random * REPLICAS_PER_KEY)) % replicaCount;
}

/** Many rows a statement: a hundred thousand through `whence key create` would take an hour. */
async function insertKeys(query: (sql: string) => Promise<unknown>, count: number) {
  const secrets = { free: [] as string[], pro: [] as string[] };
  for (let i = 0; i < count; ) {
    const values: string[] = [];
    for (let row = 0; row < 1_000 && i < count; row++, i++) {
      const tier = i % 2 === 0 ? 'free' : 'pro';
      const secret = makeSecret();
      secrets[tier].push(secret);
      values.push(
        `('sim${i}', 'simulated', '${hashSecret(secret)}', '${maskSecret(secret)}', 'ip:read', '${tier}', 0)`,
      );
    }
    await query(`INSERT INTO keys (id, name, hash, masked, permissions, tier, created_at) VALUES ${values.join(',')}`);
  }
  await query('UPDATE revisions SET keys = keys + 1');
  return secrets;
}
