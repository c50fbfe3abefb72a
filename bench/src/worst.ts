/**
 * Other lookups while thirty of the most expensive requests of a route are always in flight: the 99th percentile of one
 * client that asks for one address after the other. The pages come from thirty people without an account.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { percentile } from '@whence/testing/statistics';
import { buildDataset, createKey, startWhence } from '@whence/testing/whence-program';
import { formatRows, limitRow, type Row } from './report.ts';

const AT_ONCE = 30;
const MEASURED_MS = 5_000;
const GOAL_MS = 50;
/** Networks with thousands of prefixes, and prefixes with many records. */
const NETWORKS = [4134, 174, 7018, 3549, 16509, 3356];
const OCTETS = [45, 103, 185, 2, 80, 193];

type Question = { readonly path: string; readonly body?: string };

const ADDRESSES = Array.from({ length: 1_000 }, (_, i) => `${((i * 37) % 223) + 1}.${(i * 91) % 256}.${i % 256}.1`);
const INCLUDE = ['routing', 'privacy', 'location'];
const pick = (list: readonly number[], i: number) => list[i % list.length];
const call = (name: string, given: object): Question => ({
  path: '/mcp',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
});

const ROUTES: Readonly<Record<string, (i: number) => Question>> = {
  'nothing else': () => ({ path: '' }),
  'ip, explained': () => ({ path: `/v1/ip/8.8.8.8?explain=true&include=${INCLUDE}` }),
  'batch of 1,000': () => ({ path: '/v1/ip/batch', body: JSON.stringify({ ips: ADDRESSES }) }),
  'batch with sections': () => ({ path: '/v1/ip/batch', body: JSON.stringify({ ips: ADDRESSES, include: INCLUDE }) }),
  prefix: (i) => ({ path: `/v1/prefix/${pick(OCTETS, i)}.0.0.0/8` }),
  'asn with prefixes': (i) => ({ path: `/v1/asn/${pick(NETWORKS, i)}?include_prefixes=true` }),
  search: () => ({ path: '/v1/asn/search?q=e&limit=100' }),
  'tool batch': () => call('batch', { ips: ADDRESSES }),
  'tool network': (i) => call('network', { asn: pick(NETWORKS, i), prefixes: 1_000 }),
  'page of a network': (i) => ({ path: `/dashboard/api/lookup/asn/${pick(NETWORKS, i)}` }),
  'map of a network': (i) => ({ path: `/dashboard/api/lookup/asn/${pick(NETWORKS, i)}/map` }),
  'page of a prefix': (i) => ({ path: `/dashboard/api/lookup/prefix/${pick(OCTETS, i)}.0.0.0/8` }),
};

export async function worst(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`);
    const rows = await Promise.race([measure(processes, join(folder, 'data')), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(processes: PinnedProcesses, dataDir: string): Promise<Row[]> {
  await buildDataset(processes, dataDir);
  const key = await createKey(processes, dataDir, 'enterprise');
  const settings = { WHENCE_PUBLIC_LOOKUPS: 'on', WHENCE_TRUST_PROXY: '127.0.0.1' };
  const server = await startWhence(processes, dataDir, ANY_CORE, settings);
  const { port } = new URL(server.url);
  const rows: Row[] = [];
  for (const [name, questionOf] of Object.entries(ROUTES)) {
    const latencies = await measureRoute(Number(port), key, questionOf);
    rows.push(limitRow(`lookups beside 30 × ${name}, 99 %`, percentile(latencies, 99), GOAL_MS, 'ms'));
  }
  await server.stop();
  return rows;
}

async function measureRoute(port: number, key: string, questionOf: (i: number) => Question): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE + 1 });
  const untilMs = performance.now() + MEASURED_MS;
  let asked = 0;
  const headersOf = (i: number) => ({
    'X-API-Key': key,
    'Content-Type': 'application/json',
    'X-Forwarded-For': `198.18.${(i >> 8) & 255}.${i & 255}`,
  });
  const keepAsking = async () => {
    while (performance.now() < untilMs) {
      const { path, body } = questionOf(asked++);
      if (path === '') return;
      await ask({ agent, port, path, headers: headersOf(asked), method: body === undefined ? 'GET' : 'POST' }, body);
    }
  };
  const others = Array.from({ length: AT_ONCE }, keepAsking);
  const latencies: number[] = [];
  while (performance.now() < untilMs) {
    const sentMs = performance.now();
    await ask({ agent, port, path: '/v1/ip/8.8.8.8', headers: { 'X-API-Key': key } });
    latencies.push(performance.now() - sentMs);
  }
  await Promise.all(others);
  agent.destroy();
  return latencies;
}

function ask(options: RequestOptions, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...options }, (response) => response.resume().on('end', resolve).on('error', reject))
      .on('error', reject)
      .end(body);
  });
}
