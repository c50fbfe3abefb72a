/**
 * `GET /v1/ip/{ip}` with Pro keys on one replica on SQLite, one on PostgreSQL, and two on
 * PostgreSQL at once, in turns. What counts is requests per second of the servers' processor time:
 * what they would answer with cores to themselves. The load generator, PostgreSQL and other work on
 * the machine take time from the clock, not from this.
 */
import { print } from '@whence/testing/console-report';
import { cpuSeconds, type PinnedProcesses } from '@whence/testing/pinned-processes';
import { median } from '@whence/testing/statistics';
import type { Server } from '@whence/testing/whence-program';
import { runWrk } from '../http/wrk.ts';
import { formatRate, type Row, ratioRow } from '../report.ts';
import type { BenchDatabase } from './database.ts';

const ROUNDS = 7;
const WARM_UP_SECONDS = 3;
/** Not measured: leases were returned when their keys went idle, and are taken and opened again. */
const LEAD_IN_SECONDS = 1;
const SECONDS = 2;
const CONNECTIONS = 32;

type LookupServers = {
  readonly sqlite: Server;
  readonly replicas: readonly [Server, Server];
  /** Files with a target or a key per line. */
  readonly targets: string;
  readonly keys: { readonly sqlite: string; readonly postgres: string };
};

type Turn = {
  /** Per second of the servers' processor time. */
  readonly perCpuSecond: number;
  readonly perSecond: number;
  /** Processor time of PostgreSQL per request, in microseconds. */
  readonly databaseMicros: number;
};

export async function compareLookups(
  processes: PinnedProcesses,
  database: BenchDatabase,
  { sqlite, replicas, targets, keys }: LookupServers,
): Promise<Row[]> {
  const run = (server: Server, keyFile: string, seed: number, seconds = SECONDS) =>
    runWrk(
      processes,
      server.url,
      { script: 'get-requests.lua', scriptArguments: [targets, keyFile], connections: CONNECTIONS },
      seconds,
      seed,
    );
  const turn = async (servers: readonly Server[], keyFile: string, seed: number): Promise<Turn> => {
    await Promise.all(servers.map((server) => run(server, keyFile, seed, LEAD_IN_SECONDS)));
    const before = sum(servers.map(({ pid }) => cpuSeconds(pid)));
    const databaseBefore = database.cpuSeconds();
    const measures = await Promise.all(
      servers.map((server, i) => run(server, keyFile, seed + i * ROUNDS)),
    );
    const requests = sum(measures.map((measure) => measure.requests));
    return {
      perCpuSecond: requests / (sum(servers.map(({ pid }) => cpuSeconds(pid))) - before),
      perSecond: sum(measures.map((measure) => measure.perSecond)),
      databaseMicros: ((database.cpuSeconds() - databaseBefore) / requests) * 1e6,
    };
  };

  for (const server of replicas) await run(server, keys.postgres, 0, WARM_UP_SECONDS);
  await run(sqlite, keys.sqlite, 0, WARM_UP_SECONDS);
  const turns = { sqlite: [] as Turn[], one: [] as Turn[], two: [] as Turn[] };
  for (let round = 0; round < ROUNDS; round++) {
    const order = [
      async () => turns.sqlite.push(await turn([sqlite], keys.sqlite, round)),
      async () => turns.one.push(await turn([replicas[0]], keys.postgres, round)),
      async () => turns.two.push(await turn(replicas, keys.postgres, round)),
    ];
    // Back and forth, so that a machine that gets slower favours none.
    for (const one of round % 2 === 0 ? order : order.reverse()) await one();
  }
  report('one replica on SQLite', turns.sqlite);
  report('one replica on PostgreSQL', turns.one);
  report('two replicas on PostgreSQL', turns.two);
  const rate = (name: keyof typeof turns) => turns[name].map(({ perCpuSecond }) => perCpuSecond);
  const ratios = (above: number[], below: number[]) =>
    above.map((value, i) => value / (below[i] as number));
  // With a core each: twice what the two answer in a second of processor time.
  const both = rate('two').map((value) => 2 * value);
  return [
    ratioRow(
      'GET /v1/ip, Pro keys, PostgreSQL / SQLite, per CPU second',
      median(rate('one')),
      median(rate('sqlite')),
      0.95,
      median(ratios(rate('one'), rate('sqlite'))),
    ),
    ratioRow(
      'two replicas with a core each / one, per CPU second',
      median(both),
      median(rate('one')),
      1.7,
      median(ratios(both, rate('one'))),
    ),
  ];
}

function report(name: string, turns: readonly Turn[]): void {
  const line = (values: readonly number[], format: (value: number) => string) =>
    `${format(median(values))} (${format(Math.min(...values))} to ${format(Math.max(...values))})`;
  print(
    `  ${name}: ${line(
      turns.map(({ perCpuSecond }) => perCpuSecond),
      formatRate,
    )} per CPU second of the servers`,
  );
  print(
    `    by the clock, load generator included: ${line(
      turns.map(({ perSecond }) => perSecond),
      formatRate,
    )}`,
  );
  print(
    `    PostgreSQL: ${line(
      turns.map(({ databaseMicros }) => databaseMicros),
      (value) => `${value.toFixed(1)} µs`,
    )} a request`,
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
