/**
 * Reading a year of usage in the dashboard: exports as CSV and NDJSON, charts by key. Lookups of
 * Free and Enterprise keys go on meanwhile at a constant rate: they share the process with the
 * exports, and leases share the database.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { openCurrent } from '@whence/dataset/versions';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import {
  createAccount,
  type DashboardSession,
  openSession,
} from '@whence/testing/dashboard-session';
import { ANY_CORE, PinnedProcesses, residentBytes } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { seededWords } from '@whence/testing/seeded-random';
import { buildDataset, createKey, type Server, startWhence } from '@whence/testing/whence-program';
import { makeMixes } from './engine/announced-addresses.ts';
import { formatRows, limitRow, type Row } from './report.ts';
import { measurePhase, type Phase, phaseRows } from './steady-load/measured-phases.ts';

const SEED = 20261116;
const ADDRESSES = 50_000;
const KEYS = 1_000;
const DAYS = 365;
const ENDPOINTS = ['ip', 'batch'];
const STATUS_CLASSES = [2, 4];
const DAY_MS = 86_400_000;
const PER_SECOND = 1_000;
const ROUNDS = 3;
const QUIET_MS = 15_000;
const SAMPLE_MS = 50;
const LINE_FEED = 10;
/** The repeat of a quiet phase differs by up to half on a busy machine. */
const LATENCY_GOAL = 1.5;
const MEMORY_GOAL_MEGABYTES = 50;

export async function statistics(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const rows = await Promise.race([measure(processes, folder), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(processes: PinnedProcesses, folder: string): Promise<Row[]> {
  const dataDir = join(folder, 'data');
  print('building the dataset, writing a year of usage');
  await buildDataset(processes, dataDir);
  const key = await createKey(processes, dataDir, 'enterprise');
  const administrator = await createAccount(processes, dataDir, 'bench', 'admin');
  const rows = insertUsage(dataDir);
  const addressFile = join(folder, 'addresses');
  writeFileSync(addressFile, announcedAddresses(dataDir).join('\n'));
  const server = await startWhence(processes, dataDir, ANY_CORE);
  const session = await openSession(Number(new URL(server.url).port), administrator);
  const target = { url: server.url, key, addressFile, perSecond: PER_SECOND, folder };

  print(
    `${formatCount(rows)} rows; GET /v1/ip/{ip}, ${formatCount(PER_SECOND)} per second, with and without reading them`,
  );
  const quiet: Phase[] = [];
  const busy: Phase[] = [];
  const memory: { before: number; peak: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await measurePhase(processes, target, 'without', () => sleep(QUIET_MS)));
    busy.push(
      await measurePhase(processes, target, 'with', async () => {
        memory.push(await peakMemory(server, () => readYear(server, session, rows)));
      }),
    );
  }
  await server.stop();
  const grown = Math.max(...memory.map(({ before, peak }) => peak - before)) / 1e6;
  return [
    ...phaseRows(quiet, busy, 'statistics', LATENCY_GOAL),
    limitRow('memory, added', grown, MEMORY_GOAL_MEGABYTES, 'MB'),
  ];
}

/** A row per key, day, endpoint and status class. */
function insertUsage(dataDir: string): number {
  const database = new DatabaseSync(join(dataDir, 'whence.sqlite'));
  const insert = database.prepare('insert into usage values (?, ?, ?, ?, ?)');
  const nowMs = Date.now();
  let rows = 0;
  database.exec('begin');
  for (let before = 1; before < DAYS; before++) {
    const day = new Date(nowMs - before * DAY_MS).toISOString().slice(0, 10);
    for (let key = 0; key < KEYS; key++) {
      const id = `bench${String(key).padStart(11, '0')}`;
      for (const endpoint of ENDPOINTS)
        for (const statusClass of STATUS_CLASSES)
          rows += insert.run(id, day, endpoint, statusClass, 1 + key).changes;
    }
  }
  database.exec('commit');
  database.close();
  return rows;
}

function announcedAddresses(dataDir: string): readonly string[] {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return makeMixes(dataset, seededWords(SEED), ADDRESSES)[0]?.texts ?? [];
}

/** Two exports at once, then the charts of the usage page. */
async function readYear(
  { url }: Server,
  { cookie }: DashboardSession,
  rows: number,
): Promise<void> {
  const to = new Date();
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const range = `from=${day(new Date(to.getTime() - (DAYS - 1) * DAY_MS))}&to=${day(to)}`;
  const read = async (path: string) => {
    const response = await fetch(`${url}/dashboard/api/${path}`, { headers: { Cookie: cookie } });
    let lines = 0;
    for await (const chunk of response.body ?? [])
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1))
        lines++;
    if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
    return lines;
  };
  const exported = await Promise.all(
    ['csv', 'ndjson'].map((format) => read(`usage/export?${range}&format=${format}`)),
  );
  if (exported.some((lines) => lines < rows))
    throw new Error(`an export has ${exported.join(' and ')} lines of ${rows}`);
  for (const by of ['key', 'endpoint', 'status']) await read(`usage?${range}&by=${by}`);
}

async function peakMemory(
  { pid }: Server,
  work: () => Promise<void>,
): Promise<{ before: number; peak: number }> {
  const before = residentBytes(pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
  }, SAMPLE_MS);
  await work();
  clearInterval(timer);
  return { before, peak };
}
