/** Many keys, each used about once a second by a client of its own, spread over replicas. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 100;

/** For some seconds; returns how many requests were answered with which status. */
export async function useAll(
  urls: readonly string[],
  secrets: readonly string[],
  seconds: number,
): Promise<Record<number, number>> {
  const agents = urls.map(() => new Agent({ keepAlive: true, maxSockets: CLIENTS }));
  const startMs = performance.now();
  const statuses: Record<number, number> = {};
  let sent = 0;
  const client = async () => {
    while (performance.now() - startMs < seconds * 1000) {
      const index = sent++;
      const dueMs = startMs + (index / secrets.length) * 1000;
      if (dueMs > performance.now()) await sleep(dueMs - performance.now());
      const key = index % secrets.length;
      const at = key % urls.length;
      const status = await ask(`${urls[at]}/v1/ip/8.8.8.8`, secrets[key] as string, key, agents[at] as Agent);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (const agent of agents) agent.destroy();
  return statuses;
}

/** As a proxy sends it: with the address of the client, because secrets that one address tries are throttled. */
function ask(url: string, secret: string, client: number, agent: Agent): Promise<number> {
  const address = `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
  return new Promise((resolve) => {
    const headers = { 'X-API-Key': secret, 'X-Forwarded-For': address };
    const request = get(url, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', () => resolve(0));
  });
}
