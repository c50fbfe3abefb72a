/**
 * Lookups beside 10,000 watched domains: at the pace of a day (one check in 8.6 seconds), and while
 * all of them are due at once. A second server, which watches nothing, answers in turn. A machine
 * that has other work changes latencies by more than checks do: phases are short and many, their
 * ratios are compared by their median, and processor time per lookup tells what the clock cannot.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { openCurrent } from '@whence/dataset/versions';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, cpuSeconds, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { seededWords } from '@whence/testing/seeded-random';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry } from '@whence/testing/servers/zone-literal';
import { median } from '@whence/testing/statistics';
import { buildDataset, createKey, startWhence } from '@whence/testing/whence-program';
import { makeMixes } from './engine/announced-addresses.ts';
import { formatRows, limitRow, type Row } from './report.ts';
import {
  MachineTooBusy,
  measurePhase,
  type Phase,
  phaseRows,
} from './steady-load/measured-phases.ts';

const SEED = 20261119;
const ADDRESSES = 50_000;
const DOMAINS = 10_000;
const DAY_MS = 86_400_000;
const ROUNDS = 5;
const PHASE_MS = 8_000;
const CHECKS_MS = 15_000;
/** The repeat of a quiet phase differs by up to half on a busy machine. */
const LATENCY_GOAL = 1.5;
const PROCESSOR_GOAL = 1.1;
/** A busier machine is asked for less. */
const SLOWER = 0.6;
const MIN_PER_SECOND = 100;

