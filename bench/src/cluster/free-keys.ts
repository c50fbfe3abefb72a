/** Many keys, each used about once a second by a client of its own, spread over replicas. */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 64;
const TIMEOUT_MS = 30_000;

export type Used = {
  readonly seconds: number;
  readonly statuses: Readonly<Record<number, number>>;
};

/** Uses every key `times` times. A machine that is too slow for once a second takes longer. */
export async function useAll(
  urls: readonly string[],
  secrets: readonly string[],
  times: number,
): Promise<Used> {
  const agents = urls.map(() => new Agent({ keepAlive: true, maxSockets: CLIENTS }));
  const startMs = performance.now();
  const statuses: Record<number, number> = {};
  const count = secrets.length * times;
  let sent = 0;
  const client = async () => {
    while (sent < count) {
      const index = sent++;
      const dueMs = startMs + (index / secrets.length) * 1000;
      if (dueMs > performance.now()) await sleep(dueMs - performance.now());
      const key = index % secrets.length;
      const at = key % urls.length;
      const status = await ask(
        `${urls[at]}/v1/ip/8.8.8.8`,
        secrets[key] as string,
        key,
        agents[at] as Agent,
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (const agent of agents) agent.destroy();
  return { seconds: (performance.now() - startMs) / 1000, statuses };
}

/**
 * As a proxy sends it: with the address of the client, because secrets that one address tries are
 * throttled.
 */
function ask(url: string, secret: string, client: number, agent: Agent): Promise<number> {
  const address = `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`;
  return new Promise((resolve) => {
    const headers = { 'X-API-Key': secret, 'X-Forwarded-For': address };
    const request = get(url, { agent, headers, timeout: TIMEOUT_MS }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}
