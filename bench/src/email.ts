/**
 * The email check against a DNS server that takes 20 ms per answer: one check compared with npm
 * `mailauth`, 200 checks at the same time, and `wh email` with 1,000 domains from a file. The
 * server is a separate process on this machine; nothing outside is asked. Every round has its own
 * client, so no answer comes from a cache.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { checkDomain } from '@whence/email';
import { createDnsClient } from '@whence/email/resolver';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { median } from '@whence/testing/statistics';
import { WHENCE } from '@whence/testing/whence-program';
import { type DnsServerProcess, startDnsServer } from './email/dns-server.ts';
import { askMailauth } from './email/mailauth.ts';
import type { AtOnceMeasure, AtOnceRound } from './email/measured-at-once.ts';
import {
  AT_ONCE,
  DOMAIN,
  KEY_SELECTORS,
  LIST,
  listedDomain,
  listedGrade,
  ROUND_TRIPS,
  SPF_LOOKUPS,
} from './email/zone.ts';
import { type MeasuredProcess, measureProcess, runScript } from './fresh-process.ts';
import { formatRows, limitRow, type Row } from './report.ts';

const DELAY_MS = 20;
const WARM_UPS = 5;
const ROUNDS = 20;
const AT_ONCE_ROUNDS = 3;
const FLOOR_MS = ROUND_TRIPS * DELAY_MS;
const GOALS = { checkMs: 1.3 * FLOOR_MS, queries: 60, growthPercent: 10, domainsPerSecond: 40 };

export async function email(): Promise<void> {
  print(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
  );
  const server = await startDnsServer(DELAY_MS);
  try {
    const rows = [...(await compareOne(server)), ...measureAtOnce(server), ...measureList(server)];
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    server.stop();
  }
}

async function compareOne(server: DnsServerProcess): Promise<Row[]> {
  print(
    `one check, ${ROUNDS} rounds in turns; medians. Each answer takes ${DELAY_MS} ms, the floor is ${ROUND_TRIPS} of them`,
  );
  const candidates = [
    () => askInARow(server.address),
    () => checkOnce(server.address),
    () => askMailauth(server.address),
  ];
  for (let i = 0; i < WARM_UPS; i++) for (const run of candidates) await run();
  const times = candidates.map((): number[] => []);
  const queries = candidates.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, run] of candidates.entries()) {
      globalThis.gc?.(true);
      const before = await server.received();
      const started = performance.now();
      await run();
      times[i]?.push(performance.now() - started);
      queries[i]?.push((await server.received()) - before);
    }
  const [bare = 0, ours = 0, theirs = 0] = times.map(median);
  const [, ourQueries = 0, theirQueries = 0] = queries.map(median);
  print(`  check: ${spread(times[1])}; mailauth: ${spread(times[2])}`);
  return [
    limitRow(`${ROUND_TRIPS} questions one after the other`, bare, undefined, 'ms'),
    {
      ...limitRow('check, 40 selectors / mailauth, 3 keys', ours, GOALS.checkMs, 'ms'),
      peer: `${theirs.toFixed(0)} ms`,
      ratio: `${(theirs / ours).toFixed(2)} ×`,
    },
    {
      measure: 'queries',
      ours: String(ourQueries),
      peer: String(theirQueries),
      goal: `≤ ${GOALS.queries}`,
      isReached: ourQueries <= GOALS.queries,
    },
  ];
}

/**
 * The floor on this machine, including the server's timer and the switches between two processes.
 */
async function askInARow(server: string): Promise<void> {
  const client = createDnsClient({ servers: [server] });
  const resolver = client.forCheck(DOMAIN);
  for (const name of ['', '_a.', '_a1.', '_a11.']) await resolver.txt(`${name}${DOMAIN}`);
  client.close();
}

async function checkOnce(server: string): Promise<void> {
  const client = createDnsClient({ servers: [server] });
  const { grade, spf, dkim } = await checkDomain(DOMAIN, { resolver: client.forCheck(DOMAIN) });
  client.close();
  const isRight =
    grade === 'A' && spf.dns_lookup_count === SPF_LOOKUPS && dkim.length === KEY_SELECTORS.length;
  if (!isRight) throw new Error(`the check answers ${JSON.stringify({ grade, spf, dkim })}`);
}

