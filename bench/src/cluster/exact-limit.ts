/** Load on one key over two replicas of two workers, while replicas and the database are restarted: what is admitted. */

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../../server/dist/test/requests.js';
import type { PinnedProcesses } from '../http/pinned-processes.ts';
import type { BenchDatabase } from './database.ts';
import { type ReplicaProcess, startReplica } from './replica-process.ts';

const CLIENTS = 16;
/** A lease is returned when its key has been idle for 2 s. */
const IDLE_MS = 4_000;

export async function admittedOverRestarts(
  processes: PinnedProcesses,
  database: BenchDatabase,
  settings: readonly Record<string, string>[],
  secret: string,
  limit: number,
): Promise<number> {
  const start = (i: number) => startReplica(processes, {}, { ...settings[i], WHENCE_WORKERS: '2' });
  const replicas: ReplicaProcess[] = await Promise.all(settings.map((_, i) => start(i)));
  let admitted = 0;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { url } = replicas[i % replicas.length] as ReplicaProcess;
      const { status } = await ask(`${url}/v1/ip/8.8.8.8`, secret, agent);
      if (status === 200) admitted++;
      // A replica that is being restarted, or a key that is used up.
      else await sleep(20);
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
  for (let idleSince = performance.now(), last = -1; performance.now() - idleSince < IDLE_MS; await sleep(100)) {
    if (admitted !== last) idleSince = performance.now();
    last = admitted;
    if (admitted > limit) break;
  }
  isOver = true;
  await Promise.all(clients);
  await Promise.all(replicas.map(({ stop }) => stop()));
  return admitted;
}
