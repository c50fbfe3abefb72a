/** Requests to a server in processes of its own, and what can be seen of those processes. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { ServerProcess } from '../test-server.ts';

export type Answer = { status: number; text: string };

/**
 * A connection per agent, so that requests are spread over workers; a refused or broken connection
 * is status 0.
 */
export function ask(url: string, key: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve) => {
    const request = get(
      url,
      { agent, headers: { 'X-API-Key': key }, timeout: 10_000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece) => {
          text += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', () => resolve({ status: 0, text: '' }));
      },
    );
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', () => resolve({ status: 0, text: '' }));
  });
}

export type Load = {
  /** Requests that have an answer so far. */
  answered(): number;
  /** How many requests got which status. */
  readonly ended: Promise<Record<number, number>>;
};

export function askMany(url: string, key: string, count: number): Promise<Record<number, number>> {
  return startLoad(url, key, count).ended;
}

/** Sends the requests over 40 connections, as fast as they are answered. */
export function startLoad(url: string, key: string, count: number): Load {
  const agents = Array.from({ length: 40 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const statuses: Record<number, number> = {};
  let answered = 0;
  const requests = Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { status } = await ask(`${url}/v1/ip/8.8.8.${i % 256}`, key, agents[i % agents.length]);
      answered++;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  );
  const ended = requests.then(() => {
    for (const agent of agents) agent.destroy();
    return statuses;
  });
  return { answered: () => answered, ended };
}

/** Process ids of its workers. */
export function workersOf({ child }: Pick<ServerProcess, 'child'>): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}