/** `perSecond`: lookups, until the machine cannot answer as many. */
export async function watch([perSecond = '5000']: readonly string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  const dns = await startScriptedDnsServer(makeZone());
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const rows = await Promise.race([
      measure(processes, folder, dns.address, Number(perSecond)),
      untilInterrupted(),
    ]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    await dns.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  processes: PinnedProcesses,
  folder: string,
  dnsServer: string,
  perSecond: number,
): Promise<Row[]> {
  const idleDir = join(folder, 'idle');
  const watchDir = join(folder, 'watch');
  print(`building the dataset, writing ${formatCount(DOMAINS)} watched domains`);
  await buildDataset(processes, idleDir);
  const key = await createKey(processes, idleDir, 'enterprise');
  cpSync(idleDir, watchDir, { recursive: true });
  const list = new WatchedList(watchDir);
  const addressFile = join(folder, 'addresses');
  writeFileSync(addressFile, announcedAddresses(idleDir).join('\n'));
  const settings = { WHENCE_DNS_SERVERS: dnsServer };
  const idle = await startWhence(processes, idleDir, ANY_CORE, settings);
  const watching = await startWhence(processes, watchDir, ANY_CORE, settings);
  let rate = perSecond;
  const during = async (name: string, { url, pid }: typeof idle): Promise<MeasuredPhase> => {
    let seconds = 0;
    const target = { url, key, addressFile, perSecond: rate, folder };
    const phase = await measurePhase(processes, target, name, async () => {
      const before = cpuSeconds(pid);
      await sleep(PHASE_MS);
      seconds = cpuSeconds(pid) - before;
    });
    return { ...phase, processorMs: (seconds * 1_000) / phase.answers };
  };
  /** Both phases are of the same rate. */
  const round = async (pace: string, begin: () => unknown): Promise<Round> => {
    for (;;) {
      try {
        const quiet = await during('without', idle);
        begin();
        return { quiet, busy: await during(pace, watching) };
      } catch (error) {
        if (!(error instanceof MachineTooBusy) || rate < MIN_PER_SECOND) throw error;
        rate = Math.round(rate * SLOWER);
        print(`  ${error.message}: ${formatCount(rate)} from now on`);
      } finally {
        list.spread();
      }
    }
  };

  print(`GET /v1/ip/{ip}, ${formatCount(perSecond)} per second, with and without checks`);
  const rows: Row[] = [];
  for (const [pace, begin] of [
    ['a day of checks', () => list.spread()],
    ['all checks due', () => list.makeDue()],
  ] as const) {
    const rounds: Round[] = [];
    while (rounds.length < ROUNDS) rounds.push(await round(pace, begin));
    const quiet = rounds.map((measured) => measured.quiet);
    const busy = rounds.map((measured) => measured.busy);
    rows.push(...phaseRows(quiet, busy, pace, LATENCY_GOAL));
    // While all are due, it contains that of the checks.
    if (pace === 'a day of checks') rows.push(processorRow(quiet, busy, pace));
  }

  print('checks without lookups');
  const checkedBefore = list.makeDue();
  const usedBefore = cpuSeconds(watching.pid);
  await sleep(CHECKS_MS);
  const used = cpuSeconds(watching.pid) - usedBefore;
  const checked = list.checkedSince(checkedBefore);
  list.close();
  await watching.stop();
  await idle.stop();
  if (checked === 0) throw new Error('no domain was checked');
  const ofDay = (used / checked) * DOMAINS;
  return [
    ...rows,
    limitRow('processor time of a check', (used / checked) * 1_000, undefined, 'ms'),
    limitRow(`${formatCount(DOMAINS)} checks, of a core's day`, (ofDay / 86_400) * 100, 100, '%'),
  ];
}

type MeasuredPhase = Phase & { readonly processorMs: number };
type Round = { readonly quiet: MeasuredPhase; readonly busy: MeasuredPhase };

function processorRow(
  quiet: readonly MeasuredPhase[],
  busy: readonly MeasuredPhase[],
  pace: string,
): Row {
  const [without, during] = [quiet, busy].map((phases) =>
    median(phases.map(({ processorMs }) => processorMs)),
  ) as [number, number];
  const name = `processor time per lookup, with ${pace} / without`;
  return {
    ...limitRow(name, during, undefined, 'ms'),
    peer: `${without.toFixed(3)} ms`,
    ratio: `${(during / without).toFixed(2)} ×`,
    goal: `< ${PROCESSOR_GOAL} ×`,
    isReached: during / without < PROCESSOR_GOAL,
  };
}

/** The list in storage: whether checks are due is changed while the server runs. */
class WatchedList {
  readonly #database: DatabaseSyncInstance;

  constructor(dataDir: string) {
    this.#database = new DatabaseSync(join(dataDir, 'whence.sqlite'));
    this.#database.exec('pragma busy_timeout = 10000');
    const insert = this.#database.prepare(
      `insert into watched_domains (domain, tags, added_at, added_by, due_at, state)
       values (?, '', ?, 'bench', ?, '{}')`,
    );
    const nowMs = Date.now();
    this.#database.exec('begin');
    for (let i = 0; i < DOMAINS; i++) insert.run(domainOf(i), nowMs, nowMs + DAY_MS);
    this.#database.exec('commit');
  }

  /** As checks are over the day. */
  spread(): void {
    // SQLite numbers the rows of a table as they are inserted.
    this.#database
      .prepare('update watched_domains set due_at = ? + rowid * ?')
      .run(Date.now(), DAY_MS / DOMAINS);
  }

  /** Returns the time. */
  makeDue(): number {
    const nowMs = Date.now();
    this.#database.prepare('update watched_domains set due_at = ?').run(nowMs);
    return nowMs;
  }

  checkedSince(ms: number): number {
    const row = this.#database
      .prepare('select count(*) as checked from watched_domains where tried_at >= ?')
      .get(ms);
    return Number(row?.['checked']);
  }

  close(): void {
    this.#database.close();
  }
}

const domainOf = (i: number) => `domain-${i}.example`;

function makeZone(): Record<string, ZoneEntry> {
  const zone: Record<string, ZoneEntry> = {};
  for (let i = 0; i < DOMAINS; i++) {
    const domain = domainOf(i);
    zone[domain] = { MX: [[10, `mx.${domain}`]], TXT: ['v=spf1 mx include:_spf.example -all'] };
    zone[`mx.${domain}`] = { A: ['192.0.2.25'] };
    zone[`_dmarc.${domain}`] = { TXT: [`v=DMARC1; p=reject; rua=mailto:d@${domain}`] };
  }
  zone['_spf.example'] = { TXT: ['v=spf1 ip4:198.51.100.0/24 -all'] };
  return zone;
}

function announcedAddresses(dataDir: string): readonly string[] {
  const dataset = openCurrent(dataDir);
  if (dataset === undefined) throw new Error(`no dataset was published in ${dataDir}`);
  return makeMixes(dataset, seededWords(SEED), ADDRESSES)[0]?.texts ?? [];
}
