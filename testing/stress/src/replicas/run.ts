/**
 * Two replicas of two workers on a PostgreSQL of their own, under load, while the database is
 * restarted, killed, stopped, replaced by its standby and restored from a backup. One replica
 * reaches it through PgBouncer in transaction mode.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { print } from '@whence/testing/console-report';
import type { PinnedProcesses } from '@whence/testing/pinned-processes';
import { createKeys } from '@whence/testing/whence-program';
import { ServerUnderTest } from '../server-under-test.ts';
import { Database } from './database.ts';
import { type Fault, FREE_LIMIT, type ReplicaRecord } from './promises.ts';
import { Revocations } from './revocations.ts';
import { LIMITED_SHARE, Traffic } from './traffic.ts';

const WORKERS = 2;
const UNLIMITED_KEYS = 3;
const LONGEST_PAUSE_MS = 30_000;

export type ReplicaSoakOptions = { readonly minutes: number; readonly perSecond: number };

export async function runReplicas(
  processes: PinnedProcesses,
  folder: string,
  { minutes, perSecond }: ReplicaSoakOptions,
  signal: AbortSignal,
): Promise<ReplicaRecord> {
  const database = await Database.start(folder);
  try {
    const replicas = await Promise.all([
      startReplica(join(folder, 'one'), database.url, signal),
      startReplica(join(folder, 'two'), database.pooledUrl, signal),
    ]);
    const urls = replicas.map(({ port }) => `http://127.0.0.1:${port}`);
    const unlimited = await createKeys(processes, database.url, 'enterprise', UNLIMITED_KEYS);
    // As many as the run can use up, for each of its two parts.
    const count = Math.ceil((minutes * 60 * perSecond * LIMITED_SHARE) / FREE_LIMIT) + 1;
    const before = await createKeys(processes, database.url, 'free', count);
    const afterwards = await createKeys(processes, database.url, 'free', count);
    const traffic = new Traffic(urls, unlimited, before);
    const revocations = new Revocations(database.url, join(folder, 'commands'), traffic);
    const fromMs = Date.now();
    const load = traffic.run(perSecond);
    const revoking = revocations.run();
    load.catch(() => {});
    revoking.catch(() => {});
    const faults: Fault[] = [];
    const atShare = async (share: number) => {
      const ms = fromMs + share * minutes * 60_000 - Date.now();
      if (ms > 0) await sleep(ms, undefined, { signal });
    };
    const cause = async (name: string, work: () => Promise<void>, isCopy = false) => {
      const beganMs = Date.now();
      await work();
      faults.push({ name, fromMs: beganMs, toMs: Date.now(), isCopy });
      print(
        `${((beganMs - fromMs) / 1000).toFixed(0)} s: ${name}, ${((Date.now() - beganMs) / 1000).toFixed(1)} s`,
      );
    };
    await atShare(0.1);
    await cause('PostgreSQL is restarted', () => database.restart());
    await atShare(0.22);
    await cause('PostgreSQL is killed', () => database.kill());
    await atShare(0.34);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, minutes * 5_000);
    await cause(`PostgreSQL is stopped for ${pauseMs / 1000} s`, () => database.pause(pauseMs));
    await atShare(0.55);
    await cause('a synchronous standby is added', () => database.addStandby());
    await atShare(0.65);
    await cause('the standby takes over', () => database.failOver(), true);
    await atShare(0.78);
    await cause('a backup is made', () => database.backUp());
    const known = new Set(revocations.revoked);
    await atShare(0.85);
    // The backup has no count of requests since: keys that are in use now are not used afterwards.
    traffic.useLimited([]);
    await revocations.holdDuring(
      () => cause('the backup is restored', () => database.restore(), true),
      (key) => known.has(key),
    );
    traffic.useLimited(afterwards);
    await atShare(1);
    traffic.stop();
    revocations.stop();
    await Promise.all([load, revoking]);
    const endings = await Promise.all(replicas.map((replica) => replica.stop()));
    const { revoked, accepted, failures } = revocations;
    return {
      fromMs,
      faults,
      endings,
      lookups: traffic.lookups,
      revocations: { revoked: revoked.length, accepted, failures },
    };
  } finally {
    await database.stop();
  }
}

function startReplica(
  dataDir: string,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<ServerUnderTest> {
  publish(dataDir, sampleContent({ routes: [['8.8.8.0/24', 15169, 'Google LLC']] }), new Date());
  const settings = {
    WHENCE_DATABASE_URL: databaseUrl,
    WHENCE_WORKERS: String(WORKERS),
    WHENCE_FIRST_KEY: 'off',
    WHENCE_LOG_LEVEL: 'info',
  };
  return ServerUnderTest.start(dataDir, settings, signal);
}
