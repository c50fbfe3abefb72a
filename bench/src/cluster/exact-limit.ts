/**
 * Load on one key over two replicas of two workers, while replicas and the database are restarted:
 * what is admitted.
 */

import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { print } from '@whence/testing/console-report';
import type { Server } from '@whence/testing/whence-program';
import type { BenchDatabase } from './database.ts';

const CLIENTS = 16;
/** A lease is returned when its key has been idle for 2 s, or within a second of a recall. */
const IDLE_MS = 6_000;
/** For a machine that is too slow to use the key up. */
const MAX_MS = 60_000;

export async function admittedOverRestarts(
  starts: readonly (() => Promise<Server>)[],
  database: BenchDatabase,
  secret: string,
  limit: number,
): Promise<number> {
  const replicas: Server[] = await Promise.all(starts.map((start) => start()));
  const answers = new Map<number, number>();
  const admitted = () => answers.get(200) ?? 0;
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async (_, i) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { url } = replicas[i % replicas.length] as Server;
      const status = await statusOf(`${url}/v1/ip/8.8.8.8`, secret, agent);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      // A replica that is being restarted, or a key that is used up.
      if (status !== 200) await sleep(20);
    }
    agent.destroy();
  });
  for (const [i, start] of starts.entries()) {
    await sleep(500);
    await replicas[i]?.stop();
    replicas[i] = await start();
  }
  await sleep(500);
  await database.restart();
  const restartedMs = performance.now();
  for (
    let idleSince = restartedMs, last = -1;
    performance.now() - idleSince < IDLE_MS;
    await sleep(100)
  ) {
    if (admitted() !== last) idleSince = performance.now();
    last = admitted();
    if (last > limit || performance.now() - restartedMs > MAX_MS) break;
  }
  isOver = true;
  await Promise.all(clients);
  // A request without an answer may have been admitted or not.
  const unanswered = answers.get(0) ?? 0;
  print(
    `  ${[...answers].map(([status, count]) => `${count} × ${status === 0 ? 'no answer' : status}`).join(', ')}`,
  );
  await Promise.all(replicas.map(({ stop }) => stop()));
  const [day] = await database.query<{ granted: string; held: string }>(
    `SELECT (SELECT max(granted) FROM quota JOIN keys ON keys.id = key_id WHERE tier = 'starter') AS granted,
      (SELECT coalesce(sum(granted), 0) FROM leases) AS held`,
  );
  print(
    `  storage: ${day?.granted} taken from the day, ${day?.held} held; ${unanswered} requests had no answer`,
  );
  return admitted();
}

/** 0 for a connection that is refused or breaks. */
function statusOf(url: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const request = get(
      url,
      { agent, headers: { 'X-API-Key': key }, timeout: 10_000 },
      (response) => {
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', () => resolve(0));
        response.resume();
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}
