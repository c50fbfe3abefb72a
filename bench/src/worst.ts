/**
 * Other lookups while thirty of the most expensive requests of a route are always in flight: the
 * 99th percentile of one client that asks for one address after the other. The pages come from
 * thirty people without an account.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { percentile } from '@whence/testing/statistics';
import { buildDataset, createKey, startWhence } from '@whence/testing/whence-program';
import { formatRows, limitRow, type Row } from './report.ts';
import { ask, type Load, ROUTES } from './worst-load.ts';

const SETTLING_MS = 500;
const MEASURED_MS = 5_000;
const GOAL_MS = 50;

export async function worst(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
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
  const dns = await startScriptedDnsServer({ 'example.com': { TXT: ['v=spf1 -all'] } });
  const settings = {
    WHENCE_PUBLIC_LOOKUPS: 'on',
    WHENCE_TRUST_PROXY: '127.0.0.1',
    WHENCE_DNS_SERVERS: dns.address,
  };
  const server = await startWhence(processes, dataDir, ANY_CORE, settings);
  const { port } = new URL(server.url);
  const rows: Row[] = [];
  for (const route of [undefined, ...Object.keys(ROUTES)]) {
    const latencies = await measureRoute(Number(port), key, route);
    const load = route === undefined ? 'nothing else' : `30 × ${route}`;
    rows.push(limitRow(`lookups beside ${load}, 99%`, percentile(latencies, 99), GOAL_MS, 'ms'));
  }
  await server.stop();
  await dns.close();
  return rows;
}

async function measureRoute(
  port: number,
  key: string,
  route: string | undefined,
): Promise<number[]> {
  const load = route && { port, key, route, durationMs: MEASURED_MS + SETTLING_MS };
  const thread =
    load &&
    new Worker(new URL('./worst-load.js', import.meta.url), { workerData: load satisfies Load });
  const ended = thread && once(thread, 'exit');
  await sleep(SETTLING_MS);
  const agent = new Agent({ keepAlive: true });
  const untilMs = performance.now() + MEASURED_MS;
  const latencies: number[] = [];
  while (performance.now() < untilMs) {
    const sentMs = performance.now();
    await ask({ agent, port, path: '/v1/ip/8.8.8.8', headers: { 'X-API-Key': key } });
    latencies.push(performance.now() - sentMs);
  }
  agent.destroy();
  await ended;
  return latencies;
}
