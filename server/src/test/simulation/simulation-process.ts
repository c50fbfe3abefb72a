/**
 * Process: simulated replicas, and the requests to them. Its parent sends tasks over the IPC
 * channel.
 */
import { seededRandom } from '@whence/testing/seeded-random';
import type {
  SimulationReply,
  SimulationResult,
  SimulationTask,
} from '@whence/testing/simulation-protocol';
import pg from 'pg';
import { hashSecret, makeSecret } from '../../keys/secret.ts';
import { maskSecret } from '../../keys/secret-form.ts';
import { offerRequests, useUp } from './simulated-load.ts';
import { SimulatedReplica } from './simulated-replica.ts';

const STARTED_AT_ONCE = 8;
const ROWS_PER_STATEMENT = 1_000;
const FREE_SHARE = 0.3;

const replicas: SimulatedReplica[] = [];
const keys = { free: [] as string[], pro: [] as string[] };
let databaseUrl = '';

process.on('message', (task) => {
  // Sent by our own benchmark, hence the cast.
  void reply(task as SimulationTask);
});
process.on('disconnect', async () => {
  await Promise.all(replicas.map((replica) => replica.stop().catch(() => {})));
  process.exit();
});

async function reply(task: SimulationTask): Promise<void> {
  const answer: SimulationReply<keyof SimulationResult> = await perform(task).then(
    (result) => ({ result }),
    (error: Error) => ({ error: error.message }),
  );
  process.send?.(answer);
}

async function perform(task: SimulationTask): Promise<SimulationResult[keyof SimulationResult]> {
  switch (task.kind) {
    case 'start':
      databaseUrl = task.databaseUrl;
      await startReplicas(task.replicas);
      return null;
    case 'insert keys':
      await insertKeys(task.count);
      return null;
    case 'many keys': {
      const random = seededRandom(task.seed);
      return offerRequests(task.perSecond, task.seconds, () => {
        const from = random() < FREE_SHARE ? keys.free : keys.pro;
        // The fourth power of a uniform number.
        const secret = from[Math.floor(random() ** 4 * from.length)] as string;
        return send(secret, firstReplica(secret) + Math.floor(random() * task.replicasPerKey));
      });
    }
    case 'busy keys': {
      let next = 0;
      return offerRequests(task.perSecond, task.seconds, () => {
        const secret = keys.pro[next++ % task.keys] as string;
        return send(secret, firstReplica(secret));
      });
    }
    case 'use up':
      return useUp(keys.free.splice(-task.keys), send);
    case 'failures': {
      const failures = new Map<string, number>();
      for (const replica of replicas)
        for (const [message, count] of replica.failures)
          failures.set(message, (failures.get(message) ?? 0) + count);
      return [...failures];
    }
  }
}

async function startReplicas(count: number): Promise<void> {
  const end = replicas.length + count;
  while (replicas.length < end) {
    const more = Math.min(STARTED_AT_ONCE, end - replicas.length);
    replicas.push(
      ...(await Promise.all(
        Array.from({ length: more }, () => SimulatedReplica.start(databaseUrl)),
      )),
    );
  }
}

function send(secret: string, at: number): boolean | Promise<boolean> {
  const replica = replicas[at % replicas.length] as SimulatedReplica;
  return replica.request(secret, replica.nowMs());
}

const firstReplica = (secret: string) => Number.parseInt(hashSecret(secret).slice(0, 8), 16);

/** Many rows a statement: a hundred thousand keys through `Keys` would take minutes. */
async function insertKeys(count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let i = 0; i < count; ) {
      const values: string[] = [];
      for (let row = 0; row < ROWS_PER_STATEMENT && i < count; row++, i++) {
        const tier = i % 2 === 0 ? 'free' : 'pro';
        const secret = makeSecret();
        keys[tier].push(secret);
        values.push(
          `('sim${i}', 'simulated', 'simulated', 'simulated', '${hashSecret(secret)}', '${maskSecret(secret)}', 'ip:read', '${tier}', 0)`,
        );
      }
      await client.query(
        `INSERT INTO keys (id, name, name_key, name_folded, hash, masked, permissions, tier, created_at) VALUES ${values.join(',')}`,
      );
    }
    await client.query('UPDATE revisions SET keys = keys + 1');
  } finally {
    await client.end();
  }
}
