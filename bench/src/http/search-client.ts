/**
 * Child of the benchmark: asks for every line of a file of queries, one after the other over one connection, and prints how many milliseconds
 * each took, from the call to the last byte. Arguments: address of the server, key, file.
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
  const asked = request(`${url}/v1/asn/search?q=${encodeURIComponent(query)}`, {
    agent,
    headers: { 'X-API-Key': key },
  });
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  asked.end();
  const [response] = await answered;
  const body = await text(response);
  const elapsedMs = performance.now() - started;
  if (response.statusCode !== 200) throw new Error(`search for ${query} was answered ${response.statusCode}: ${body}`);
  return elapsedMs;
}

const latenciesMs: number[] = [];
for (const query of readFileSync(file, 'utf8').split('\n')) latenciesMs.push(await search(query));
agent.destroy();
process.stdout.write(JSON.stringify(latenciesMs));
