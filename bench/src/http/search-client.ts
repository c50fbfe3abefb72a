/**
 * Child process: sends every line of a query file as a search, one after the other over one
 * connection, and prints the latencies in milliseconds, from the call to the last byte. Arguments:
 * server URL, key, file.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

const [url = '', key = '', file = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function search(query: string): Promise<number> {
  const started = performance.now();
  const sent = request(`${url}/v1/asn/search?q=${encodeURIComponent(query)}`, {
    agent,
    headers: { 'X-API-Key': key },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end();
  const [response] = await answered;
  const body = await text(response);
  const elapsedMs = performance.now() - started;
  if (response.statusCode !== 200)
    throw new Error(`status ${response.statusCode} for the search ${query}: ${body}`);
  return elapsedMs;
}

const latenciesMs: number[] = [];
for (const query of readFileSync(file, 'utf8').split('\n')) latenciesMs.push(await search(query));
agent.destroy();
process.stdout.write(JSON.stringify(latenciesMs));