function measureAtOnce(server: DnsServerProcess): Row[] {
  print(
    `${AT_ONCE} domains at the same time over one client in a fresh process, ${AT_ONCE_ROUNDS} rounds after one to warm up`,
  );
  const lostBefore = lostDatagrams();
  const args = [server.address, String(AT_ONCE_ROUNDS + 1)];
  // The script is ours and prints one line of JSON.
  const { rounds, residentBytes } = runScript(
    import.meta.resolve('./email/measured-at-once.js'),
    args,
    ['--expose-gc'],
  ) as AtOnceMeasure;
  const lost = lostDatagrams() - lostBefore;

  const [atStart = 0, warm = 0, ...after] = residentBytes.map((bytes) => bytes / 1e6);
  print(
    `  memory: ${[atStart, warm, ...after].map((size) => size.toFixed(1)).join(', ')} MB at the start and after each round`,
  );
  const counted = rounds.slice(1);
  const medianOf = (pick: (round: AtOnceRound) => number) => median(counted.map(pick));
  const right = Math.min(...rounds.map((round) => round.right));
  const leftOpen = rounds.flatMap((round) => round.leftOpen);
  const name = (what: string) => `${AT_ONCE} checks at once, ${what}`;
  return [
    {
      measure: name('right grades'),
      ours: String(right),
      goal: `≥ ${AT_ONCE}`,
      isReached: right >= AT_ONCE,
    },
    limitRow(
      name('until the first'),
      medianOf(({ fastestMs }) => fastestMs),
      undefined,
      'ms',
    ),
    limitRow(
      name('until the last'),
      medianOf(({ slowestMs }) => slowestMs),
      undefined,
      'ms',
    ),
    limitRow(
      name('processor time each'),
      medianOf(({ cpuMs }) => cpuMs) / AT_ONCE,
      undefined,
      'ms',
    ),
    { measure: name('queries a round'), ours: formatCount(medianOf(({ queries }) => queries)) },
    { measure: name('datagrams lost'), ours: formatCount(lost) },
    {
      measure: name('sockets at the peak'),
      ours: formatCount(medianOf(({ socketsAtPeak }) => socketsAtPeak)),
    },
    {
      measure: name('sockets and timers left'),
      ours: String(leftOpen.length),
      goal: '≤ 0',
      isReached: leftOpen.length === 0,
    },
    limitRow(name('memory'), Math.max(...after), undefined, 'MB'),
    limitRow(
      `memory, growth over ${AT_ONCE_ROUNDS} rounds`,
      ((after.at(-1) ?? 0) / warm - 1) * 100,
      GOALS.growthPercent,
      '%',
    ),
  ];
}

/** The command in a process of its own, on one core where `taskset` can pin it. */
function measureList(server: DnsServerProcess): Row[] {
  const isPinned = spawnSync('taskset', ['--version']).error === undefined;
  print(
    `wh email --file with ${formatCount(LIST)} domains ${isPinned ? 'on one core' : '(taskset is missing: not pinned)'}`,
  );
  const { wallSeconds, cpuSeconds, residentBytes, stdout } = runList(server, isPinned);
  const grades = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { domain: string; grade: string });
  const isRight = ({ domain, grade }: (typeof grades)[number], i: number) =>
    domain === listedDomain(i) && grade === listedGrade(i);
  const right = grades.filter(isRight).length;
  const megabytes = residentBytes.map((bytes) => bytes / 1e6);
  print(`  memory: ${megabytes.map((size) => size.toFixed(1)).join(', ')} MB after each tenth`);
  const perSecond = LIST / wallSeconds;
  const name = (what: string) => `${formatCount(LIST)} domains from a file, ${what}`;
  // The code is compiled and the first domains are checked; what grows from here would grow with
  // the list.
  const [, , warm = 0] = megabytes;
  return [
    {
      measure: name('right grades'),
      ours: String(right),
      goal: `≥ ${LIST}`,
      isReached: right >= LIST,
    },
    {
      measure: name('domains a second'),
      ours: perSecond.toFixed(1),
      goal: `≥ ${GOALS.domainsPerSecond}`,
      isReached: perSecond >= GOALS.domainsPerSecond,
    },
    limitRow(name('processor time each'), (cpuSeconds * 1000) / LIST, undefined, 'ms'),
    limitRow(name('memory'), Math.max(...megabytes), undefined, 'MB'),
    limitRow(
      name('memory, growth'),
      ((megabytes.at(-1) ?? 0) / warm - 1) * 100,
      GOALS.growthPercent,
      '%',
    ),
  ];
}

function runList(server: DnsServerProcess, isPinned: boolean): MeasuredProcess {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  try {
    const file = join(folder, 'domains.txt');
    writeFileSync(file, Array.from({ length: LIST }, (_, i) => `${listedDomain(i)}\n`).join(''));
    return measureProcess([WHENCE, 'email', '--file', file, '--json'], {
      settings: {
        WHENCE_DNS_SERVERS: server.address,
        WHENCE_DATA_DIR: folder,
        SAMPLE_EVERY_LINES: String(LIST / 10),
      },
      nodeOptions: ['--expose-gc'],
      // 1: some of the domains have something to fix.
      exitCodes: [0, 1],
      ...(isPinned ? { core: 0 } : {}),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function spread(values: readonly number[] = []): string {
  return `${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)} ms`;
}

/**
 * Datagrams that found the receive buffer full, each of which costs its check a try of two seconds.
 * The kernel counts them for the whole machine; NaN if this is not Linux.
 */
function lostDatagrams(): number {
  const file = '/proc/net/snmp';
  if (!existsSync(file)) return Number.NaN;
  const [names, values] = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Udp:'))
    .map((line) => line.split(' '));
  return Number(values?.[names?.indexOf('RcvbufErrors') ?? -1]);
}
