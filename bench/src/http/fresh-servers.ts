/** Measurements that need a fresh server: start time, first searches, memory over time. */
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { formatCount, print } from '@whence/testing/console-report';
import { LOAD_CORE, residentBytes } from '@whence/testing/pinned-processes';
import { isShort, makeQueries } from '@whence/testing/search-queries';
import { median, percentile } from '@whence/testing/statistics';
import { type Server, startWhence } from '@whence/testing/whence-program';
import { limitRow, type Row } from '../report.ts';
import { ipLoad } from './compare-ip.ts';
import type { Setup } from './setup.ts';
import { runWrk } from './wrk.ts';

const STARTS = 5;
const SEARCHES = 2_000;
const WARM_UP_SEARCHES = 500;
const SEARCH_TIMEOUT_MS = 60_000;
const FEW_REQUESTS = 100_000;
const MANY_REQUESTS = 1_000_000;
const GOALS = {
  startMs: 700,
  searchMs: 10,
  firstSearchMs: 100,
  residentMegabytes: 250,
  growthPercent: 5,
};

export async function measureStartAndSearch(setup: Setup): Promise<Row[]> {
  const { dataset, random, save } = setup;
  print(`${STARTS} new servers: start, then ${formatCount(SEARCHES)} searches over one connection`);
  // No short queries in the warm-up: the server keeps the results of single letters.
  const warmUp = makeQueries(dataset.networks, random, WARM_UP_SEARCHES).filter(
    (query) => !isShort(query),
  );
  const queries = makeQueries(dataset.networks, random, SEARCHES);
  const queryFile = save('queries', [...warmUp, ...queries]);
  const measures: {
    startMs: number;
    firstMs: number;
    all: number[];
    long: number[];
    short: number[];
  }[] = [];
  for (let i = 0; i < STARTS; i++) {
    const { server, startMs } = await startToReady(setup);
    const [firstMs = 0, ...later] = await searchAll(setup, server, queryFile);
    await server.stop();
    const all = later.slice(warmUp.length - 1);
    const [short, long] = [true, false].map((kind) =>
      all.filter((_, at) => isShort(queries[at] ?? '') === kind),
    );
    measures.push({ startMs, firstMs, all, short: short ?? [], long: long ?? [] });
  }
  const medianOf = (pick: (measure: (typeof measures)[number]) => number) =>
    median(measures.map(pick));
  const row = (name: string, kind: 'all' | 'long' | 'short', percent: number, limit?: number) =>
    limitRow(
      `ASN search, ${name}`,
      medianOf((measure) => percentile(measure[kind], percent)),
      limit,
      'ms',
    );
  return [
    row('50th percentile', 'all', 50),
    row('99th percentile', 'all', 99, GOALS.searchMs),
    row('99th, 3 characters and more', 'long', 99),
    row('99th, 1 or 2 characters', 'short', 99),
    row('slowest', 'all', 100),
    limitRow(
      'ASN search, first after a start',
      medianOf(({ firstMs }) => firstMs),
      GOALS.firstSearchMs,
      'ms',
    ),
    limitRow(
      'start to ready',
      medianOf(({ startMs }) => startMs),
      GOALS.startMs,
      'ms',
    ),
  ];
}

/**
 * `perSecond` is the expected rate. wrk stops by time, so the count is exceeded by a few thousand
 * requests.
 */
export async function measureMemory(setup: Setup, perSecond: number): Promise<Row[]> {
  const { processes, dataDir, key } = setup;
  print(
    `memory of a new server after ${formatCount(FEW_REQUESTS)} and ${formatCount(MANY_REQUESTS)} requests`,
  );
  const server = await startWhence(processes, dataDir);
  const load = ipLoad(setup, [key]);
  const atStart = residentBytes(server.pid);
  let answered = 0;
  const residentAfter = async (count: number) => {
    while (answered < count) {
      const seconds = Math.max(1, Math.round((count - answered) / perSecond));
      answered += (await runWrk(processes, server.url, load, seconds, answered)).requests;
    }
    return residentBytes(server.pid);
  };
  const few = await residentAfter(FEW_REQUESTS);
  const many = await residentAfter(MANY_REQUESTS);
  await server.stop();
  const memoryRow = (when: string, bytes: number, limit?: number) =>
    limitRow(`memory ${when}`, bytes / 1e6, limit, 'MB');
  return [
    memoryRow('at the start', atStart),
    memoryRow(`after ${formatCount(FEW_REQUESTS)} requests`, few, GOALS.residentMegabytes),
    memoryRow(`after ${formatCount(MANY_REQUESTS)} requests`, many, GOALS.residentMegabytes),
    limitRow('memory, growth between the two', 100 * (many / few - 1), GOALS.growthPercent, '%'),
  ];
}

/** From the start of the process to the first 200 from /readyz. */
async function startToReady({
  processes,
  dataDir,
}: Setup): Promise<{ server: Server; startMs: number }> {
  const started = performance.now();
  const server = await startWhence(processes, dataDir);
  const { status } = await fetch(`${server.url}/readyz`);
  // The server opens the dataset before it listens, so it is ready at once.
  if (status !== 200) throw new Error(`the server listens, but /readyz returns ${status}`);
  return { server, startMs: performance.now() - started };
}

/** Milliseconds per query. Our script prints an array of numbers, hence the cast. */
async function searchAll(
  { processes, key }: Setup,
  { url }: Server,
  queryFile: string,
): Promise<number[]> {
  const client = fileURLToPath(import.meta.resolve('./search-client.js'));
  const args = [client, url, key, queryFile];
  return JSON.parse(
    await processes.run(LOAD_CORE, process.execPath, args, SEARCH_TIMEOUT_MS),
  ) as number[];
}
