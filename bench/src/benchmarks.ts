/** Every benchmark: what it measures, and its program, which is loaded when it runs. */
import { formatTable } from '@whence/testing/console-report';

type Run = (args: readonly string[]) => Promise<void>;
type Benchmark = {
  readonly measures: string;
  /** What may follow the name. */
  readonly options?: string;
  readonly load: () => Promise<Run>;
};

export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  engine: {
    measures: 'lookups, answers, load and build of the dataset, without a server',
    load: async () => (await import('./engine.ts')).engine,
  },
  http: {
    measures: 'the server over the loopback: lookups, batches, search, start, memory, behind nginx',
    options: '[ip] [mixed] [batch] [routes] [fresh] [proxy] [memory]',
    load: async () => (await import('./http.ts')).http,
  },
  start: {
    measures: '--help, ip, key create, start of the server, as new processes',
    load: async () => (await import('./start.ts')).start,
  },
  'first-minute': {
    measures: 'a clone of the last commit: npm ci, npm start to the first lookup, npm test',
    load: async () => (await import('./first-minute.ts')).firstMinute,
  },
  update: {
    measures: 'wh dataset update: its cost, its result, latency of a server while it runs',
    options: '[--full]',
    load: async () => (await import('./update.ts')).update,
  },
  statistics: {
    measures: 'exports and charts of a year of usage: memory, latency of lookups meanwhile',
    load: async () => (await import('./statistics.ts')).statistics,
  },
  worst: {
    measures: 'lookups while thirty of the most expensive requests of each route are in flight',
    load: async () => (await import('./worst.ts')).worst,
  },
  email: {
    measures: 'one email check, 200 at once, wh email with 1,000 domains',
    load: async () => (await import('./email.ts')).email,
  },
  reports: {
    measures: 'DMARC reports on both engines: import, senders, a flood, 100,000 small files',
    options: '[million]',
    load: async () => (await import('./reports.ts')).reports,
  },
  watch: {
    measures: 'lookups beside 10,000 watched domains, processor time of their checks',
    options: '[lookups per second]',
    load: async () => (await import('./watch.ts')).watch,
  },
  enrich: {
    measures: 'wh enrich over a million lines',
    options: '[stages] [go]',
    load: async () => (await import('./enrich.ts')).enrich,
  },
  dns: {
    measures: 'answers of the DNS zone over UDP',
    load: async () => (await import('./dns.ts')).dns,
  },
  location: {
    measures: 'a location database of the size of DB-IP City Lite: check, memory, lookups',
    load: async () => (await import('./location.ts')).location,
  },
  cluster: {
    measures: 'replicas on PostgreSQL, exact limits over restarts',
    load: async () => (await import('./cluster.ts')).cluster,
  },
  capacity: {
    measures: 'statements that simulated replicas cost a real PostgreSQL',
    options: '[--replicas 200] [--keys 100000] [--seconds 20] [--per-second 2000] [--seed S]',
    load: async () => (await import('./capacity.ts')).capacity,
  },
};

export function benchmarksHelp(): string {
  const rows = Object.entries(BENCHMARKS).flatMap(([name, { measures, options }]) => [
    ['', name, measures],
    ...(options === undefined ? [] : [['', '', options]]),
  ]);
  return `usage: npm run bench -- <name> [options]\n\n${formatTable(rows)}\nbench/README.md says what each row means and what a benchmark needs.\n`;
}
