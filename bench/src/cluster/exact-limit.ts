/** Load on one key over two replicas of two workers, while replicas and the database are restarted: what is admitted. */

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../../server/dist/test/requests.js';
import type { PinnedProcesses } from '../http/pinned-processes.ts';
import { say } from '../report.ts';
import type { BenchDatabase } from './database.ts';
import { type ReplicaProcess, startReplica } from './replica-process.ts';

const CLIENTS = 16;
/** A lease is returned when its key has been idle for 2 s, or within a second of a recall. */
const IDLE_MS = 6_000;
/** For a machine that is too slow to use the key up. */
const MAX_MS = 60_000;

export async function admittedOverRestarts(
  processes: PinnedProcesses,
  database: BenchDatabase,
  settings: readonly Record<string, string>[],
  secret: string,
  limit: number,
): Promise<number> {
  const start = (i: number) => startReplica(processes, {}, { ...settings[i], WHENCE_WORKERS: '2' });
  const replicas: ReplicaProcess[] = await Promise.all(settings.map((_, i) => start(i)));
  const answers = new Map<number, number>();
  const admitted = () => answers.get(200) ?? 0;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { url } = replicas[i % replicas.length] as ReplicaProcess;
      const { status } = await ask(`${url}/v1/ip/8.8.8.8`, secret, agent);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      // A replica that is being restarted, or a key that is used up.
      if (status !== 200) await sleep(20);
    }
    agent.destroy();
  });
  for (let i = 0; i < replicas.length; i++) {
    await sleep(500);
    const before = replicas[i] as ReplicaProcess;
    await before.stop();
    replicas[i] = await start(i);
  }
  await sleep(500);
  await database.restart();
  const restartedMs = performance.now();
  for (let idleSince = restartedMs, last = -1; performance.now() - idleSince < IDLE_MS; await sleep(100)) {
    if (admitted() !== last) idleSince = performance.now();
    last = admitted();
    if (last > limit || performance.now() - restartedMs > MAX_MS) break;
  }
  isOver = true;
  await Promise.all(clients);
  // Of a request without an answer it is not known whether it was admitted.
  const unanswered = answers.get(0) ?? 0;
  say(`  ${[...answers].map(([status, count]) => `${count} × ${status === 0 ? 'no answer' : status}`).join(', ')}`);
  await Promise.all(replicas.map(({ stop }) => stop()));
  const [day] = await database.query<{ granted: string; held: string }>(
    `SELECT (SELECT max(granted) FROM quota JOIN keys ON keys.id = key_id WHERE tier = 'starter') AS granted,
      (SELECT coalesce(sum(granted), 0) FROM leases) AS held`,
  );
  say(`  storage: ${day?.granted} taken from the day, ${day?.held} held; ${unanswered} requests had no answer`);
  return admitted();
}
